/* SPDX-License-Identifier: MIT
 * Leads that sign up after the first part are not in the export: each place has the last number of then. The heading of CSV has
 * the custom fields of all leads: parts without records come first, which only collect the names. Nothing is stored between
 * parts: the place of the next one has the names. */
#include "admin/data/export_part.h"

#include <inttypes.h>
#include <sysexits.h>

#include "admin/data/export_page.h"
#include "store/store.h"

enum {
	PART_LEADS = 500,
	PART_NAMES = 2000,                  /* leads whose names are collected */
	PART_BYTES = 512 * 1024,            /* of records, from which on no other lead is added */
	RECORDS_MAX_BYTES = 8 * 1024 * 1024 /* those of a part, with its last lead */
};

static const struct {
	struct slice prefix;
	bool names_only;
} phases[] = {
	{ SLICE("columns:"), true },
	{ SLICE("records:"), false },
};

/* "AFTER-LAST"; by score "SCORE.NUMBER-LAST" after the first record. */
static bool
read_numbers(struct slice text, struct export_place *place)
{
	const size_t dash = slice_find(text, '-'), dot = slice_find(text, '.');
	uint64_t score = 0, after, last;
	place->order.has_place = place->by_score && dot < dash;
	if (dash == text.size || (place->order.has_place && !slice_to_u64(slice_sub(text, 0, dot), UINT32_MAX, &score)) ||
	    !slice_to_u64(slice_sub(text, place->order.has_place ? dot + 1 : 0, dash), UINT32_MAX, &after) ||
	    !slice_to_u64(slice_sub(text, dash + 1, text.size), UINT32_MAX, &last))
		return false;
	place->after = place->order.number = (uint32_t)after;
	place->order.score = (uint32_t)score;
	place->last = (uint32_t)last;
	return true;
}

/* "columns:1000-9000:{…}", "records:1000-9000:{…}"; of NDJSON "1000-9000". */
static bool
read_place(struct lead_writer *writer, enum records_format format, struct slice text, struct export_place *place)
{
	size_t colon = text.size;
	if (format == RECORDS_CSV) {
		size_t phase = 0;
		while (phase < ARRAY_SIZE(phases) && !slice_starts_with(text, phases[phase].prefix))
			phase++;
		if (phase == ARRAY_SIZE(phases))
			return false;
		text = slice_sub(text, phases[phase].prefix.size, text.size);
		place->names_only = phases[phase].names_only;
		colon = slice_find(text, ':');
		if (colon == text.size || !lead_writer_set_names(writer, slice_sub(text, colon + 1, text.size)))
			return false;
	}
	return read_numbers(slice_sub(text, 0, colon), place);
}

static void
name_next(struct operation_call *call, const struct export_part *part, const struct export_place *place)
{
	struct slice next = place->order.has_place
				? pool_printf(call->pool, "%" PRIu32 ".%" PRIu32, place->order.score, place->order.number)
				: pool_printf(call->pool, "%" PRIu32, place->after);
	next = pool_printf(call->pool, "%.*s-%" PRIu32, SLICE_ARGS(next), place->last);
	if (part->format == RECORDS_CSV)
		next = POOL_JOIN(call->pool, phases[place->names_only ? 0 : 1].prefix, next, SLICE(":"),
		    lead_writer_names(part->writer, call->pool));
	operation_next(call, next);
}

static void
collect_names(struct operation_call *call, struct lead_writer *writer, const struct lead_page *page)
{
	for (size_t i = 0; i < page->count; i++)
		lead_writer_add_names(writer, call->pool, &page->leads[i]);
}

/* Writes leads of the page, and shortens it to these. Returns false when some are left. */
static bool
write_records(struct operation_call *call, struct lead_writer *writer, struct lead_page *page, struct buffer *out)
{
	const size_t count = page->count;
	size_t written = 0;
	while (written < count && out->size < PART_BYTES)
		lead_writer_add(writer, call->pool, &page->leads[written++], out);
	page->count = written;
	return written == count;
}

/* Reads and writes what is at the place, and moves it. *next: there is another part. */
static int
write_part(struct operation_call *call, const struct export_part *part, struct export_place *place, struct buffer *out,
    size_t *leads, bool *next)
{
	struct lead_filter filter = *part->filter;
	struct lead_page page;
	filter.limit = place->names_only ? PART_NAMES : PART_LEADS;
	const enum result result = export_read_page(call, call->pool, &filter, place, &page, next);
	if (result != RESULT_OK)
		return operation_answer(call, result);
	if (!place->names_only) {
		if (!write_records(call, part->writer, &page, out)) {
			export_go_on_after(place, &page.leads[page.count - 1]);
			*next = true;
		}
		*leads = page.count;
		return EX_OK;
	}
	collect_names(call, part->writer, &page);
	if (!*next) {
		lead_writer_heading(part->writer, call->pool, out);
		export_begin_records(&filter, place);
		*next = true;
	}
	return EX_OK;
}

int
export_part(struct operation_call *call, const struct export_part *part)
{
	struct export_place place = export_begin(part->filter, part->format == RECORDS_CSV, part->by_score, part->last);
	struct buffer records;
	size_t leads = 0;
	bool next = false;
	if (slice_present(part->after) && !read_place(part->writer, part->format, part->after, &place))
		return operation_fail_value(
		    call, PROBLEM_INVALID, "after", "expected the place that the part before has named");
	buffer_init(&records, RECORDS_MAX_BYTES);
	int status = write_part(call, part, &place, &records, &leads, &next);
	const struct slice text = pool_copy(call->pool, buffer_slice(&records));
	const bool fits = buffer_ok(&records);
	buffer_free(&records);
	if (status == EX_OK && !fits)
		status = operation_fail(call, PROBLEM_INTERNAL, "the records are too large");
	if (status != EX_OK)
		return status;
	if (next)
		name_next(call, part, &place);
	output_record(call->output);
	output_u64(call->output, "leads", leads);
	output_lines(call->output, "records", text);
	return EX_OK;
}
