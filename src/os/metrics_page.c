/* SPDX-License-Identifier: MIT */
#include "os/metrics_page.h"

#include "base/panic.h"
#include "os/metrics_table.h"

enum { MS_PER_S = 1000, LABELS_SIZE = 512 };

struct metrics_page {
	const struct metric_route *routes;
	size_t route_count;
	bool has_counts;
	uint64_t cells[METRIC_CELLS_MAX];
	double gauges[METRIC_CELLS_MAX];
	bool is_set[METRIC_CELLS_MAX];
};

static const char *const type_names[] = {
	[METRIC_COUNTER] = "counter",
	[METRIC_HISTOGRAM] = "histogram",
	[METRIC_STAMP] = "gauge",
	[METRIC_GAUGE] = "gauge",
};

struct metrics_page *
metrics_page_new(struct pool *pool, const struct metric_route *routes, size_t route_count)
{
	require(METRIC_ROUTE_FIRST + route_count <= METRIC_ROUTES_MAX);
	struct metrics_page *page = POOL_NEW(pool, struct metrics_page);
	*page = (struct metrics_page){ .routes = routes, .route_count = route_count };
	metrics_page_set(page, METRIC_BUILD, 0, 1);
	return page;
}

static void
set_processes(struct metrics_page *page, const struct metrics_process_counts *counts)
{
	for (size_t i = 0; i < METRIC_PROCESS_COUNT; i++)
		metrics_page_set(page, METRIC_PROCESSES, i, (double)counts->by_kind[i]);
	const uint64_t workers = counts->by_kind[METRIC_PROCESS_WORKER];
	metrics_page_set(page, METRIC_WORKERS, METRIC_WORKER_BUSY, (double)counts->busy_workers);
	metrics_page_set(page, METRIC_WORKERS, METRIC_WORKER_IDLE, (double)(workers - counts->busy_workers));
	metrics_page_set(page, METRIC_UNDER_WAY, 0, (double)counts->under_way);
	page->has_counts = true;
}

void
metrics_page_add_counts(struct metrics_page *page)
{
	struct metrics_process_counts counts;
	metrics_copy(page->cells, &counts);
	set_processes(page, &counts);
}

bool
metrics_page_read_counts(struct metrics_page *page, const char *folder)
{
	struct metrics_process_counts counts;
	const bool found = metrics_read(folder, page->cells, &counts);
	if (found)
		set_processes(page, &counts);
	return found;
}

void
metrics_page_set(struct metrics_page *page, enum metric metric, size_t index, double value)
{
	const struct metric_definition *definition = metrics_definition(metric);
	require(definition->type == METRIC_GAUGE && index < definition->cells);
	page->gauges[definition->first + index] = value;
	page->is_set[definition->first + index] = true;
}

/* ---- the text ---- */

static void
add_escaped(struct buffer *out, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '\n') {
			buffer_add(out, SLICE("\\n"));
			continue;
		}
		if (*text == '\\' || *text == '"')
			buffer_add_byte(out, '\\');
		buffer_add_byte(out, *text);
	}
}

static void
add_label(struct buffer *out, const char *name, const char *value)
{
	buffer_add_text(out, out->size == 0 ? "{" : ",");
	buffer_add_text(out, name);
	buffer_add(out, SLICE("=\""));
	add_escaped(out, value);
	buffer_add_byte(out, '"');
}

static void
add_route(const struct metrics_page *page, struct buffer *out, size_t route)
{
	static const struct metric_route others[] = {
		[METRIC_ROUTE_UNKNOWN] = { "", "unknown" },
		[METRIC_ROUTE_PREFLIGHT] = { "OPTIONS", "any" },
		[METRIC_ROUTE_EXTENSION] = { "", "manage" },
	};
	const struct metric_route *named =
	    route < METRIC_ROUTE_FIRST ? &others[route] : &page->routes[route - METRIC_ROUTE_FIRST];
	add_label(out, "method", named->method);
	add_label(out, "route", named->path);
}

