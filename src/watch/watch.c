/* SPDX-License-Identifier: MIT */
#include "watch/watch.h"

#include <math.h>
#include <sys/statvfs.h>

#include "base/duration.h"
#include "base/panic.h"
#include "os/clock.h"
#include "store/figures.h"
#include "store/schema.h"

enum { NOT_FOUND = -1 };

_Static_assert((int)METRIC_PROCESS_TEXTER - METRIC_PROCESS_DISPATCHER == HEARTBEAT_PROCESSES - 1, "in the order of heartbeats");

struct space {
	int64_t free_bytes, size_bytes; /* a number, or NOT_FOUND */
};

/* free_bytes: what an unprivileged program can still write. */
static struct space
space_of(const char *path)
{
	struct statvfs status;
	if (*path == '\0' || statvfs(path, &status) != 0)
		return (struct space){ NOT_FOUND, NOT_FOUND };
	return (struct space){ (int64_t)(status.f_bavail * status.f_frsize), (int64_t)(status.f_blocks * status.f_frsize) };
}

static void
add(struct metrics_figures *figures, enum metric metric, size_t index, double value)
{
	require(figures->count < METRIC_FIGURES_MAX);
	figures->list[figures->count++] = (struct metrics_figure){ metric, index, value };
}

static void
add_age(struct metrics_figures *figures, enum metric metric, int64_t now_ms, int64_t since_ms)
{
	const int64_t age_ms = since_ms < 0 || since_ms > now_ms ? 0 : now_ms - since_ms;
	add(figures, metric, 0, (double)age_ms / SECOND_MS);
}

static void
add_found(struct metrics_figures *figures, const struct store_figures *found)
{
	const uint64_t inactive = found->webhooks_failing + found->webhooks_disabled;
	add(figures, METRIC_ACCOUNTS, 0, (double)found->accounts);
	add(figures, METRIC_CAMPAIGNS, 0, (double)found->campaigns);
	add(figures, METRIC_LEADS, 0, (double)found->leads);
	add(figures, METRIC_WEBHOOKS, METRIC_WEBHOOKS_ACTIVE,
	    found->webhooks > inactive ? (double)(found->webhooks - inactive) : 0);
	add(figures, METRIC_WEBHOOKS, METRIC_WEBHOOKS_FAILING, (double)found->webhooks_failing);
	add(figures, METRIC_WEBHOOKS, METRIC_WEBHOOKS_DISABLED, (double)found->webhooks_disabled);
	add(figures, METRIC_DUE, 0, (double)found->due_now);
	add(figures, METRIC_WAITING, 0, (double)found->due_later);
	add_age(figures, METRIC_OLDEST_DUE, found->now_ms, found->oldest_due_ms);
	add(figures, METRIC_JOBS, 0, (double)found->bulk_jobs);
	add_age(figures, METRIC_OLDEST_JOB, found->now_ms, found->oldest_bulk_ms);
	add(figures, METRIC_OPERATOR_JOBS, 0, (double)found->operator_jobs);
	add(figures, METRIC_LEASES, 0, (double)found->leased_shards);
	for (size_t i = 0; i < HEARTBEAT_PROCESSES; i++)
		add(figures, METRIC_WORKS, METRIC_PROCESS_DISPATCHER + i,
		    found->heartbeats[i].state == HEARTBEAT_OFF ? NAN : (double)found->heartbeats[i].good);
}

/* A database with another schema counts as none: its figures may have another meaning. */
static bool
read_figures(struct store *store, struct pool *pool, struct metrics_figures *figures)
{
	struct store_figures found;
	struct slice directory;
	uint32_t version;
	const bool up = store_ready(store, &version) == RESULT_OK && store_read_figures(store, pool, &found) == RESULT_OK &&
			store_find_data_directory(store, pool, &directory) == RESULT_OK;
	figures->count = 0;
	add(figures, METRIC_DATABASE_UP, 0, up ? 1 : 0);
	if (!up)
		return false;
	add_found(figures, &found);
	const struct space space = space_of(pool_string(pool, directory));
	const bool has_space = space.free_bytes != NOT_FOUND;
	add(figures, METRIC_FREE_BYTES, METRIC_FILESYSTEM_DATABASE, has_space ? (double)space.free_bytes : NAN);
	add(figures, METRIC_SIZE_BYTES, METRIC_FILESYSTEM_DATABASE, has_space ? (double)space.size_bytes : NAN);
	return true;
}

