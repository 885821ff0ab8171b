/* SPDX-License-Identifier: MIT
 * Gauges of the page of metrics (docs/operating.md 12.1): numbers of the database, the limiter and file systems. */
#ifndef LEADHOOK_WATCH_WATCH_H
#define LEADHOOK_WATCH_WATCH_H

#include "limit/limiter.h"
#include "os/metrics_page.h"
#include "store/store.h"

/* Reads the database's numbers, and the free space where the database has its data, if that is on this host. A failure is a
 * gauge, too. `shared`: of the numbers that processes of this host have read within some seconds, so that any number of
 * requests makes only a few queries. */
void watch_add_database(struct metrics_page *page, struct pool *pool, struct store *store, bool shared);
void watch_add_limiter(struct metrics_page *page, struct limiter *limiter);
/* Either may be "". */
void watch_add_filesystems(struct metrics_page *page, const char *state_dir, const char *log_file);

/* A file system of this host. */
struct watch_disk {
	const char *what;               /* "database", "state", "log" */
	int64_t free_bytes, size_bytes; /* free: what an unprivileged program may still write */
};
/* Those that hold the state, the log and the database's data; either path may be "". One that cannot be read, or is on another
 * host, is left out. Returns their number. */
size_t watch_find_disks(struct pool *pool, struct store *store, const char *state_dir, const char *log_file,
    struct watch_disk disks[METRIC_FILESYSTEM_COUNT]);

#endif
