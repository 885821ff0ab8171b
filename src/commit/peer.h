/* SPDX-License-Identifier: MIT
 * A connection of a responder to the committer: one request after another, each with its answer. */
#ifndef LEADHOOK_COMMIT_PEER_H
#define LEADHOOK_COMMIT_PEER_H

#include <stdint.h>

#include "commit/codec.h"
#include "commit/frame.h"

enum peer_state {
	PEER_READING, /* its request is incomplete */
	PEER_WAITING, /* its request, `in`, has no answer yet */
	PEER_WRITING, /* its answer is not written completely */
	PEER_CLOSED   /* peers_sweep frees it */
};

struct peer {
	int fd;
	enum peer_state state;
	struct frame_reader in;
	int64_t delayed_until_ms; /* its request is left alone until then; 0: it is not */
	bool suspect;             /* its request is carried out alone (commit/suspects.h) */
	size_t counted;           /* bytes of `in` that count as queued */
	struct buffer out;
	size_t sent;
	uint32_t watched; /* events of epoll(7) */
};

/* All that were accepted. */
struct peers {
	int epoll;
	struct peer **items;
	size_t count, capacity;
	size_t queued_bytes; /* of requests that were announced and not answered yet */
	bool ending;         /* nobody is asked anything more */
};

/* No more than this is kept of requests: what comes beyond is refused. */
enum { QUEUE_MAX_BYTES = 8 * 1024 * 1024 };

/* Takes the connection over; closes it when it is not ours, or cannot be watched. */
void peers_add(struct peers *peers, int fd);
/* Closes those that are gone. */
void peers_sweep(struct peers *peers);
/* What epoll tells of one. */
void peer_act(struct peers *peers, struct peer *peer, uint32_t events);
/* Answers what it waits for, and is done with its request. */
void peer_answer(struct peers *peers, struct peer *peer, const struct commit_answer *answer);
/* From now on nobody can send more, but what was sent before is read; whoever has got its answer is gone. */
void peers_end(struct peers *peers);
/* Closes all that are left and frees what there is. */
void peers_free(struct peers *peers);

#endif
