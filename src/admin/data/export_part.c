/* SPDX-License-Identifier: MIT
 * The heading of CSV has the custom fields of all leads: parts without records come first, which only collect the names.
 * Nothing is stored between parts: the place of the next one has the names. */
#include "admin/data/export_part.h"

#include <inttypes.h>
#include <sysexits.h>

#include "base/encode.h"
#include "store/store.h"

enum {
	PART_LEADS = 500,
	PART_NAMES = 2000,                   /* leads whose names are collected */
	PART_BYTES = 512 * 1024,             /* of records, from which on no other lead is added */
	RECORDS_MAX_BYTES = 8 * 1024 * 1024, /* those of a part, with its last lead */
	PLACE_MAX_BYTES = 2048               /* encoded: it is in a header, which web servers limit */
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
	uint32_t after; /* subscription number */
};

/* "columns:1000:{…}", "records:1000:{…}"; of NDJSON "1000". */
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
	uint64_t number;
	if (!slice_to_u64(slice_sub(text, 0, colon), UINT32_MAX, &number))
		return false;
	place->after = (uint32_t)number;
	return true;
}

static int
name_next(struct admin_call *call, const struct lead_writer *writer, enum records_format format, const struct place *place)
{
	struct buffer encoded;
	struct slice next = pool_printf(call->pool, "%" PRIu32, place->after);
	if (format == RECORDS_CSV)
		next = POOL_JOIN(call->pool, phases[place->names_only ? 0 : 1].prefix, next, SLICE(":"),
		    lead_writer_names(writer, call->pool));
	buffer_init(&encoded, PLACE_MAX_BYTES);
	encode_percent(&encoded, next);
	const bool fits = buffer_ok(&encoded);
	buffer_free(&encoded);
	if (!fits)
		return admin_fail(
		    call, PROBLEM_CONFLICT, "the leads have too many custom fields for CSV in parts: use the format ndjson");
	admin_next(call, next);
	return EX_OK;
}

static int
collect_names(struct admin_call *call, struct lead_writer *writer, const struct lead_page *page)
{
	for (size_t i = 0; i < page->count; i++)
		if (!lead_writer_add_names(writer, call->pool, &page->leads[i]))
			return admin_fail(call, PROBLEM_CONFLICT,
			    "the leads have more custom fields than a CSV file can have columns: use the format ndjson");
	return EX_OK;
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

static int
write_part(struct admin_call *call, struct lead_writer *writer, enum records_format format, struct place *place,
    struct lead_page *page, struct buffer *out)
{
	const bool names_only = place->names_only;
	int status = EX_OK;
	if (names_only)
		status = collect_names(call, writer, page);
	else
		write_records(call, writer, page, out);
	if (status != EX_OK)
		return status;
	if (names_only && page->next == 0) {
		lead_writer_heading(writer, call->pool, out);
		*place = (struct place){ .names_only = false };
	} else if (page->next != 0) {
		place->after = page->next;
	} else {
		return EX_OK;
	}
	return name_next(call, writer, format, place);
}

int
export_part(struct admin_call *call, struct lead_writer *writer, enum records_format format, const struct lead_filter *wanted,
    const char *after)
{
	struct lead_filter filter = *wanted;
	struct place place = { .names_only = format == RECORDS_CSV };
	struct lead_page page;
	struct buffer records;
	if (after != NULL && !read_place(writer, format, slice_of(after), &place))
		return admin_fail_option(
		    call, PROBLEM_INVALID, OPTION_AFTER, "expected the place that the part before has named");
	filter.after = place.after;
	filter.limit = place.names_only ? PART_NAMES : PART_LEADS;
	const enum result result = store_export_leads(call->store, call->pool, call->id, &filter, place.names_only, &page);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	const bool names_only = place.names_only;
	buffer_init(&records, RECORDS_MAX_BYTES);
	const int status = write_part(call, writer, format, &place, &page, &records);
	const struct slice text = pool_copy(call->pool, buffer_slice(&records));
	const bool fits = buffer_ok(&records);
	buffer_free(&records);
	if (status != EX_OK)
		return status;
	if (!fits)
		return admin_fail(call, PROBLEM_INTERNAL, "the records are too large");
	output_record(call->output);
	output_u64(call->output, "leads", names_only ? 0 : page.count);
	output_lines(call->output, "records", text);
	return EX_OK;
}
