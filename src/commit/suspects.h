/* SPDX-License-Identifier: MIT
 * Requests that committers die of (leadhook-fcgi(8)). Which ones are under way is noted in memory that a parent shares with its
 * committers; what a dead one was at, the next one suspects, and carries out one by one, after all others. A request that was
 * alone at a second death is refused for a while, then tried again, alone.
 *
 * A request is known by what it is about – kind, campaign, lead – and not by its text: so are the client's next tries, and a
 * row that cannot be read fails whatever comes with the lead. When several requests of a campaign are refused, all of it is. */
#ifndef LEADHOOK_COMMIT_SUSPECTS_H
#define LEADHOOK_COMMIT_SUSPECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "commit/codec.h"

enum {
	SUSPECTS_BATCH_MAX = 128,             /* requests that are under way together */
	SUSPECTS_REFUSED_MS = 10 * 60 * 1000, /* how long one is refused, and is a suspect afterwards */
	SUSPECTS_CAMPAIGN_MAX = 3             /* refused requests of a campaign, and all of it is */
};

struct suspects;

/* In the parent, before it forks. NULL, errno set, when there is no memory. */
MUST_CHECK struct suspects *suspects_new(void);
/* *suspects may be NULL, becomes NULL. */
void suspects_free(struct suspects **suspects);

/* Suspects what dead committers were at, which is logged. Call it often: a process may be dead a while later. Times are those
 * of clock_monotonic_ms. */
void suspects_recover(struct suspects *suspects, int64_t now_ms);
/* Whether any request is a suspect at all. */
MUST_CHECK bool suspects_any(const struct suspects *suspects, int64_t now_ms);

enum suspicion { SUSPICION_NONE, SUSPICION_ALONE, SUSPICION_REFUSED };
MUST_CHECK enum suspicion suspects_judge(const struct suspects *suspects, const struct commit_request *request, int64_t now_ms);
/* It was carried out, and nobody died. */
void suspects_clear(struct suspects *suspects, const struct commit_request *request);

/* Around the work. */
void suspects_begin(struct suspects *suspects, const struct commit_request *const *requests, size_t count);
void suspects_end(struct suspects *suspects);

#endif
