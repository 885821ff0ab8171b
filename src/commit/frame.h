/* SPDX-License-Identifier: MIT
 * Frames on a stream: a length, then that many bytes. */
#pragma once

#include "base/buffer.h"

/* Maximum of the content; an outcome with the longest payload fits. */
enum { FRAME_MAX_BYTES = 17 * 1024 * 1024 };

/* A frame being read. */
struct frame_reader {
	struct buffer bytes; /* including the length */
	size_t dropped;      /* bytes read of a frame that is dropped */
	bool drops;
};

enum frame_state {
	FRAME_PARTIAL, /* incomplete */
	FRAME_WHOLE,
	FRAME_DROPPED, /* read to its end, but dropped, because there was no room for it */
	FRAME_ENDED,   /* the peer closed its side; an incomplete frame is lost */
	FRAME_LOST,    /* the peer closed the connection without reading all that was sent */
	FRAME_BROKEN   /* not a frame, or reading failed */
};

void frame_reader_init(struct frame_reader *reader);
void frame_reader_free(struct frame_reader *reader);
/* Prepares for the next frame. Frees large memory. */
void frame_reader_reset(struct frame_reader *reader);
/* The length of the content; 0 until it is read, and for a dropped frame. */
size_t frame_reader_size(const struct frame_reader *reader);
/* The content of a whole frame; valid until the reader is reset. */
struct slice frame_content(const struct frame_reader *reader);
/* Reads without blocking. Reads nothing after the frame, because a peer sends one frame and waits for its answer. A frame of
 * more than `room` bytes is read to its end and dropped. */
MUST_CHECK enum frame_state frame_read(struct frame_reader *reader, int fd, size_t room);

/* Call before and after the content is appended to an empty `out`. frame_end returns false when it is too large. */
void frame_begin(struct buffer *out);
MUST_CHECK bool frame_end(struct buffer *out);
/* The maximum of a buffer for a frame. */
enum { FRAME_BUFFER_MAX = FRAME_MAX_BYTES + 4 };
/* Sends the bytes from *sent on, without blocking. FRAME_PARTIAL: some bytes are left; FRAME_WHOLE: all are sent; FRAME_BROKEN:
 * the peer accepts no more. */
MUST_CHECK enum frame_state frame_send(int fd, const struct buffer *out, size_t *sent);
/* Empties the buffer for the next frame. Frees large memory. */
void frame_clear(struct buffer *out);