/* Writes the labels of a cell without the closing brace. Returns false for a cell without a name. */
static bool
add_labels(const struct metrics_page *page, const struct metric_definition *metric, size_t index, struct buffer *out)
{
	const struct metric_labels *first = metric->labels[0], *second = metric->labels[1];
	const size_t width = second == NULL ? 1 : second->count;
	if (first == NULL)
		return true;
	if (first->values != NULL)
		add_label(out, first->name, first->values[index / width]);
	else if (index / width < METRIC_ROUTE_FIRST + page->route_count)
		add_route(page, out, index / width);
	else
		return false;
	if (second != NULL)
		add_label(out, second->name, second->values[index % width]);
	return true;
}

static void
add_name(struct buffer *out, const struct metric_definition *metric, const char *suffix, const struct buffer *labels)
{
	buffer_add_text(out, metric->name);
	buffer_add_text(out, suffix);
	if (labels->size > 0) {
		buffer_add(out, buffer_slice(labels));
		buffer_add_byte(out, '}');
	}
	buffer_add_byte(out, ' ');
}

static void
add_cell(struct buffer *out, const struct metric_definition *metric, uint64_t value)
{
	if (metric->milliseconds)
		buffer_printf(
		    out, "%llu.%03llu\n", (unsigned long long)(value / MS_PER_S), (unsigned long long)(value % MS_PER_S));
	else
		buffer_printf(out, "%llu\n", (unsigned long long)value);
}

/* Buckets are cumulative. */
static void
write_histogram(const struct metrics_page *page, const struct metric_definition *metric, struct buffer *out)
{
	const uint64_t *cells = &page->cells[metric->first];
	const struct buffer none = { .size = 0 };
	const size_t count = metric->bounds->count;
	uint64_t sum = 0;
	for (size_t i = 0; i <= count; i++) {
		sum += cells[i];
		buffer_printf(out, "%s_bucket{le=\"", metric->name);
		if (i == count)
			buffer_add(out, SLICE("+Inf"));
		else
			buffer_printf(out, "%g", (double)metric->bounds->bounds[i] / (metric->milliseconds ? MS_PER_S : 1));
		buffer_printf(out, "\"} %llu\n", (unsigned long long)sum);
	}
	add_name(out, metric, "_sum", &none);
	add_cell(out, metric, cells[count + 1]);
	add_name(out, metric, "_count", &none);
	buffer_printf(out, "%llu\n", (unsigned long long)sum);
}

static void
write_cells(const struct metrics_page *page, const struct metric_definition *metric, struct buffer *out)
{
	char text[LABELS_SIZE];
	for (size_t i = 0; i < metric->cells; i++) {
		const size_t cell = metric->first + i;
		struct buffer labels = { .data = text, .capacity = sizeof(text), .maximum = sizeof(text) - 1 };
		if ((metric->type == METRIC_GAUGE && !page->is_set[cell]) || !add_labels(page, metric, i, &labels))
			continue;
		add_name(out, metric, "", &labels);
		if (metric->type == METRIC_GAUGE)
			buffer_printf(out, "%.15g\n", page->gauges[cell]);
		else
			add_cell(out, metric, page->cells[cell]);
	}
}

static bool
has_values(const struct metrics_page *page, const struct metric_definition *metric)
{
	bool found = metric->type != METRIC_GAUGE && page->has_counts;
	for (size_t i = 0; i < metric->cells && metric->type == METRIC_GAUGE; i++)
		found = found || page->is_set[metric->first + i];
	return found;
}

void
metrics_page_write(const struct metrics_page *page, struct buffer *out)
{
	for (size_t i = 0; i < METRICS; i++) {
		const struct metric_definition *metric = metrics_definition((enum metric)i);
		if (!has_values(page, metric))
			continue;
		buffer_printf(
		    out, "# HELP %s %s\n# TYPE %s %s\n", metric->name, metric->help, metric->name, type_names[metric->type]);
		if (metric->type == METRIC_HISTOGRAM)
			write_histogram(page, metric, out);
		else
			write_cells(page, metric, out);
	}
}
