/* SPDX-License-Identifier: MIT */
#include "base/buffer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"

void
buffer_init(struct buffer *buffer, size_t maximum)
{
	*buffer = (struct buffer){ .maximum = maximum };
}

void
buffer_free(struct buffer *buffer)
{
	free(buffer->data);
	buffer_init(buffer, buffer->maximum);
}

void
buffer_clear(struct buffer *buffer)
{
	buffer->size = 0;
	buffer->failed = false;
}

/* Room for `more` bytes and a terminator. */
static bool
reserve(struct buffer *buffer, size_t more)
{
	if (buffer->failed || more > buffer->maximum - buffer->size) {
		buffer->failed = true;
		return false;
	}
	size_t need = buffer->size + more + 1;
	if (need > buffer->capacity) {
		size_t capacity = buffer->capacity < 256 ? 256 : buffer->capacity * 2;
		if (capacity < need)
			capacity = need;
		buffer->data = memory_realloc(buffer->data, capacity);
		buffer->capacity = capacity;
	}
	return true;
}

void
buffer_add(struct buffer *buffer, struct slice s)
{
	if (!reserve(buffer, s.size))
		return;
	if (s.size > 0)
		memcpy(buffer->data + buffer->size, s.data, s.size);
	buffer->size += s.size;
	buffer->data[buffer->size] = '\0';
}

void
buffer_add_text(struct buffer *buffer, const char *text)
{
	buffer_add(buffer, slice_of(text));
}

void
buffer_add_byte(struct buffer *buffer, char byte)
{
	buffer_add(buffer, (struct slice){ &byte, 1 });
}

void
buffer_add_u64(struct buffer *buffer, uint64_t number)
{
	char digits[20];
	size_t at = sizeof(digits);
	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	buffer_add(buffer, (struct slice){ digits + at, sizeof(digits) - at });
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
		abort(); /* a broken format string */
	if (reserve(buffer, (size_t)size)) {
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
