/* SPDX-License-Identifier: MIT
 * The process that carries out the commands of all responders: whatever has come while the last batch ran is the next one, so
 * a burst costs one commit for many requests. It also looks up leads, keys and campaigns for them. */
#ifndef LEADHOOK_COMMIT_COMMITTER_H
#define LEADHOOK_COMMIT_COMMITTER_H

#include "base/attributes.h"
#include "commit/endpoint.h"
#include "commit/suspects.h"
#include "store/store.h"

/* A batch has at least one command, and at most so many, that name at most so many leads. */
enum { COMMITTER_BATCH_MAX = SUSPECTS_BATCH_MAX, COMMITTER_LEADS_MAX = 256 };
/* Keys and campaigns that are read from the database between two batches: unknown ones must not keep sign-ups waiting. */
enum { COMMITTER_READS_MAX = 32 };

struct committer_options {
	const struct endpoint *endpoint;
	struct store *store; /* the caller's */
	struct suspects *suspects;
	int64_t idle_ms; /* after which a connection to the database is closed */
	/* Told when requests are taken; that there is work, before it and again before each time that the database is asked: it
	 * is stuck when that takes too long; and each second that there is none: it is stuck when it does not say so. */
	void (*ready)(void *context);
	void (*busy)(void *context, bool busy);
	void *context;
};

/* Works until SIGTERM, which must be blocked: then takes no more connections, carries out what was sent wholly, answers all
 * of it and ends. Answers a status of sysexits.h. */
MUST_CHECK int committer_run(const struct committer_options *options);

#endif
