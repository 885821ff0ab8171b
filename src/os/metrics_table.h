/* SPDX-License-Identifier: MIT
 * The table of metrics (docs/operating.md 12.1): names, types, labels, and their cells. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "os/metrics.h"

enum metric_type {
	METRIC_COUNTER,
	METRIC_HISTOGRAM,
	METRIC_STAMP, /* a gauge in shared memory: a time in milliseconds */
	METRIC_GAUGE  /* found when the page is made */
};

enum { METRIC_LABELS = 2, METRIC_BOUNDS_MAX = 14 };

struct metric_labels {
	const char *name;
	const char *const *values; /* NULL: routes */
	size_t count;
};

/* Upper bounds of a histogram's buckets; one more bucket holds the rest. */
struct metric_bounds {
	uint64_t bounds[METRIC_BOUNDS_MAX];
	size_t count;
};

struct metric_definition {
	const char *name, *help;
	enum metric_type type;
	const struct metric_labels *labels[METRIC_LABELS]; /* NULL: none */
	const struct metric_bounds *bounds;                /* for a histogram: buckets, then its sum */
	unsigned first, cells;
	bool milliseconds; /* the cells are in milliseconds; the page shows seconds */
};

const struct metric_definition *metrics_definition(enum metric metric);
/* The cells of all metrics. */
enum { METRIC_CELLS_MAX = 2048 };
size_t metrics_cell_count(void);
/* Two tables with different cells have different values. */
uint64_t metrics_table_digest(void);
