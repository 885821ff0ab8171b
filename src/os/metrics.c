/* SPDX-License-Identifier: MIT */
#include "os/metrics.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/panic.h"
#include "base/pool.h"
#include "os/descriptors.h"
#include "os/log.h"
#include "os/metrics_table.h"
#include "os/shared.h"

static const char file_name[] = "metrics";

/* A running process. For a moment, a new process has the kind of the previous process in its place. */
struct process {
	_Atomic uint64_t identity; /* 0: free */
	_Atomic uint32_t kind;
	_Atomic uint32_t busy, under_way;
};

/* The contents of the file. Zeros: nothing has happened. */
struct memory {
	_Atomic uint64_t cells[METRIC_CELLS_MAX];
	struct process processes[METRIC_PROCESSES_MAX];
	struct {
		_Atomic uint32_t metric, index;
		_Atomic double value;
	} figures[METRIC_FIGURES_MAX];
	_Atomic uint64_t figure_count;
	_Atomic int64_t figures_ms;    /* when they were read, in clock_monotonic_ms; 0: never */
	_Atomic int64_t figures_until; /* until then they are recent enough */
	_Atomic int64_t reading_until; /* a process is reading them, and has time until then */
};

enum {
	FIGURES_NEW_MS = 5000,
	FIGURES_SHARE = 100,            /* reading them takes at most 1 part in 1 + FIGURES_SHARE of the time */
	FIGURES_OLD_MS = 5 * MINUTE_MS, /* figures never get older than this, however long reading takes */
	READING_MS = 30000
};

static struct memory before_open; /* of this process alone */
static struct process uncounted;  /* where processes that are not counted report */
static struct memory *memory = &before_open;
static struct process *own = &uncounted;
static struct shared shared; /* its mapping is NULL before metrics_open */

static void
fill_layout(unsigned char layout[SHARED_LAYOUT_SIZE])
{
	const uint64_t numbers[] = { metrics_table_digest(), sizeof(struct memory) };
	_Static_assert(sizeof(numbers) <= SHARED_LAYOUT_SIZE, "they fit");
	memset(layout, 0, SHARED_LAYOUT_SIZE);
	memcpy(layout, numbers, sizeof(numbers));
}

/* Moves the counts to other memory. What was counted before the first call is counted there, too. */
static void
use(struct shared *opened)
{
	struct memory *next = (struct memory *)(void *)opened->memory;
	const bool counted = own != &uncounted;
	const enum metric_process kind = (enum metric_process)own->kind;
	for (size_t i = 0; memory == &before_open && i < metrics_cell_count(); i++)
		if (before_open.cells[i] != 0)
			atomic_fetch_add_explicit(&next->cells[i], before_open.cells[i], memory_order_relaxed);
	metrics_process_end();
	shared_close(&shared);
	shared = *opened;
	memory = next;
	if (counted)
		metrics_process_begin(kind);
}

/* The responders create the folder; if it does not exist, nothing is shared. */
static bool
open_file(const char *folder, enum log_level level, struct shared *opened)
{
	unsigned char layout[SHARED_LAYOUT_SIZE];
	fill_layout(layout);
	if (access(folder, F_OK) == 0 && shared_open(folder, file_name, sizeof(struct memory), layout, level, opened))
		return true;
	LOG_AT(level, "metrics_not_shared", LOG_STR("folder", folder),
	    LOG_STR("consequence", "leadhook metrics does not see what this program counts"));
	return false;
}

void
metrics_open(const char *folder, enum log_level level)
{
	const unsigned char layout[SHARED_LAYOUT_SIZE] = { 0 };
	struct shared opened;
	bool found = *folder != '\0' && open_file(folder, level, &opened);
	if (!found && shared.mapping == NULL) /* after the start, existing counts stay */
		found = shared_open("", file_name, sizeof(struct memory), layout, level, &opened);
	if (found)
		use(&opened);
}

void
metrics_add(enum metric metric, size_t index, uint64_t number)
{
	const struct metric_definition *definition = metrics_definition(metric);
	require(index < definition->cells);
	atomic_fetch_add_explicit(&memory->cells[definition->first + index], number, memory_order_relaxed);
}

