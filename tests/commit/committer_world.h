/* SPDX-License-Identifier: MIT
 * A committer in its own process, with a fake store that records its calls in shared memory and blocks on request. The test
 * acts as the responders. */
#pragma once

#include "unit.h"

#include <stdatomic.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "commit/codec.h"
#include "commit/endpoint.h"
#include "commit/frame.h"

enum { PEERS_MAX = 400, CALLS_MAX = 4096, TIMEOUT_MS = 20000, LARGE = 1024 * 1024, OTHER_UID = 65534 };

/* First bytes of an unknown key, and of a key for which the database is unreachable. */
enum { UNKNOWN = 200, UNREACHABLE = 201 };
enum { LOCKED = 77 };
/* A lead and a campaign that crash the committer. */
#define POISON SLICE("poison@example.org")
enum { POISONED = 666 };

struct shared {
	atomic_bool hold;      /* store_execute waits */
	atomic_bool hold_next; /* … also at the next call */
	atomic_uint batches;
	atomic_bool held;            /* store_execute is waiting */
	atomic_bool locked;          /* another process has locked the campaign LOCKED */
	atomic_bool away;            /* the database is not ready */
	atomic_bool sealed;          /* its secrets cannot be opened */
	atomic_bool made_deliveries; /* store_execute made deliveries */
	atomic_bool unknown;         /* the outcome of the batch that waits is unknown */
	atomic_bool ready;
	atomic_uint rests;
	char calls[CALLS_MAX]; /* "E2 " a batch of two, "K " a key, "C " a campaign, "T " a key's use, "R "
				* readiness */
};

/* The state of the current test. */
extern struct pool *pool;
extern struct shared *shared;
extern struct endpoint endpoint;
extern pid_t committer;
extern int peers[PEERS_MAX];
extern int wakes; /* the socket that gets the committer's wakes */

int open_all(void **state);
int close_all(void **state);
#define COMMITTER_TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)

void start_committer(void);
/* Restarts it after a crash. */
void restart_committer(void);
/* Waits for the end of the committer; returns its exit status. */
int ended(void);
void wait_until(bool (*condition)(void));
/* Whether the store was called for an idle connection. */
bool has_rested(void);

void connect_peers(size_t count);
/* The caller frees the buffer. */
struct buffer frame_of(const struct commit_request *request);
/* Returns a request with a distant deadline. */
struct commit_request request_of(enum commit_request_kind kind);
struct commit_request sign_up(struct slice email);
void send_request(size_t peer, const struct commit_request *request);
/* The email is unique to the peer. */
void request_sign_up(size_t peer);
void request_locked(size_t peer, int64_t deadline_ms);
void request_points(size_t peer, size_t leads);
/* `first` is the first byte of the key's hash. */
void request_lead(size_t peer);
void request_key(size_t peer, unsigned char first);

void request_readiness(size_t peer);

struct commit_answer answer_of(size_t peer);
/* Asserts that this is the answer to the peer's request_sign_up. */
void assert_own_outcome(size_t peer);
void assert_closed(size_t peer);

/* Sends a peer's command that blocks until `release`; `hold` connects peer 0 and uses it. */
void hold_peer(size_t peer);
void hold(void);
void release(void);
/* Releases the blocked batch and waits until the next one blocks. */
void hold_next(void);
