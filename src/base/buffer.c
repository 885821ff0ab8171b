/* SPDX-License-Identifier: MIT */
#include "base/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/encode.h"
#include "base/panic.h"
#include "base/pool.h"

void
buffer_init(struct buffer *buffer, size_t maximum)
{
	*buffer = (struct buffer){ .maximum = maximum };
}

/* Overwrites the contents, as in a pool. Copies that realloc(3) left behind are not reached. */
static void
wipe(struct buffer *buffer)
{
	if (buffer->size > 0)
		explicit_bzero(buffer->data, buffer->size);
}

void
buffer_free(struct buffer *buffer)
{
	wipe(buffer);
	free(buffer->data);
	buffer_init(buffer, buffer->maximum);
}

void
buffer_clear(struct buffer *buffer)
{
	wipe(buffer);
	buffer->size = 0;
	buffer->failed = false;
}

void
buffer_recycle(struct buffer *buffer, size_t keep)
{
	if (buffer->capacity > keep)
		buffer_free(buffer);
	else
		buffer_clear(buffer);
}

bool
buffer_reserve(struct buffer *buffer, size_t more)
{
	if (buffer->failed || more > buffer->maximum - buffer->size) {
		buffer->failed = true;
		return false;
	}
	size_t need = buffer->size + more + 1;
	if (need > buffer->capacity) {
		size_t capacity = buffer->capacity < 256 ? 256 : buffer->capacity * 2;
		if (capacity > buffer->maximum)
			capacity = buffer->maximum + 1;
		if (capacity < need)
			capacity = need;
		buffer->data = memory_realloc(buffer->data, capacity);
		buffer->capacity = capacity;
	}
	return true;
}

void
buffer_add_text(struct buffer *buffer, const char *text)
{
	buffer_add(buffer, slice_of(text));
}

void
buffer_add_u64(struct buffer *buffer, uint64_t number)
{
	char digits[DECIMAL_SIZE];
	buffer_add(buffer, encode_decimal(number, digits));
}

void
buffer_add_i64(struct buffer *buffer, int64_t number)
{
	if (number < 0)
		buffer_add_byte(buffer, '-');
	buffer_add_u64(buffer, number < 0 ? (uint64_t)0 - (uint64_t)number : (uint64_t)number);
}

void
buffer_printf(struct buffer *buffer, const char *format, ...)
{
	va_list args, again;
	va_start(args, format);
	va_copy(again, args);
	int size = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (size < 0)
		panic("a broken format string");
	if (buffer_reserve(buffer, (size_t)size)) {
		vsnprintf(buffer->data + buffer->size, (size_t)size + 1, format, again);
		buffer->size += (size_t)size;
	}
	va_end(again);
}

struct slice
buffer_slice(const struct buffer *buffer)
{
	return (struct slice){ buffer->data == NULL ? "" : buffer->data, buffer->size };
}

struct slice
buffer_take(struct buffer *buffer, struct pool *pool)
{
	const struct slice copy = pool_copy(pool, buffer_slice(buffer));
	buffer_free(buffer);
	return copy;
}
