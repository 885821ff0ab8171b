/* SPDX-License-Identifier: MIT
 * Finishes erasures and removals whose process has died. */
#include "base/clock.h"
#include "base/log.h"
#include "store/removal/removal.h"

enum { STALLED_MS = 60000, TURN_MS = 1000 };

/* One that fails, because of a defect or because a newer version has begun it, must not hold up the others. */
static bool
fails(enum result result)
{
	return result != RESULT_OK && result != RESULT_UNAVAILABLE && result != RESULT_UNKNOWN;
}

static enum result
resume_erasure(struct store *store, struct resumed_removals *resumed)
{
	enum result result = RESULT_OK;
	bool done = false;
	if (!resumed->erases)
		result = store_find_erasure(store, STALLED_MS, resumed->erasure, &resumed->erases);
	const int64_t end_ms = clock_monotonic_ms() + TURN_MS;
	while (result == RESULT_OK && resumed->erases && !done && clock_monotonic_ms() < end_ms)
		result = store_continue_erasure(store, resumed->erasure, &resumed->counts, &done);
	if (fails(result)) {
		log_error("erasure_failed", LOG_STR("result", result_text(result)));
		const enum result postponed = store_postpone_erasure(store, resumed->erasure);
		*resumed = (struct resumed_removals){ 0 };
		return postponed;
	}
	if (!done)
		return result;
	log_info("erasure_finished", LOG_UINT("leads", resumed->counts.leads));
	*resumed = (struct resumed_removals){ 0 };
	return RESULT_OK;
}

static enum result
resume_removal(struct store *store, struct resumed_removals *resumed)
{
	enum result result = RESULT_OK;
	bool done = false;
	if (!resumed->removes)
		result = store_find_removal(store, STALLED_MS, &resumed->campaign_id, &resumed->removes);
	const int64_t end_ms = clock_monotonic_ms() + TURN_MS;
	while (result == RESULT_OK && resumed->removes && !done && clock_monotonic_ms() < end_ms)
		result = store_continue_removal(store, resumed->campaign_id, &resumed->counts, &done);
	if (fails(result)) {
		log_error("removal_failed", LOG_UINT("campaign", resumed->campaign_id), LOG_STR("result", result_text(result)));
		const enum result postponed = store_postpone_removal(store, resumed->campaign_id);
		*resumed = (struct resumed_removals){ 0 };
		return postponed;
	}
	if (!done)
		return result;
	log_info("removal_finished", LOG_UINT("campaign", resumed->campaign_id), LOG_UINT("leads", resumed->counts.leads));
	*resumed = (struct resumed_removals){ 0 };
	return RESULT_OK;
}

enum result
store_resume_removals(struct store *store, struct resumed_removals *resumed, bool *more)
{
	const enum result result = resumed->removes ? RESULT_OK : resume_erasure(store, resumed);
	*more = resumed->erases || resumed->removes;
	if (result != RESULT_OK || resumed->erases)
		return result;
	const enum result removed = resume_removal(store, resumed);
	*more = resumed->removes;
	return removed;
}
