/* SPDX-License-Identifier: MIT */
#include "deliver/crashes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/duration.h"
#include "base/pool.h"
#include "os/crash.h"
#include "os/folder.h"
#include "os/log.h"
#include "os/metrics.h"
#include "store/queue/bulk_jobs.h"
#include "store/queue/operator_jobs.h"
#include "store/queue/outcomes.h"
#include "store/removal/campaigns.h"
#include "store/removal/erase.h"

enum {
	CRASHES_MAX = 32, /* the oldest are discarded first */
	FILE_MAX_BYTES = 4096,
	CRASH_LIMIT = 2,
	HOLD_MS = 10 * MINUTE_MS, /* hold of a failed delivery's webhook, whose next delivery may also cause a crash */
	REMOVAL_MS = DAY_MS       /* until an erasure or removal is tried again */
};

/* The keys that log_work writes: a delivery, a job of an operator, a bulk job with several items under way, or a single item,
 * an erasure or a removal. */
enum cause { CAUSE_DELIVERY, CAUSE_OPERATOR, CAUSE_JOB, CAUSE_ITEM, CAUSE_ERASURE, CAUSE_REMOVAL, CAUSES };

static const struct slice cause_names[CAUSES] = {
	[CAUSE_DELIVERY] = SLICE("delivery"),
	[CAUSE_OPERATOR] = SLICE("operator_job"),
	[CAUSE_JOB] = SLICE("job"),
	[CAUSE_ITEM] = SLICE("job_item"),
	[CAUSE_ERASURE] = SLICE("erasure"),
	[CAUSE_REMOVAL] = SLICE("removal"),
};

struct crash {
	enum cause cause;
	uint64_t id, position; /* `position` for CAUSE_ITEM only */
	unsigned count;
};

struct crashes {
	int fd;
	struct crash items[CRASHES_MAX]; /* oldest first */
	size_t count;
};

/* ---- the file ---- */

static bool
parse(struct slice line, struct crash *crash)
{
	struct slice name, id;
	*crash = (struct crash){ .cause = CAUSE_DELIVERY, .count = 1 };
	if (!slice_next(&line, '=', &name))
		return false;
	while (crash->cause < CAUSES && !slice_equal(name, cause_names[crash->cause]))
		crash->cause++;
	if (crash->cause != CAUSE_ITEM)
		return crash->cause != CAUSES && slice_to_u64(line, UINT64_MAX, &crash->id);
	return slice_next(&line, '/', &id) && slice_to_u64(id, UINT64_MAX, &crash->id) &&
	       slice_to_u64(line, UINT32_MAX, &crash->position);
}

static void
add_crash(struct crashes *crashes, const struct crash *crash)
{
	for (size_t i = 0; i < crashes->count; i++) {
		struct crash *other = &crashes->items[i];
		if (other->cause == crash->cause && other->id == crash->id && other->position == crash->position) {
			other->count++;
			return;
		}
	}
	if (crashes->count == CRASHES_MAX)
		memmove(crashes->items, crashes->items + 1, --crashes->count * sizeof(*crash));
	crashes->items[crashes->count++] = *crash;
}

/* Ignores incomplete lines and lines with other keys. Returns false when the file contains anything else. Then it is not our
 * file, and is not overwritten. */
static bool
read_file(struct crashes *crashes)
{
	static const char ours[] = "abcdefghijklmnopqrstuvwxyz_=0123456789/\n";
	char text[FILE_MAX_BYTES + 1];
	struct stat status;
	ssize_t size =
	    fstat(crashes->fd, &status) == 0 && S_ISREG(status.st_mode) ? pread(crashes->fd, text, sizeof(text), 0) : -1;
	if (size < 0 || size > FILE_MAX_BYTES)
		return false;
	text[size] = '\0';
	if (strspn(text, ours) != (size_t)size)
		return false;
	while (size > 0 && text[size - 1] != '\n')
		size--;
	struct slice rest = { text, (size_t)size }, line;
	struct crash crash;
	while (slice_next(&rest, '\n', &line))
		if (parse(line, &crash))
			add_crash(crashes, &crash);
	return true;
}

static void
write_file(const struct crashes *crashes)
{
	struct buffer text;
	buffer_init(&text, FILE_MAX_BYTES);
	for (size_t i = 0; i < crashes->count; i++) {
		const struct crash *crash = &crashes->items[i];
		for (unsigned n = 0; n < crash->count && n < CRASH_LIMIT; n++) {
			buffer_add(&text, cause_names[crash->cause]);
			buffer_add_byte(&text, '=');
			buffer_add_u64(&text, crash->id);
			if (crash->cause == CAUSE_ITEM)
				buffer_printf(&text, "/%llu", (unsigned long long)crash->position);
			buffer_add_byte(&text, '\n');
		}
	}
	struct slice lines = buffer_slice(&text);
	if (ftruncate(crashes->fd, 0) != 0 || write(crashes->fd, lines.data, lines.size) != (ssize_t)lines.size)
		log_warning("cannot_write_crashes", LOG_ERRNO(errno));
	buffer_free(&text);
}

