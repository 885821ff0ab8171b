/* SPDX-License-Identifier: MIT
 * The committer's connections: accepts them, reads requests, writes answers, and begins to shut down at SIGTERM. A responder
 * sends a request, reads the answer, and may send the next. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "commit/codec.h"
#include "commit/endpoint.h"
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
	uint64_t arrival;         /* number of its request, in the order of arrival */
	bool has_turn;            /* `turn` is the turn of its command */
	struct turn turn;
	size_t counted; /* bytes of `in` that are counted in queued_bytes */
	struct buffer out;
	size_t sent;
	uint32_t watched; /* events of epoll(7) */
};

/* All accepted connections. */
struct peers {
	int epoll;
	struct peer **items;
	size_t count, capacity;
	size_t queued_bytes; /* requests without an answer, from their frame headers on */
	uint64_t arrivals;   /* number of requests so far */
	bool ending;         /* no more requests are accepted */
};

/* Maximum of queued requests; further requests are refused. */
enum { QUEUE_MAX_BYTES = 8 * 1024 * 1024 };

/* Frees peers in the state PEER_CLOSED. */
void peers_sweep(struct peers *peers);
/* Sends the answer to its request, and frees the request. */
void peer_answer(struct peers *peers, struct peer *peer, const struct commit_answer *answer);

struct receiver {
	struct peers peers;
	const struct endpoint *endpoint;
	int signals;
	bool ending; /* no connection is accepted any more */
	int status;  /* exit status, of sysexits.h */
	struct {
		pthread_t thread;
		bool started;
		atomic_bool ending;
		size_t count; /* number of refused requests */
	} refuser;
};

/* SIGTERM and SIGUSR2 must be blocked. Returns false, logged, with the status set, when descriptors are missing; close it in
 * any case. */
MUST_CHECK bool receiver_open(struct receiver *receiver, const struct endpoint *endpoint);
void receiver_close(struct receiver *receiver);
/* Waits for events and handles them. Returns false when there were none within the time. */
bool receiver_wait(struct receiver *receiver, int timeout_ms);

/* While the outcome of a batch is unknown, other requests wait this long before they are refused (docs/architecture.md 7.1):
 * most outcomes are known by then. A cluster of databases replaces a dead writer in three to four seconds. */
enum { REFUSER_DELAY_MS = 5000 };
/* Between this function and the next, the receiver and its peers belong to a thread that refuses requests, except those of the
 * `uncertain` peers, which are in the batch. If the thread cannot be created, this is logged, and requests wait. */
void receiver_begin_refusing(struct receiver *receiver, struct peer *const *uncertain, size_t count);
/* Waits for the end of the thread. Logs how many waiting requests it refused, if any; requests for which the queue had no room
 * are not counted. */
void receiver_end_refusing(struct receiver *receiver, struct peer *const *uncertain, size_t count);