static void
add_figures(struct metrics_page *page, const struct metrics_figures *figures)
{
	for (size_t i = 0; i < figures->count; i++)
		if (!isnan(figures->list[i].value))
			metrics_page_set(page, figures->list[i].metric, figures->list[i].index, figures->list[i].value);
}

void
watch_add_database(struct metrics_page *page, struct pool *pool, struct store *store)
{
	struct metrics_figures figures;
	(void)read_figures(store, pool, &figures);
	add_figures(page, &figures);
}

void
watch_add_shared_database(struct metrics_page *page, struct pool *pool, struct store *store)
{
	struct metrics_figures figures;
	const int64_t begun_ms = clock_monotonic_ms();
	if (!metrics_find_figures(begun_ms, &figures)) {
		const bool complete = read_figures(store, pool, &figures);
		const int64_t ended_ms = clock_monotonic_ms();
		/* after a failure, the next request reads again, and soon notices that the database is back */
		metrics_store_figures(ended_ms, complete ? ended_ms - begun_ms : 0, &figures);
	}
	add_figures(page, &figures);
}

void
watch_add_limiter(struct metrics_page *page, struct limiter *limiter)
{
	for (size_t kind = 0; kind < LIMIT_KINDS; kind++) {
		const enum metric_limit limit = limit_metric((enum limit_kind)kind);
		if (limit != METRIC_LIMIT_COUNT)
			metrics_page_set(page, METRIC_LIMITER_FILL, limit, limiter_fill(limiter, (enum limit_kind)kind));
	}
}

/* The space in the file systems of the state and of the log. */
static void
find_spaces(const char *state_dir, const char *log_file, struct space spaces[METRIC_FILESYSTEM_COUNT])
{
	for (size_t i = 0; i < METRIC_FILESYSTEM_COUNT; i++)
		spaces[i] = (struct space){ NOT_FOUND, NOT_FOUND };
	spaces[METRIC_FILESYSTEM_STATE] = space_of(state_dir);
	spaces[METRIC_FILESYSTEM_LOG] = space_of(log_file);
}

void
watch_add_filesystems(struct metrics_page *page, const char *state_dir, const char *log_file)
{
	struct space spaces[METRIC_FILESYSTEM_COUNT];
	find_spaces(state_dir, log_file, spaces);
	for (size_t i = 0; i < METRIC_FILESYSTEM_COUNT; i++) {
		if (spaces[i].size_bytes == NOT_FOUND)
			continue;
		metrics_page_set(page, METRIC_FREE_BYTES, i, (double)spaces[i].free_bytes);
		metrics_page_set(page, METRIC_SIZE_BYTES, i, (double)spaces[i].size_bytes);
	}
}

size_t
watch_find_disks(struct pool *pool, struct store *store, const char *state_dir, const char *log_file,
    struct watch_disk disks[METRIC_FILESYSTEM_COUNT])
{
#define NAME(name, text) [METRIC_##name] = text,
	static const char *const names[] = { METRIC_FILESYSTEMS(NAME) };
#undef NAME
	struct space spaces[METRIC_FILESYSTEM_COUNT];
	struct slice directory;
	size_t count = 0;
	find_spaces(state_dir, log_file, spaces);
	if (store_find_data_directory(store, pool, &directory) == RESULT_OK)
		spaces[METRIC_FILESYSTEM_DATABASE] = space_of(pool_string(pool, directory));
	for (size_t i = 0; i < METRIC_FILESYSTEM_COUNT; i++)
		if (spaces[i].size_bytes != NOT_FOUND)
			disks[count++] = (struct watch_disk){ names[i], spaces[i].free_bytes, spaces[i].size_bytes };
	return count;
}
