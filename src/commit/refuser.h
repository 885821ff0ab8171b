/* SPDX-License-Identifier: MIT
 * A thread that refuses requests while the committer is occupied with a batch of unknown outcome (docs/architecture.md 7.1).
 *
 * Between refuser_start and refuser_stop the receiver and its peers belong to the thread alone. Requests of uncertain peers
 * keep waiting. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "commit/receiver.h"

/* Requests wait for so long until they are refused: most outcomes are known by then. A cluster of databases replaces a dead
 * writer in three to four seconds. */
enum { REFUSER_DELAY_MS = 5000 };

struct refuser {
	struct receiver *receiver;
	pthread_t thread;
	bool started;
	atomic_bool ending;
	size_t count; /* of refused requests */
};

/* Without a thread, logged, requests wait. */
void refuser_start(struct refuser *refuser, struct receiver *receiver);
/* Waits for the end of the thread. Logs how many requests refuse_all refused, if any; requests for which the queue had no room
 * are not counted. */
void refuser_stop(struct refuser *refuser);
