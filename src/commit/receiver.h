/* SPDX-License-Identifier: MIT
 * The committer's connections: accepts them, reads requests, writes answers, and begins the end at SIGTERM. */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "commit/endpoint.h"
#include "commit/peer.h"

struct receiver {
	struct peers peers;
	const struct endpoint *endpoint;
	int signals;
	bool ending; /* no connection is accepted any more */
	int status;  /* exit status, of sysexits.h */
};

/* SIGTERM and SIGUSR2 must be blocked. Returns false, logged, with the status set, when descriptors are missing; close it in
 * any case. */
MUST_CHECK bool receiver_open(struct receiver *receiver, const struct endpoint *endpoint);
void receiver_close(struct receiver *receiver);
/* Waits for events and handles them. Returns false when there were none within the time. */
bool receiver_wait(struct receiver *receiver, int timeout_ms);
