/* SPDX-License-Identifier: MIT
 * The metrics as text: Prometheus' exposition format, version 0.0.4. */
#pragma once

#include "base/buffer.h"
#include "base/pool.h"
#include "os/metrics.h"

/* Names the routes from METRIC_ROUTE_FIRST on. */
struct metric_route {
	const char *method, *path; /* as a template: "/v2/{campaign}" */
};

enum { METRICS_PAGE_MAX_BYTES = 512 * 1024 };

/* In the pool, without values. `routes` must stay valid. */
struct metrics_page;
struct metrics_page *metrics_page_new(struct pool *pool, const struct metric_route *routes, size_t route_count);

/* Adds what this program, and others that share its file, have counted, and their processes. */
void metrics_page_add_counts(struct metrics_page *page);
/* Likewise, but from the file in the folder, for a program that counts nothing itself. Returns false when there is no such
 * file. */
MUST_CHECK bool metrics_page_read_counts(struct metrics_page *page, const char *folder);
/* Sets a gauge. Those that are not set are left out. */
void metrics_page_set(struct metrics_page *page, enum metric metric, size_t index, double value);
/* Writes the page. The buffer's maximum should be METRICS_PAGE_MAX_BYTES. */
void metrics_page_write(const struct metrics_page *page, struct buffer *out);
