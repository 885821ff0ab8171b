/* SPDX-License-Identifier: MIT */
#include "store/removal/resume.h"

#include <string.h>

#include "base/duration.h"
#include "os/clock.h"
#include "os/log.h"
#include "store/removal/campaigns.h"

/* Bulk work, which callers wait for, is done between turns (deliver/maintenance.h). */
enum { STALLED_MS = MINUTE_MS, TURN_MS = 200 };

static enum result
find_removal(struct store *store, int64_t idle_ms, unsigned char id[ERASURE_ID_SIZE], bool *found)
{
	uint64_t campaign_id = 0;
	const enum result result = store_find_removal(store, idle_ms, &campaign_id, found);
	memset(id, 0, ERASURE_ID_SIZE);
	memcpy(id, &campaign_id, sizeof(campaign_id));
	return result;
}

static enum result
continue_removal(struct store *store, const unsigned char id[ERASURE_ID_SIZE], struct removal_counts *counts, bool *done)
{
	return store_continue_removal(store, erasure_number(id), counts, done);
}

static const struct {
	const char *name, *finished, *failed; /* in the log */
	enum result (*find)(struct store *store, int64_t idle_ms, unsigned char id[ERASURE_ID_SIZE], bool *found);
	enum result (*go_on)(
	    struct store *store, const unsigned char id[ERASURE_ID_SIZE], struct removal_counts *counts, bool *done);
	enum result (*postpone)(struct store *store, uint64_t number, int64_t more_ms);
} kinds[RESUMED_KINDS] = {
	{ "erasure", "erasure_finished", "erasure_failed", store_find_erasure, store_continue_erasure, store_postpone_erasure },
	{ "removal", "removal_finished", "removal_failed", find_removal, continue_removal, store_postpone_removal },
};

static void
drop(struct resumed_kind *resumed, size_t place)
{
	resumed->works[place] = resumed->works[--resumed->count];
}

static enum result
take_turn(struct store *store, size_t kind, struct resumed_kind *resumed, size_t place)
{
	struct resumed_work *work = &resumed->works[place];
	const int64_t end_ms = clock_monotonic_ms() + TURN_MS;
	enum result result = RESULT_OK;
	bool done = false;
	log_work(LOG_UINT(kinds[kind].name, erasure_number(work->id)));
	while (result == RESULT_OK && !done && clock_monotonic_ms() < end_ms)
		result = kinds[kind].go_on(store, work->id, &work->counts, &done);
	if (done)
		log_info(kinds[kind].finished, LOG_UINT("leads", work->counts.leads), LOG_UINT("events", work->counts.events));
	else if (result != RESULT_OK) {
		/* the database may be away, or this work may need a newer version or hit a defect: the others continue */
		log_error(kinds[kind].failed, LOG_STR("result", result_text(result)));
		result = kinds[kind].postpone(store, erasure_number(work->id), 0);
		done = true;
	}
	log_work_done();
	if (done)
		drop(resumed, place);
	return result;
}

/* Takes over one more removal, if one is stalled. If there are already RESUMED_MAX, it replaces the one that had the last turn,
 * which is then stalled itself. Then the next one has its turn. *more: there was one. */
static enum result
resume(struct store *store, size_t kind, struct resumed_kind *resumed, bool *more)
{
	struct resumed_work found = { 0 };
	bool stands_still = false;
	enum result result = kinds[kind].find(store, STALLED_MS, found.id, &stands_still);
	if (result == RESULT_OK && stands_still) {
		if (resumed->count == RESUMED_MAX)
			drop(resumed, resumed->next);
		resumed->works[resumed->count++] = found;
		/* if this work ends the process, the next process begins with other work */
		result = kinds[kind].postpone(store, erasure_number(found.id), 0);
	}
	if (result != RESULT_OK || resumed->count == 0)
		return result;
	*more = true;
	resumed->next = (resumed->next + 1) % resumed->count;
	return take_turn(store, kind, resumed, resumed->next);
}

enum result
store_resume_removals(struct store *store, struct resumed_removals *resumed, bool *more)
{
	enum result result = RESULT_OK;
	*more = false;
	for (size_t i = 0; i < RESUMED_KINDS && result == RESULT_OK; i++)
		result = resume(store, i, &resumed->kinds[i], more);
	return result;
}
