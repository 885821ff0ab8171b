/* SPDX-License-Identifier: MIT */
#include "commit/frame.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/panic.h"

enum { LENGTH_BYTES = sizeof(uint32_t), CHUNK_BYTES = 16 * 1024, KEEP_BYTES = 8 * 1024 };

_Static_assert(FRAME_BUFFER_MAX == FRAME_MAX_BYTES + LENGTH_BYTES, "the length comes first");

void
frame_reader_init(struct frame_reader *reader)
{
	*reader = (struct frame_reader){ .dropped = 0 };
	buffer_init(&reader->bytes, FRAME_BUFFER_MAX);
}

void
frame_reader_free(struct frame_reader *reader)
{
	buffer_free(&reader->bytes);
}

void
frame_clear(struct buffer *out)
{
	buffer_recycle(out, KEEP_BYTES);
}

void
frame_reader_reset(struct frame_reader *reader)
{
	frame_clear(&reader->bytes);
	reader->dropped = 0;
	reader->drops = false;
}

/* The length that the frame's header announces. */
static size_t
announced_size(const struct frame_reader *reader)
{
	uint32_t size;
	memcpy(&size, reader->bytes.data, LENGTH_BYTES);
	return size;
}

size_t
frame_reader_size(const struct frame_reader *reader)
{
	return reader->bytes.size < LENGTH_BYTES || reader->drops ? 0 : announced_size(reader);
}

struct slice
frame_content(const struct frame_reader *reader)
{
	require(frame_reader_size(reader) == reader->bytes.size - LENGTH_BYTES);
	return slice_sub(buffer_slice(&reader->bytes), LENGTH_BYTES, reader->bytes.size);
}

/* Adds bytes that were read, and returns the state of the frame. */
static enum frame_state
advance(struct frame_reader *reader, struct slice chunk, size_t room)
{
	size_t head = LENGTH_BYTES - (reader->bytes.size < LENGTH_BYTES ? reader->bytes.size : LENGTH_BYTES);
	buffer_add(&reader->bytes, slice_sub(chunk, 0, head));
	if (reader->bytes.size < LENGTH_BYTES)
		return FRAME_PARTIAL;
	struct slice content = slice_sub(chunk, head, chunk.size);
	size_t size = announced_size(reader);
	if (size > FRAME_MAX_BYTES)
		return FRAME_BROKEN;
	if (head > 0)
		reader->drops = size > room;
	if (reader->drops)
		reader->dropped += content.size;
	else
		buffer_add(&reader->bytes, content);
	size_t came = reader->drops ? reader->dropped : reader->bytes.size - LENGTH_BYTES;
	if (came > size || !buffer_ok(&reader->bytes))
		return FRAME_BROKEN;
	if (came < size)
		return FRAME_PARTIAL;
	return reader->drops ? FRAME_DROPPED : FRAME_WHOLE;
}

enum frame_state
frame_read(struct frame_reader *reader, int fd, size_t room)
{
	char chunk[CHUNK_BYTES];
	for (;;) {
		ssize_t size = recv(fd, chunk, sizeof(chunk), MSG_DONTWAIT);
		if (size == 0)
			return FRAME_ENDED;
		if (size < 0 && errno == EINTR)
			continue;
		if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return FRAME_PARTIAL;
		if (size < 0)
			return errno == ECONNRESET ? FRAME_LOST : FRAME_BROKEN;
		enum frame_state state = advance(reader, (struct slice){ chunk, (size_t)size }, room);
		explicit_bzero(chunk, (size_t)size);
		if (state != FRAME_PARTIAL)
			return state;
	}
}

void
frame_begin(struct buffer *out)
{
	static const char nothing[LENGTH_BYTES];
	buffer_clear(out);
	buffer_add(out, (struct slice){ nothing, sizeof(nothing) });
}

bool
frame_end(struct buffer *out)
{
	uint32_t size = (uint32_t)(out->size - LENGTH_BYTES);
	if (!buffer_ok(out))
		return false;
	memcpy(out->data, &size, LENGTH_BYTES);
	return true;
}

enum frame_state
frame_send(int fd, const struct buffer *out, size_t *sent)
{
	while (*sent < out->size) {
		ssize_t size = send(fd, out->data + *sent, out->size - *sent, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (size >= 0)
			*sent += (size_t)size;
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			return FRAME_PARTIAL;
		else if (errno != EINTR)
			return FRAME_BROKEN;
	}
	return FRAME_WHOLE;
}
