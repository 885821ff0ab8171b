/* SPDX-License-Identifier: MIT
 * A growing sequence of bytes with a maximum size.
 *
 * An append that would exceed the maximum marks the buffer as failed, and later appends are ignored. So a writer checks once,
 * at the end, and never gets a truncated text. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

struct buffer {
	char *data; /* terminated when size > 0 */
	size_t size, capacity, maximum;
	bool failed;
};

/* Makes the buffer empty. `maximum` is in bytes. */
void buffer_init(struct buffer *buffer, size_t maximum);
/* Overwrites and frees the memory. The buffer can be used again with the same maximum. */
void buffer_free(struct buffer *buffer);
/* Overwrites and removes the contents, resets a failure, and retains the memory. */
void buffer_clear(struct buffer *buffer);
/* The same, but frees memory of more than `keep` bytes. */
void buffer_recycle(struct buffer *buffer, size_t keep);

/* Reserves memory for `more` bytes and a terminator. Returns false, and marks the buffer as failed, if they do not fit. */
MUST_CHECK bool buffer_reserve(struct buffer *buffer, size_t more);

/* Appends `size` bytes, which the caller must fill; returns NULL if they do not fit. */
MUST_CHECK static inline char *
buffer_extend(struct buffer *buffer, size_t size)
{
	/* the capacity never exceeds the maximum */
	if ((buffer->failed || size >= buffer->capacity - buffer->size) && !buffer_reserve(buffer, size))
		return NULL;
	char *place = buffer->data + buffer->size;
	buffer->size += size;
	place[size] = '\0';
	return place;
}

static inline void
buffer_add(struct buffer *buffer, struct slice s)
{
	char *place = buffer_extend(buffer, s.size);
	if (place != NULL && s.size > 0)
		memcpy(place, s.data, s.size);
}

static inline void
buffer_add_byte(struct buffer *buffer, char byte)
{
	char *place = buffer_extend(buffer, 1);
	if (place != NULL)
		*place = byte;
}

void buffer_add_text(struct buffer *buffer, const char *text);
void buffer_add_u64(struct buffer *buffer, uint64_t number);
void buffer_add_i64(struct buffer *buffer, int64_t number);
void buffer_printf(struct buffer *buffer, const char *format, ...) PRINTF_LIKE(2, 3);

/* Returns false if something did not fit. */
MUST_CHECK static inline bool
buffer_ok(const struct buffer *buffer)
{
	return !buffer->failed;
}

/* The contents; valid until the next append. Present even if empty. */
struct slice buffer_slice(const struct buffer *buffer);
/* The contents as a copy in the pool; frees the buffer. */
struct slice buffer_take(struct buffer *buffer, struct pool *pool);
