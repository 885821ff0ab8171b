/* SPDX-License-Identifier: MIT
 * Leads that sign up after the first part are not in the export: each place has the last number of then. The heading of CSV has
 * the custom fields of all leads: parts without records come first, which only collect the names. Nothing is stored between
 * parts: the place of the next one has the names. */
#include "admin/data/export_part.h"

#include <inttypes.h>
#include <sysexits.h>

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

struct place {
	bool names_only;
	uint32_t after, last; /* subscription numbers */
};

/* "AFTER-LAST" */
static bool
read_numbers(struct slice text, struct place *place)
{
	const size_t dash = slice_find(text, '-');
	uint64_t after, last;
	if (dash == text.size || !slice_to_u64(slice_sub(text, 0, dash), UINT32_MAX, &after) ||
	    !slice_to_u64(slice_sub(text, dash + 1, text.size), UINT32_MAX, &last))
		return false;
	place->after = (uint32_t)after;
	place->last = (uint32_t)last;
	return true;
}

/* "columns:1000-9000:{…}", "records:1000-9000:{…}"; of NDJSON "1000-9000". */
static bool
read_place(struct lead_writer *writer, enum records_format format, struct slice text, struct place *place)
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
name_next(struct admin_call *call, const struct export_part *part, const struct place *place)
{
	struct slice next = pool_printf(call->pool, "%" PRIu32 "-%" PRIu32, place->after, place->last);
	if (part->format == RECORDS_CSV)
		next = POOL_JOIN(call->pool, phases[place->names_only ? 0 : 1].prefix, next, SLICE(":"),
		    lead_writer_names(part->writer, call->pool));
	admin_next(call, next);
}

static void
collect_names(struct admin_call *call, struct lead_writer *writer, const struct lead_page *page)
{
	for (size_t i = 0; i < page->count; i++)
		lead_writer_add_names(writer, call->pool, &page->leads[i]);
}

/* Leaves out what signed up later. */
static void
end_page(struct lead_page *page, uint32_t last)
{
	while (page->count > 0 && page->leads[page->count - 1].subscription_number > last)
		page->count--;
	if (page->next >= last)
		page->next = 0;
}

/* Writes leads of the page, and shortens it to these. */
static void
write_records(struct admin_call *call, struct lead_writer *writer, struct lead_page *page, struct buffer *out)
{
	size_t written = 0;
	while (written < page->count && out->size < PART_BYTES)
		lead_writer_add(writer, call->pool, &page->leads[written++], out);
	if (written < page->count)
		page->next = page->leads[written - 1].subscription_number;
	page->count = written;
}

/* Reads and writes what is at the place, and moves it. *next: there is another part. */
static int
write_part(
    struct admin_call *call, const struct export_part *part, struct place *place, struct buffer *out, size_t *leads, bool *next)
{
	struct lead_filter filter = *part->filter;
	struct lead_page page;
	filter.after = place->after;
	filter.limit = place->names_only ? PART_NAMES : PART_LEADS;
	const enum result result = store_export_leads(call->store, call->pool, call->id, &filter, place->names_only, &page);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	end_page(&page, place->last);
	if (place->names_only)
		collect_names(call, part->writer, &page);
	else
		write_records(call, part->writer, &page, out);
	*leads = place->names_only ? 0 : page.count;
	*next = place->names_only || page.next != 0;
	place->after = page.next;
	if (place->names_only && page.next == 0) {
		lead_writer_heading(part->writer, call->pool, out);
		place->names_only = false;
	}
	return EX_OK;
}

int
export_part(struct admin_call *call, const struct export_part *part)
{
	struct place place = { .names_only = part->format == RECORDS_CSV, .last = part->last };
	struct buffer records;
	size_t leads = 0;
	bool next = false;
	if (part->after != NULL && !read_place(part->writer, part->format, slice_of(part->after), &place))
		return admin_fail_option(
		    call, PROBLEM_INVALID, OPTION_AFTER, "expected the place that the part before has named");
	buffer_init(&records, RECORDS_MAX_BYTES);
	int status = write_part(call, part, &place, &records, &leads, &next);
	const struct slice text = pool_copy(call->pool, buffer_slice(&records));
	const bool fits = buffer_ok(&records);
	buffer_free(&records);
	if (status == EX_OK && !fits)
		status = admin_fail(call, PROBLEM_INTERNAL, "the records are too large");
	if (status != EX_OK)
		return status;
	if (next)
		name_next(call, part, &place);
	output_record(call->output);
	output_u64(call->output, "leads", leads);
	output_lines(call->output, "records", text);
	return EX_OK;
}
