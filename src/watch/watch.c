/* SPDX-License-Identifier: MIT */
#include "watch/watch.h"

#include <sys/statvfs.h>

#include "os/clock.h"
#include "store/figures.h"
#include "store/schema.h"

enum { MS_PER_S = 1000, NOT_FOUND = -1 };

/* What processes of a host share; NOT_FOUND: left out. */
enum figure {
	FIGURE_UP,
	FIGURE_ACCOUNTS,
	FIGURE_CAMPAIGNS,
	FIGURE_LEADS,
	FIGURE_WEBHOOKS_ACTIVE,
	FIGURE_WEBHOOKS_FAILING,
	FIGURE_WEBHOOKS_DISABLED,
	FIGURE_DUE,
	FIGURE_WAITING,
	FIGURE_OLDEST_DUE_MS,
	FIGURE_JOBS,
	FIGURE_OLDEST_JOB_MS,
	FIGURE_OPERATOR_JOBS,
	FIGURE_LEASES,
	FIGURE_DISPATCHER_WORKS,
	FIGURE_MAILER_WORKS,
	FIGURE_TEXTER_WORKS,
	FIGURE_FREE_BYTES,
	FIGURE_SIZE_BYTES,
	FIGURES
};
_Static_assert((int)FIGURES <= (int)METRIC_FIGURES_MAX, "room for all");
_Static_assert(FIGURE_TEXTER_WORKS - FIGURE_DISPATCHER_WORKS == HEARTBEAT_PROCESSES - 1, "in the order of heartbeats");

static const struct {
	enum metric metric;
	size_t index;
	double unit;
} gauges[FIGURES] = {
	[FIGURE_UP] = { METRIC_DATABASE_UP, 0, 1 },
	[FIGURE_ACCOUNTS] = { METRIC_ACCOUNTS, 0, 1 },
	[FIGURE_CAMPAIGNS] = { METRIC_CAMPAIGNS, 0, 1 },
	[FIGURE_LEADS] = { METRIC_LEADS, 0, 1 },
	[FIGURE_WEBHOOKS_ACTIVE] = { METRIC_WEBHOOKS, METRIC_WEBHOOKS_ACTIVE, 1 },
	[FIGURE_WEBHOOKS_FAILING] = { METRIC_WEBHOOKS, METRIC_WEBHOOKS_FAILING, 1 },
	[FIGURE_WEBHOOKS_DISABLED] = { METRIC_WEBHOOKS, METRIC_WEBHOOKS_DISABLED, 1 },
	[FIGURE_DUE] = { METRIC_DUE, 0, 1 },
	[FIGURE_WAITING] = { METRIC_WAITING, 0, 1 },
	[FIGURE_OLDEST_DUE_MS] = { METRIC_OLDEST_DUE, 0, 1.0 / MS_PER_S },
	[FIGURE_JOBS] = { METRIC_JOBS, 0, 1 },
	[FIGURE_OLDEST_JOB_MS] = { METRIC_OLDEST_JOB, 0, 1.0 / MS_PER_S },
	[FIGURE_OPERATOR_JOBS] = { METRIC_OPERATOR_JOBS, 0, 1 },
	[FIGURE_LEASES] = { METRIC_LEASES, 0, 1 },
	[FIGURE_DISPATCHER_WORKS] = { METRIC_WORKS, METRIC_PROCESS_DISPATCHER, 1 },
	[FIGURE_MAILER_WORKS] = { METRIC_WORKS, METRIC_PROCESS_MAILER, 1 },
	[FIGURE_TEXTER_WORKS] = { METRIC_WORKS, METRIC_PROCESS_TEXTER, 1 },
	[FIGURE_FREE_BYTES] = { METRIC_FREE_BYTES, METRIC_FILESYSTEM_DATABASE, 1 },
	[FIGURE_SIZE_BYTES] = { METRIC_SIZE_BYTES, METRIC_FILESYSTEM_DATABASE, 1 },
};

struct space {
	int64_t free_bytes, size_bytes; /* or NOT_FOUND */
};

