/* SPDX-License-Identifier: MIT */
#include "http/gzip.h"

#include <zlib.h>

#include "base/buffer.h"

enum { GZIP_ALONE = 16 + MAX_WBITS, CHUNK_BYTES = 16 * 1024 };

bool
gzip_begins(struct slice body)
{
	return slice_starts_with(body, SLICE("\x1f\x8b\x08"));
}

/* Decompresses one member (RFC 1952, 2.2). Anything after it, even a second member, makes the body GZIP_BROKEN. */
static enum gzip_result
inflate_into(z_stream *stream, struct buffer *out)
{
	unsigned char chunk[CHUNK_BYTES];
	int status = Z_OK;
	while (status == Z_OK) {
		stream->next_out = chunk;
		stream->avail_out = sizeof(chunk);
		status = inflate(stream, Z_NO_FLUSH);
		if (status != Z_OK && status != Z_STREAM_END)
			return GZIP_BROKEN;
		buffer_add(out, (struct slice){ (const char *)chunk, sizeof(chunk) - stream->avail_out });
		if (!buffer_ok(out))
			return GZIP_TOO_LARGE;
	}
	return stream->avail_in == 0 ? GZIP_OK : GZIP_BROKEN;
}

enum gzip_result
gzip_inflate(struct pool *pool, struct slice body, size_t maximum, struct slice *text)
{
	z_stream stream = { .next_in = (z_const Bytef *)(uintptr_t)body.data, .avail_in = (uInt)body.size };
	struct buffer out;
	if (inflateInit2(&stream, GZIP_ALONE) != Z_OK)
		memory_exhausted();
	buffer_init(&out, maximum);
	const enum gzip_result result = inflate_into(&stream, &out);
	if (result == GZIP_OK)
		*text = pool_copy(pool, buffer_slice(&out));
	buffer_free(&out);
	inflateEnd(&stream);
	return result;
}