void
metrics_observe(enum metric metric, int64_t value)
{
	const struct metric_bounds *bounds = metrics_definition(metric)->bounds;
	const uint64_t number = value > 0 ? (uint64_t)value : 0;
	size_t bucket = 0;
	while (bucket < bounds->count && number > bounds->bounds[bucket])
		bucket++;
	metrics_add(metric, bucket, 1);
	metrics_add(metric, bounds->count + 1, number);
}

void
metrics_stamp(enum metric metric, int64_t wall_ms)
{
	atomic_store_explicit(&memory->cells[metrics_definition(metric)->first], (uint64_t)wall_ms, memory_order_relaxed);
}

void
metrics_count_request(size_t route, unsigned status)
{
	static const enum metric_class classes[] = { METRIC_CLASS_5XX, METRIC_CLASS_5XX, METRIC_CLASS_2XX, METRIC_CLASS_3XX,
		METRIC_CLASS_4XX, METRIC_CLASS_5XX };
	const unsigned class = status / 100 < ARRAY_SIZE(classes) ? status / 100 : 0;
	if (route >= METRIC_ROUTES_MAX)
		route = METRIC_ROUTE_UNKNOWN;
	metrics_add(METRIC_REQUESTS, route * METRIC_CLASS_COUNT + classes[class], 1);
}

/* ---- processes ---- */

/* When a process started, in ticks since boot: field 22 of /proc/PID/stat. 0: unknown. The name of the program is in
 * parentheses, and may contain parentheses. 32 bits last more than a year. */
static uint32_t
start_of(uint32_t pid)
{
	enum { FIRST_FIELD = 3, START_FIELD = 22 }; /* the first one after the name */
	char path[sizeof("/proc/4294967295/stat")], text[1024];
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/stat", pid);
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	descriptor_close(fd);
	text[size > 0 ? size : 0] = '\0';
	const char *field = strrchr(text, ')');
	for (int i = FIRST_FIELD; field != NULL && i <= START_FIELD; i++)
		field = strchr(field + 1, ' ');
	return field == NULL ? 0 : (uint32_t)strtoull(field, NULL, 10);
}

static uint32_t
pid_of(uint64_t identity)
{
	return (uint32_t)identity;
}

/* One number, so that a place is taken and freed atomically. */
static uint64_t
own_identity(void)
{
	const uint32_t pid = (uint32_t)getpid();
	return (uint64_t)start_of(pid) << 32 | pid;
}

/* Whether it is that process, and not a later one with its pid. If /proc does not show it (ProtectProc of systemd), the pid has
 * to suffice; but a process of another account is not one of ours, because all processes that share the file have the same
 * account. */
static bool
is_running(uint64_t identity)
{
	const uint32_t started = (uint32_t)(identity >> 32), found = started == 0 ? 0 : start_of(pid_of(identity));
	return found != 0 ? found == started : kill((pid_t)pid_of(identity), 0) == 0;
}

/* Takes a free place or, if there is none, that of a process that was killed with its parent. NULL: all are in use. */
static struct process *
take_place(uint64_t identity)
{
	for (size_t i = 0; i < 2 * (size_t)METRIC_PROCESSES_MAX; i++) {
		struct process *process = &memory->processes[i % METRIC_PROCESSES_MAX];
		uint64_t found = atomic_load(&process->identity);
		const bool usable = found == 0 || (i >= METRIC_PROCESSES_MAX && !is_running(found));
		if (usable && atomic_compare_exchange_strong(&process->identity, &found, identity))
			return process;
	}
	return NULL;
}

void
metrics_process_begin(enum metric_process kind)
{
	const int saved = errno;
	const uint64_t identity = own_identity();
	metrics_process_died(getpid()); /* an earlier process with our pid, killed with its parent */
	struct process *process = take_place(identity);
	errno = saved;
	if (process == NULL)
		return;
	atomic_store(&process->busy, 0);
	atomic_store(&process->under_way, 0);
	atomic_store(&process->kind, kind);
	own = process;
}

void
metrics_process_busy(void)
{
	atomic_store_explicit(&own->busy, true, memory_order_relaxed);
}

void
metrics_process_idle(void)
{
	atomic_store_explicit(&own->busy, false, memory_order_relaxed);
}

