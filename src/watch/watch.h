/* SPDX-License-Identifier: MIT
 * Gauges of the page of metrics (docs/operating.md 12.1): numbers of the database, the limiter and file systems. */
#ifndef LEADHOOK_WATCH_WATCH_H
#define LEADHOOK_WATCH_WATCH_H

#include "base/metrics_page.h"
#include "limit/limiter.h"
#include "store/store.h"

/* Reads the database's numbers, and the free space where the database has its data, if that is on this host. A failure is a
 * gauge, too. `shared`: of the numbers that processes of this host have read within some seconds, so that any number of
 * requests makes only a few queries. */
void watch_add_database(struct metrics_page *page, struct pool *pool, struct store *store, bool shared);
void watch_add_limiter(struct metrics_page *page, struct limiter *limiter);
/* Either may be "". */
void watch_add_filesystems(struct metrics_page *page, const char *state_dir, const char *log_file);

#endif
