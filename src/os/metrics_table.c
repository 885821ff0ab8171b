/* SPDX-License-Identifier: MIT */
#include "os/metrics_table.h"

#include "base/slice.h"

#define TEXT(id, text) text,
#define LABELS(variable, name, list, enumeration, count)              \
	static const char *const variable##_texts[] = { list(TEXT) }; \
	static const struct metric_labels variable = { name, variable##_texts, count };
METRIC_LABEL_LIST(LABELS)

static const char *const version_texts[] = { LEADHOOK_VERSION };
static const struct metric_labels versions = { "version", version_texts, 1 };
static const struct metric_labels routes = { "route", NULL, METRIC_ROUTES_MAX };

/* In milliseconds. */
static const struct metric_bounds request_bounds = { { 1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 30000 },
	METRIC_TIME_BOUNDS },
				  attempt_bounds = { { 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 15000, 30000,
							 60000 },
					  METRIC_TIME_BOUNDS },
				  batch_bounds = { { 1, 2, 4, 8, 16, 32, 64, 128 }, METRIC_BATCH_BOUNDS };

#define CELLS(id, type, name, labels, bounds, cells, help) FIRST_##id, LAST_##id = FIRST_##id + (cells)-1,
enum { METRIC_LIST(CELLS) CELL_COUNT };
_Static_assert((int)CELL_COUNT <= (int)METRIC_CELLS_MAX, "room for all cells");

#define PAIR(first, second)   \
	{                     \
		first, second \
	}
#define DEFINITION(id, type, name, labels, bounds, cells, help)                                 \
	[METRIC_##id] = { "leadhook_" name, help, type, PAIR labels, bounds, FIRST_##id, cells, \
		(bounds) == &request_bounds || (bounds) == &attempt_bounds || (type) == METRIC_STAMP },

static const struct metric_definition definitions[METRICS] = { METRIC_LIST(DEFINITION) };

const struct metric_definition *
metrics_definition(enum metric metric)
{
	return &definitions[metric];
}

size_t
metrics_cell_count(void)
{
	return CELL_COUNT;
}

const char *
metrics_limit_name(enum metric_limit limit)
{
	return limits.values[limit];
}

const char *
metrics_bot_reason_name(enum metric_bot_reason reason)
{
	return bot_reasons.values[reason];
}

/* FNV-1a. */
static uint64_t
add_text(uint64_t digest, const char *text)
{
	do
		digest = (digest ^ (unsigned char)*text) * UINT64_C(1099511628211);
	while (*text++ != '\0');
	return digest;
}

static uint64_t
add_labels(uint64_t digest, const struct metric_labels *labels)
{
	digest = add_text(digest, labels->name);
	for (size_t i = 0; labels->values != NULL && i < labels->count; i++)
		digest = add_text(digest, labels->values[i]);
	return digest;
}

uint64_t
metrics_table_digest(void)
{
	uint64_t digest = UINT64_C(14695981039346656037);
	for (size_t i = 0; i < METRICS; i++) {
		const struct metric_definition *metric = &definitions[i];
		digest = add_text(digest, metric->name);
		for (size_t j = 0; j < METRIC_LABELS && metric->labels[j] != NULL; j++)
			digest = add_labels(digest, metric->labels[j]);
		for (size_t j = 0; metric->bounds != NULL && j < metric->bounds->count; j++)
			digest = (digest ^ metric->bounds->bounds[j]) * UINT64_C(1099511628211);
	}
	return digest;
}