/* What an unprivileged program may still write. */
static struct space
space_of(const char *path)
{
	struct statvfs status;
	if (*path == '\0' || statvfs(path, &status) != 0)
		return (struct space){ NOT_FOUND, NOT_FOUND };
	return (struct space){ (int64_t)(status.f_bavail * status.f_frsize), (int64_t)(status.f_blocks * status.f_frsize) };
}

/* 0: none. */
static int64_t
age_ms(int64_t now_ms, int64_t since_ms)
{
	return since_ms < 0 || since_ms > now_ms ? 0 : now_ms - since_ms;
}

static void
set_figures(const struct store_figures *found, int64_t *values)
{
	const uint64_t inactive = found->webhooks_failing + found->webhooks_disabled;
	values[FIGURE_UP] = 1;
	values[FIGURE_ACCOUNTS] = (int64_t)found->accounts;
	values[FIGURE_CAMPAIGNS] = (int64_t)found->campaigns;
	values[FIGURE_LEADS] = (int64_t)found->leads;
	values[FIGURE_WEBHOOKS_ACTIVE] = (int64_t)(found->webhooks > inactive ? found->webhooks - inactive : 0);
	values[FIGURE_WEBHOOKS_FAILING] = (int64_t)found->webhooks_failing;
	values[FIGURE_WEBHOOKS_DISABLED] = (int64_t)found->webhooks_disabled;
	values[FIGURE_DUE] = (int64_t)found->due_now;
	values[FIGURE_WAITING] = (int64_t)found->due_later;
	values[FIGURE_OLDEST_DUE_MS] = age_ms(found->now_ms, found->oldest_due_ms);
	values[FIGURE_JOBS] = (int64_t)found->bulk_jobs;
	values[FIGURE_OLDEST_JOB_MS] = age_ms(found->now_ms, found->oldest_bulk_ms);
	values[FIGURE_OPERATOR_JOBS] = (int64_t)found->operator_jobs;
	values[FIGURE_LEASES] = (int64_t)found->leased_shards;
	for (size_t i = 0; i < HEARTBEAT_PROCESSES; i++)
		values[FIGURE_DISPATCHER_WORKS + i] =
		    found->heartbeats[i].state == HEARTBEAT_OFF ? NOT_FOUND : (int64_t)found->heartbeats[i].good;
}

/* Another schema is as good as no database: its numbers may mean something else. */
static bool
read_figures(struct store *store, struct pool *pool, struct metrics_figures *figures)
{
	struct store_figures found;
	struct slice directory;
	uint32_t version;
	for (size_t i = 0; i < FIGURES; i++)
		figures->values[i] = NOT_FOUND;
	figures->values[FIGURE_UP] = 0;
	if (store_ready(store, &version) != RESULT_OK || store_read_figures(store, pool, &found) != RESULT_OK ||
	    store_find_data_directory(store, pool, &directory) != RESULT_OK)
		return false;
	set_figures(&found, figures->values);
	const struct space space = space_of(pool_string(pool, directory));
	figures->values[FIGURE_FREE_BYTES] = space.free_bytes;
	figures->values[FIGURE_SIZE_BYTES] = space.size_bytes;
	return true;
}

static void
add_figures(struct metrics_page *page, const struct metrics_figures *figures)
{
	for (size_t i = 0; i < FIGURES; i++)
		if (figures->values[i] != NOT_FOUND)
			metrics_page_set(page, gauges[i].metric, gauges[i].index, (double)figures->values[i] * gauges[i].unit);
}

void
watch_add_database(struct metrics_page *page, struct pool *pool, struct store *store)
{
	struct metrics_figures figures = { { 0 } };
	(void)read_figures(store, pool, &figures);
	add_figures(page, &figures);
}

void
watch_add_shared_database(struct metrics_page *page, struct pool *pool, struct store *store)
{
	struct metrics_figures figures = { { 0 } };
	const int64_t begun_ms = clock_monotonic_ms();
	if (!metrics_find_figures(begun_ms, &figures)) {
		const bool complete = read_figures(store, pool, &figures);
		const int64_t ended_ms = clock_monotonic_ms();
		/* after a failure, a database that is there again is noticed soon */
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

/* The space of the file systems of the state and the log. */
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