void
metrics_process_under_way(uint64_t attempts)
{
	atomic_store_explicit(&own->under_way, (uint32_t)attempts, memory_order_relaxed);
}

/* Frees the place if this process has one. */
static void
free_place(struct process *process, pid_t pid)
{
	uint64_t identity = atomic_load_explicit(&process->identity, memory_order_relaxed);
	if (pid_of(identity) == (uint32_t)pid)
		(void)atomic_compare_exchange_strong(&process->identity, &identity, 0);
}

void
metrics_process_end(void)
{
	if (own != &uncounted)
		free_place(own, getpid());
	own = &uncounted;
}

void
metrics_process_died(pid_t pid)
{
	for (size_t i = 0; i < METRIC_PROCESSES_MAX; i++)
		free_place(&memory->processes[i], pid);
}

/* ---- reading ---- */

static void
copy(struct memory *from, uint64_t *cells, struct metrics_process_counts *counts)
{
	const int saved = errno;
	for (size_t i = 0; i < metrics_cell_count(); i++)
		cells[i] = atomic_load_explicit(&from->cells[i], memory_order_relaxed);
	*counts = (struct metrics_process_counts){ .busy_workers = 0 };
	for (size_t i = 0; i < METRIC_PROCESSES_MAX; i++) {
		struct process *process = &from->processes[i];
		const uint64_t identity = atomic_load(&process->identity);
		const uint32_t kind = atomic_load(&process->kind);
		if (identity == 0 || kind >= METRIC_PROCESS_COUNT || !is_running(identity))
			continue;
		counts->by_kind[kind]++;
		counts->busy_workers += kind == METRIC_PROCESS_WORKER && atomic_load(&process->busy) != 0;
		counts->under_way += atomic_load(&process->under_way);
	}
	errno = saved;
}

void
metrics_copy(uint64_t *cells, struct metrics_process_counts *counts)
{
	copy(memory, cells, counts);
}

/* Copied, not mapped: the file may be truncated or replaced in the meantime. */
bool
metrics_read(const char *folder, uint64_t *cells, struct metrics_process_counts *counts)
{
	unsigned char layout[SHARED_LAYOUT_SIZE];
	struct memory *read = memory_alloc(sizeof(*read));
	fill_layout(layout);
	const bool found = *folder != '\0' && shared_read(folder, file_name, read, sizeof(*read), layout);
	copy(read, cells, counts);
	free(read);
	return found;
}

/* ---- figures ---- */

bool
metrics_find_figures(int64_t now_ms, struct metrics_figures *figures)
{
	const int64_t read_ms = atomic_load(&memory->figures_ms);
	int64_t reading = atomic_load(&memory->reading_until);
	const bool some = read_ms != 0 && now_ms - read_ms < FIGURES_OLD_MS;
	bool enough = some && now_ms < atomic_load(&memory->figures_until);
	if (!enough) {
		const bool others_read = now_ms < reading;
		enough = some && (others_read ||
				     !atomic_compare_exchange_strong(&memory->reading_until, &reading, now_ms + READING_MS));
	}
	if (!enough)
		return false;
	figures->count = atomic_load(&memory->figure_count);
	for (size_t i = 0; i < METRIC_FIGURES_MAX; i++)
		figures->list[i] = (struct metrics_figure){ .metric = memory->figures[i].metric,
			.index = memory->figures[i].index,
			.value = memory->figures[i].value };
	return true;
}

void
metrics_store_figures(int64_t now_ms, int64_t took_ms, const struct metrics_figures *figures)
{
	const int64_t share_ms = took_ms * FIGURES_SHARE, wait_ms = share_ms > FIGURES_NEW_MS ? share_ms : FIGURES_NEW_MS;
	for (size_t i = 0; i < figures->count; i++) {
		memory->figures[i].metric = figures->list[i].metric;
		memory->figures[i].index = (uint32_t)figures->list[i].index;
		memory->figures[i].value = figures->list[i].value;
	}
	atomic_store(&memory->figure_count, figures->count);
	atomic_store(&memory->figures_ms, now_ms);
	atomic_store(&memory->figures_until, now_ms + wait_ms);
	atomic_store(&memory->reading_until, 0);
}
