/* SPDX-License-Identifier: MIT
 * Requests that crash committers (leadhook-fcgi(8)). Committers record their current requests in memory that the parent shares.
 * After a crash, the next committer treats these requests as suspects and runs them one by one, after all others. A request
 * that crashes a committer again while it runs alone is refused for a while, then retried alone.
 *
 * A request is identified by its kind, campaign and lead, not by its other content. So retries of the client match, and
 * other requests for the same damaged row. When several requests of a campaign are refused, all its requests are. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/duration.h"
#include "commit/codec.h"

enum {
	SUSPECTS_BATCH_MAX = 128,             /* maximum of requests in a batch */
	SUSPECTS_REFUSED_MS = 10 * MINUTE_MS, /* how long a request is refused, and then remains a suspect */
	SUSPECTS_CAMPAIGN_MAX = 3             /* once this many requests of a campaign are refused, all of them are */
};

struct suspects;

/* Called by the parent before it forks. Returns NULL with errno set when there is no memory. */
MUST_CHECK struct suspects *suspects_new(void);
void suspects_free(struct suspects **suspects);

/* Records as suspects the requests that crashed committers were executing, and logs this. Must be called regularly, because a
 * committer may still be alive at the first call. Times are in clock_monotonic_ms. */
void suspects_recover(struct suspects *suspects, int64_t now_ms);
/* Whether there are any suspects. */
MUST_CHECK bool suspects_any(const struct suspects *suspects, int64_t now_ms);

enum suspicion { SUSPICION_NONE, SUSPICION_ALONE, SUSPICION_REFUSED };
MUST_CHECK enum suspicion suspects_judge(const struct suspects *suspects, const struct commit_request *request, int64_t now_ms);
/* Removes a request that has run without a crash. */
void suspects_clear(struct suspects *suspects, const struct commit_request *request);

/* Called before and after a batch runs. */
void suspects_begin(struct suspects *suspects, const struct commit_request *const *requests, size_t count);
void suspects_end(struct suspects *suspects);
