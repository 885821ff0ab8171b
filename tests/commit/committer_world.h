/* SPDX-License-Identifier: MIT
 * A committer in a process of its own, over a store that is made up: it notes each call in shared memory, and waits while the
 * test wants it to. The test is its responders. */
#ifndef LEADHOOK_TESTS_COMMIT_COMMITTER_WORLD_H
#define LEADHOOK_TESTS_COMMIT_COMMITTER_WORLD_H

#include "unit.h"

#include <stdatomic.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "commit/codec.h"
#include "commit/endpoint.h"
#include "commit/frame.h"

enum { PEERS_MAX = 400, CALLS_MAX = 4096, PATIENCE_MS = 20000, LARGE = 1024 * 1024, NOBODY = 65534 };

/* Keys whose first byte is this are unknown; with the other one the database is out of reach. */
enum { UNKNOWN = 200, UNREACHABLE = 201 };
enum { LOCKED = 77 };
/* A lead, and a campaign, that the committer dies of. */
#define POISON SLICE("poison@example.org")
enum { POISONED = 666 };

struct shared {
	atomic_bool hold;      /* store_execute waits */
	atomic_bool hold_next; /* … and will do so the next time too */
	atomic_uint batches;
	atomic_bool held;   /* it does */
	atomic_bool locked; /* campaign LOCKED is somebody else's */
	atomic_bool away;   /* the database is not ready */
	atomic_bool ready;
	atomic_uint rests;
	char calls[CALLS_MAX]; /* "E2 " a batch of two, "K " a key, "C " a campaign, "T " a use that was noted, "R "
				* readiness */
};

/* Of the test that runs. */
extern struct pool *pool;
extern struct shared *shared;
extern struct endpoint endpoint;
extern pid_t committer;
extern int peers[PEERS_MAX];

int open_all(void **state);
int close_all(void **state);
#define COMMITTER_TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)

void start_committer(void);
/* After it has died of poison. */
void restart_committer(void);
/* Waits for its end; the status with which it ended. */
int ended(void);
void wait_until(bool (*condition)(void));
/* The store was told that nothing goes on. */
bool has_rested(void);

void connect_peers(size_t count);
/* The caller frees it. */
struct buffer frame_of(const struct commit_request *request);
/* With a deadline that is far away. */
struct commit_request request_of(enum commit_request_kind kind);
struct commit_request sign_up(struct slice email);
void ask(size_t peer, const struct commit_request *request);
/* With an email that is the peer's own. */
void ask_sign_up(size_t peer);
void ask_locked(size_t peer, int64_t deadline_ms);
void ask_points(size_t peer, size_t leads);
/* A key by the first byte of its hash. */
void ask_lead(size_t peer);
void ask_key(size_t peer, unsigned char first);

void ask_readiness(size_t peer);

struct commit_answer answer_of(size_t peer);
/* The answer is that to its ask_sign_up. */
void assert_own_outcome(size_t peer);
void assert_closed(size_t peer);

/* A peer has a command that takes until `release`; `hold` connects peer 0 for that. */
void hold_peer(size_t peer);
void hold(void);
void release(void);
/* Ends the batch that is held, and holds the next one, which must come. */
void hold_next(void);

#endif
