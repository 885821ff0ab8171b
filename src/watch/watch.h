/* SPDX-License-Identifier: MIT
 * Gauges of the database, the limiter and the file systems, for the metrics page (docs/operating.md 12.1). */
#pragma once

#include "limit/limiter.h"
#include "os/metrics_page.h"
#include "store/store.h"

/* Adds the figures of the database, and the free space of its data folder if that is on this host. A failure is a gauge,
 * too. */
void watch_add_database(struct metrics_page *page, struct pool *pool, struct store *store);
/* Does the same, but uses figures that a process of this host has read within the last few seconds, if there are any. So many
 * requests cause only a few queries. */
void watch_add_shared_database(struct metrics_page *page, struct pool *pool, struct store *store);
/* Adds gauges of how full the tables of the limiter are. */
void watch_add_limiter(struct metrics_page *page, struct limiter *limiter);
/* Adds the free space and the size of the file systems of both paths; either path may be "". */
void watch_add_filesystems(struct metrics_page *page, const char *state_dir, const char *log_file);

/* A file system of this host. */
struct watch_disk {
	const char *what;               /* "database", "state", "log" */
	int64_t free_bytes, size_bytes; /* free_bytes: what an unprivileged program can still write */
};
/* Finds the file systems of the state, the log and the database's data, and returns their number. Either path may be "". A file
 * system that cannot be read, or is on another host, is left out. */
size_t watch_find_disks(struct pool *pool, struct store *store, const char *state_dir, const char *log_file,
    struct watch_disk disks[METRIC_FILESYSTEM_COUNT]);