struct crashes *
crashes_open(const char *lock_path)
{
	struct pool *pool = pool_new();
	const char *path = pool_printf(pool, "%s.crashes", lock_path).data;
	struct crashes *crashes = memory_alloc(sizeof(*crashes));
	crashes->fd = folder_open_file(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW);
	if (crashes->fd < 0) {
		log_warning("cannot_note_crashes", LOG_STR("path", path), LOG_ERRNO(errno));
	} else if (!read_file(crashes)) {
		log_warning("cannot_note_crashes", LOG_STR("path", path), LOG_STR("hint", "remove the file"));
		close(crashes->fd);
		crashes->fd = -1;
	}
	pool_free(&pool);
	crash_note_to(crashes->fd);
	if (crashes->fd < 0) {
		free(crashes);
		return NULL;
	}
	return crashes;
}

void
crashes_free(struct crashes **crashes)
{
	if (*crashes == NULL)
		return;
	crash_note_to(-1);
	close((*crashes)->fd);
	free(*crashes);
	*crashes = NULL;
}

/* ---- applying ---- */

static enum result
end_delivery(struct store *store, const struct crash *crash)
{
	size_t done = 0;
	enum result result = store_fail_crashed(store, crash->id, HOLD_MS, &done);
	metrics_add(METRIC_DELIVERIES, METRIC_ENDED_FAILED, done);
	if (done > 0)
		log_error("delivery_failed", LOG_UINT("delivery", crash->id), LOG_STR("error", "crashed"),
		    LOG_UINT("crashes", crash->count));
	return result;
}

static enum result
skip_item(struct store *store, const struct crash *crash)
{
	enum result result = store_skip_job_item(store, crash->id, (uint32_t)crash->position);
	if (result == RESULT_OK)
		log_error("bulk_item_skipped", LOG_UINT("job", crash->id), LOG_UINT("item", crash->position),
		    LOG_STR("error", "crashed"), LOG_UINT("crashes", crash->count));
	return result;
}

static enum result
end_job(struct store *store, const struct crash *crash)
{
	enum result result = store_fail_job(store, crash->id, SLICE("the dispatcher crashed twice while it worked on it"));
	if (result == RESULT_OK)
		log_error("job_failed", LOG_UINT("operator_job", crash->id), LOG_STR("error", "crashed"),
		    LOG_UINT("crashes", crash->count));
	return result;
}

/* Postpones an erasure or a removal; the dispatcher does other work in the meantime. */
static enum result
postpone(struct store *store, const struct crash *crash)
{
	const bool erases = crash->cause == CAUSE_ERASURE;
	const enum result result = erases ? store_postpone_erasure(store, crash->id, REMOVAL_MS)
					  : store_postpone_removal(store, crash->id, REMOVAL_MS);
	if (result == RESULT_OK)
		log_error(erases ? "erasure_failed" : "removal_failed", LOG_UINT(erases ? "erasure" : "removal", crash->id),
		    LOG_STR("error", "crashed"), LOG_UINT("crashes", crash->count));
	return result;
}

/* After crashes during a bulk job, the item that was under way is taken to be the cause (find_cause). */
static enum result (*const ends[CAUSES])(struct store *store, const struct crash *crash) = {
	[CAUSE_DELIVERY] = end_delivery,
	[CAUSE_OPERATOR] = end_job,
	[CAUSE_ITEM] = skip_item,
	[CAUSE_ERASURE] = postpone,
	[CAUSE_REMOVAL] = postpone,
};

/* The count for an item includes the crashes of the whole job, because this item may have caused them. */
static unsigned
crashes_of(const struct crashes *crashes, const struct crash *crash)
{
	unsigned count = crash->count;
	for (size_t i = 0; i < crashes->count && crash->cause == CAUSE_ITEM; i++)
		if (crashes->items[i].cause == CAUSE_JOB && crashes->items[i].id == crash->id)
			count += crashes->items[i].count;
	return count;
}

static bool
is_of_bulk_job(const struct crash *crash)
{
	return crash->cause == CAUSE_JOB || crash->cause == CAUSE_ITEM;
}

/* For an item, this includes the crashes of its job. */
static void
remove_crash(struct crashes *crashes, const struct crash *handled)
{
	const struct crash crash = *handled;
	size_t remaining = 0;
	for (size_t i = 0; i < crashes->count; i++) {
		const struct crash *other = &crashes->items[i];
		const bool same = other->cause == crash.cause || (is_of_bulk_job(other) && is_of_bulk_job(&crash));
		if (other->id != crash.id || !same)
			crashes->items[remaining++] = *other;
	}
	crashes->count = remaining;
}

static struct crash *
find_cause(struct crashes *crashes)
{
	for (size_t i = 0; i < crashes->count; i++) {
		struct crash *crash = &crashes->items[i];
		if (crash->cause != CAUSE_JOB && crashes_of(crashes, crash) >= CRASH_LIMIT)
			return crash;
	}
	return NULL;
}

enum result
crashes_isolate(struct crashes *crashes, struct store *store)
{
	enum result result = RESULT_OK;
	const struct crash *crash;
	while ((crash = find_cause(crashes)) != NULL) {
		result = ends[crash->cause](store, crash);
		if (result == RESULT_UNAVAILABLE || result == RESULT_UNKNOWN)
			return result;
		if (result == RESULT_CONFLICT) /* locked by another transaction: the next process tries again */
			break;
		remove_crash(crashes, crash);
	}
	write_file(crashes);
	return RESULT_OK;
}

bool
crashes_suspect_job(const struct crashes *crashes, uint64_t job_id)
{
	for (size_t i = 0; crashes != NULL && i < crashes->count; i++)
		if (is_of_bulk_job(&crashes->items[i]) && crashes->items[i].id == job_id)
			return true;
	return false;
}
