/* SPDX-License-Identifier: MIT
 * A responder's connection to the committer. The responder sends a request, reads the answer, and may send the next. */
#pragma once

#include <stdint.h>

#include "commit/codec.h"
#include "commit/frame.h"
#include "commit/turns.h"

enum peer_state {
	PEER_READING, /* the request is incomplete */
	PEER_WAITING, /* the request in `in` has no answer yet */
	PEER_WRITING, /* the answer is not completely sent */
	PEER_CLOSED   /* peers_sweep frees it */
};

struct peer {
	int fd;
	enum peer_state state;
	struct frame_reader in;
	int64_t delayed_until_ms; /* its request is not tried until then; 0: no delay */
	bool suspect;             /* its request runs alone (commit/suspects.h) */
	bool uncertain;           /* its request is in a batch of unknown outcome */
	uint64_t arrival;         /* of its request: its number among all */
	bool has_turn;            /* `turn` is that of its command */
	struct turn turn;
	size_t counted; /* bytes of `in` in queued_bytes */
	struct buffer out;
	size_t sent;
	uint32_t watched; /* events of epoll(7) */
};

/* All accepted connections. */
struct peers {
	int epoll;
	struct peer **items;
	size_t count, capacity;
	size_t queued_bytes; /* of requests without an answer, from their frame headers on */
	uint64_t arrivals;   /* number of requests so far */
	bool ending;         /* no more requests are accepted */
};

/* Maximum of queued requests; further requests are refused. */
enum { QUEUE_MAX_BYTES = 8 * 1024 * 1024 };

/* Takes ownership of the connection. Closes it when its peer runs as another user, or epoll fails. */
void peers_add(struct peers *peers, int fd);
/* Frees peers in the state PEER_CLOSED. */
void peers_sweep(struct peers *peers);
/* Handles the events that epoll reports for a peer. */
void peer_act(struct peers *peers, struct peer *peer, uint32_t events);
/* While it is uncertain, its events are ignored. */
void peer_set_uncertain(struct peers *peers, struct peer *peer, bool uncertain);
/* Sends the answer to its request, and frees the request. */
void peer_answer(struct peers *peers, struct peer *peer, const struct commit_answer *answer);
/* Stops reading, after what was sent before. Peers are closed once they have their answers. */
void peers_end(struct peers *peers);
/* Closes all peers and frees the memory. */
void peers_free(struct peers *peers);
