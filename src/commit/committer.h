/* SPDX-License-Identifier: MIT
 * The process that runs the commands of all responders. Commands that arrive during a batch form the next one, so that a burst
 * needs one commit for many requests. It also looks up leads, keys and campaigns. */
#pragma once

#include "base/attributes.h"
#include "commit/endpoint.h"
#include "commit/suspects.h"
#include "os/wake.h"
#include "store/store.h"

/* Maximum of commands in a batch, and of leads in its commands, unless a single command has more. */
enum { COMMITTER_BATCH_MAX = SUSPECTS_BATCH_MAX, COMMITTER_LEADS_MAX = 256 };
/* Maximum of keys and campaigns read from the database between two batches, so that unknown ones do not delay sign-ups. */
enum { COMMITTER_READS_MAX = 32 };

enum committer_state {
	COMMITTER_READY, /* requests are accepted; reported once */
	COMMITTER_BUSY,  /* reported before work */
	COMMITTER_IDLE   /* reported before each wait for events; at least every second if there is no work */
};

struct committer_options {
	const struct endpoint *endpoint;
	struct store *store; /* owned by the caller */
	struct suspects *suspects;
	struct wake_sender *dispatcher; /* gets a wake after a batch that made deliveries; NULL: no wake */
	struct wake_sender *mailer;     /* gets a wake after a batch that made messages; NULL: no wake */
	int64_t idle_ms;                /* time after which an idle connection to the database is closed */
	/* the committer counts as stuck when the next report takes too long */
	void (*report)(void *context, enum committer_state state);
	void *context;
};

/* Runs until SIGTERM; it and SIGUSR2 must be blocked. After SIGTERM, it accepts no more connections, runs and answers all
 * complete requests, and returns a status of sysexits.h. */
MUST_CHECK int committer_run(const struct committer_options *options);
