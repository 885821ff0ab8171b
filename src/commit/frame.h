/* SPDX-License-Identifier: MIT
 * Frames on a stream: a length, then so many bytes. */
#ifndef LEADHOOK_COMMIT_FRAME_H
#define LEADHOOK_COMMIT_FRAME_H

#include "base/attributes.h"
#include "base/buffer.h"

/* The content of one; an outcome with the longest payload fits. */
enum { FRAME_MAX_BYTES = 17 * 1024 * 1024 };

/* What is being read of one frame. Begins with frame_reader_init. */
struct frame_reader {
	struct buffer bytes; /* with the length in front */
	size_t dropped;      /* bytes of a frame that is not kept */
	bool drops;
};

enum frame_state {
	FRAME_PARTIAL, /* there is more to come */
	FRAME_WHOLE,
	FRAME_DROPPED, /* it came to its end, but there was no room for it */
	FRAME_ENDED,   /* the peer will send nothing any more; a part of a frame that had come is worth nothing */
	FRAME_LOST,    /* the peer is gone without having read all that it was sent */
	FRAME_BROKEN   /* what comes is no frame, or nothing can be read */
};

void frame_reader_init(struct frame_reader *reader);
void frame_reader_free(struct frame_reader *reader);
/* For the next frame. Memory that grew large is given back. */
void frame_reader_reset(struct frame_reader *reader);
/* The length of the content; 0 as long as it is not known, and for a frame that is dropped. */
size_t frame_reader_size(const struct frame_reader *reader);
/* Of a whole frame; valid until the reader is reset. */
struct slice frame_content(const struct frame_reader *reader);
/* Reads what there is, without waiting, and nothing behind the frame: a peer sends one, and waits for its answer. A frame of
 * more than `room` bytes is read to its end without being kept. */
MUST_CHECK enum frame_state frame_read(struct frame_reader *reader, int fd, size_t room);

/* Before and after the content is appended to an empty `out`. False when it was too large. */
void frame_begin(struct buffer *out);
MUST_CHECK bool frame_end(struct buffer *out);
/* The maximum of a buffer that takes a frame. */
enum { FRAME_BUFFER_MAX = FRAME_MAX_BYTES + 4 };
/* Sends what can be sent without waiting, from *sent on. FRAME_PARTIAL: there is more; FRAME_WHOLE: that was all;
 * FRAME_BROKEN: the peer takes no more. */
MUST_CHECK enum frame_state frame_send(int fd, const struct buffer *out, size_t *sent);
/* Empties it for the next frame. Memory that grew large is given back. */
void frame_clear(struct buffer *out);

#endif
