/* SPDX-License-Identifier: MIT */
#include "commit/refuser.h"

#include "base/panic.h"
#include "os/clock.h"
#include "os/log.h"

enum { WAIT_MS = 20 }; /* between checks for the end */

static void
refuse_all(struct refuser *refuser)
{
	const struct commit_answer refused = { .kind = ANSWER_REFUSED };
	struct peers *peers = &refuser->receiver->peers;
	for (size_t i = 0; i < peers->count; i++) {
		if (peers->items[i]->state != PEER_WAITING || peers->items[i]->uncertain)
			continue;
		peer_answer(peers, peers->items[i], &refused);
		refuser->count++;
	}
}

/* The thread function. */
static void *
loop(void *context)
{
	struct refuser *refuser = context;
	struct receiver *receiver = refuser->receiver;
	const int64_t begin_ms = clock_monotonic_ms() + REFUSER_DELAY_MS;
	while (!atomic_load(&refuser->ending)) {
		receiver_wait(receiver, WAIT_MS);
		if (clock_monotonic_ms() >= begin_ms)
			refuse_all(refuser);
		peers_sweep(&receiver->peers);
	}
	return NULL;
}

void
refuser_start(struct refuser *refuser, struct receiver *receiver)
{
	refuser->receiver = receiver;
	refuser->count = 0;
	atomic_store(&refuser->ending, false);
	const int error = pthread_create(&refuser->thread, NULL, loop, refuser);
	refuser->started = error == 0;
	if (error != 0)
		log_warning("no_thread", LOG_ERRNO(error));
}

void
refuser_stop(struct refuser *refuser)
{
	if (!refuser->started)
		return;
	atomic_store(&refuser->ending, true);
	if (pthread_join(refuser->thread, NULL) != 0)
		panic("pthread_join");
	refuser->started = false;
	if (refuser->count > 0)
		log_warning("requests_refused", LOG_UINT("requests", refuser->count), LOG_INT("after_ms", REFUSER_DELAY_MS),
		    LOG_STR("reason", "the outcome of a COMMIT was unknown"));
}
