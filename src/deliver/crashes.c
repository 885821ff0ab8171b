/* SPDX-License-Identifier: MIT */
#include "deliver/crashes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/log.h"
#include "base/panic.h"
#include "base/pool.h"
#include "store/queue/dispatch.h"

enum {
	CRASHES_MAX = 32, /* the newest are kept */
	FILE_MAX_BYTES = 4096,
	DEATHS_MAX = 2,
	HOLD_MS = 10 * 60 * 1000 /* of the webhook of a delivery that is ended: the next of its deliveries may do the same */
};

/* As log_work names them: a delivery, a job of which several items were under way, one item of it. */
enum cause { CAUSE_DELIVERY, CAUSE_JOB, CAUSE_ITEM, CAUSES };

static const struct slice cause_names[CAUSES] = {
	[CAUSE_DELIVERY] = SLICE("delivery"),
	[CAUSE_JOB] = SLICE("job"),
	[CAUSE_ITEM] = SLICE("job_item"),
};

struct crash {
	enum cause cause;
	uint64_t id, position; /* the latter of an item alone */
	unsigned count;
};

struct crashes {
	int fd;
	struct crash items[CRASHES_MAX]; /* the oldest first */
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
note(struct crashes *crashes, const struct crash *crash)
{
	for (size_t i = 0; i < crashes->count; i++) {
		struct crash *known = &crashes->items[i];
		if (known->cause == crash->cause && known->id == crash->id && known->position == crash->position) {
			known->count++;
			return;
		}
	}
	if (crashes->count == CRASHES_MAX)
		memmove(crashes->items, crashes->items + 1, --crashes->count * sizeof(*crash));
	crashes->items[crashes->count++] = *crash;
}

/* A line that is not whole, or of something else than these causes, is passed over. False: the file is something else than
 * such lines, and not ours to write over. */
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
			note(crashes, &crash);
	return true;
}

static void
write_file(const struct crashes *crashes)
{
	struct buffer text;
	buffer_init(&text, FILE_MAX_BYTES);
	for (size_t i = 0; i < crashes->count; i++) {
		const struct crash *crash = &crashes->items[i];
		for (unsigned n = 0; n < crash->count && n < DEATHS_MAX; n++) {
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
	crashes->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0640);
	if (crashes->fd < 0) {
		log_warning("cannot_note_crashes", LOG_STR("path", path), LOG_ERRNO(errno));
	} else if (!read_file(crashes)) {
		log_warning("cannot_note_crashes", LOG_STR("path", path), LOG_STR("hint", "remove the file"));
		close(crashes->fd);
		crashes->fd = -1;
	}
	pool_free(&pool);
	panic_note_to(crashes->fd);
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
	panic_note_to(-1);
	close((*crashes)->fd);
	free(*crashes);
	*crashes = NULL;
}

/* ---- what is to be done ---- */

static enum result
end_delivery(struct store *store, const struct crash *crash)
{
	size_t done = 0;
	enum result result = store_fail_crashed(store, crash->id, HOLD_MS, &done);
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

/* Among the items of the job that crashed together it may have been. */
static unsigned
crashes_of(const struct crashes *crashes, const struct crash *crash)
{
	unsigned count = crash->count;
	for (size_t i = 0; i < crashes->count && crash->cause == CAUSE_ITEM; i++)
		if (crashes->items[i].cause == CAUSE_JOB && crashes->items[i].id == crash->id)
			count += crashes->items[i].count;
	return count;
}

/* And with an item the crashes of its job. */
static void
forget(struct crashes *crashes, const struct crash *settled)
{
	const struct crash crash = *settled;
	size_t kept = 0;
	for (size_t i = 0; i < crashes->count; i++) {
		const struct crash *other = &crashes->items[i];
		const bool delivery = other->cause == CAUSE_DELIVERY;
		if (other->id != crash.id || delivery != (crash.cause == CAUSE_DELIVERY))
			crashes->items[kept++] = *other;
	}
	crashes->count = kept;
}

static struct crash *
find_cause(struct crashes *crashes)
{
	for (size_t i = 0; i < crashes->count; i++) {
		struct crash *crash = &crashes->items[i];
		if (crash->cause != CAUSE_JOB && crashes_of(crashes, crash) >= DEATHS_MAX)
			return crash;
	}
	return NULL;
}

enum result
crashes_settle(struct crashes *crashes, struct store *store)
{
	enum result result = RESULT_OK;
	const struct crash *crash;
	while ((crash = find_cause(crashes)) != NULL) {
		result = crash->cause == CAUSE_DELIVERY ? end_delivery(store, crash) : skip_item(store, crash);
		if (result == RESULT_UNAVAILABLE || result == RESULT_UNKNOWN)
			return result;
		if (result == RESULT_CONFLICT) /* something else stands in the way: the next process tries again */
			break;
		forget(crashes, crash);
	}
	write_file(crashes);
	return RESULT_OK;
}

bool
crashes_suspect_job(const struct crashes *crashes, uint64_t job_id)
{
	for (size_t i = 0; crashes != NULL && i < crashes->count; i++)
		if (crashes->items[i].cause != CAUSE_DELIVERY && crashes->items[i].id == job_id)
			return true;
	return false;
}
