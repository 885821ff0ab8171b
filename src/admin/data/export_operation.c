/* SPDX-License-Identifier: MIT
 * lead export: writes the leads of a campaign, page by page; to a file, or in parts for a remote call, each of which names the
 * place where the next one begins (docs/manage.md 1.6). Together, the parts make up the file.
 *
 * Leads that sign up after the beginning are left out. The heading of CSV has the custom fields of all leads, so a first pass
 * collects their names. Nothing is stored between parts: the place of the next one contains the names. */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include "admin/data/import_operation.h"
#include "admin/data/repeat.h"
#include "admin/leads/list_operation.h"
#include "operation/progress.h"
#include "operation/value_types.h"
#include "os/replacement.h"
#include "transfer/lead_writer.h"

enum { PLACE_ROOM = 1800 }; /* the place of the next part is in a header, and some web servers limit headers to 2 KiB */

/* The names of custom fields are collected in the order of sign-ups, before the records are written. */
enum phase { NAMES, RECORDS };

static const struct page_limits {
	size_t leads[RECORDS + 1]; /* of a page */
	size_t bytes;              /* of records: after this many, no lead is added */
	size_t buffer_bytes;       /* more than the records can have, however large the last lead is */
} pages_of_file = { { 1000, 1000 }, SIZE_MAX, 256 * 1024 * 1024 },
  pages_of_part = { { 2000, 500 }, 512 * 1024, 8 * 1024 * 1024 };

struct export_run {
	struct operation_call *call;
	const struct page_limits *limits;
	struct lead_filter filter;
	bool by_score; /* otherwise by sign-up, with the latest first if the filter requests that */
	enum records_format format;
	struct definitions definitions;
	struct lead_writer *writer;
	uint32_t last;     /* the largest subscription number when the export began */
	struct pool *pool; /* of a page */
	struct buffer bytes;
	int fd;
	struct progress progress;
	uint64_t written;
};

/* ---- arguments ---- */

struct lead_export {
	const char *file;
	enum records_format format; /* has_format */
	bool has_format;
	char delimiter;
	struct lead_selection selection;
};

static bool
parse_format(struct value_reading *reading, struct slice text, void *place)
{
	struct lead_export *arguments = place;
	const bool ndjson = slice_equal(text, SLICE("ndjson"));
	reading->problem = PROBLEM_USAGE;
	arguments->format = ndjson ? RECORDS_NDJSON : RECORDS_CSV;
	return arguments->has_format = ndjson || slice_equal(text, SLICE("csv"));
}
static const struct value_type value_format = { .parse = parse_format, .expected = "csv or ndjson" };
#define PLACE(member) offsetof(struct lead_export, member)
static const struct parameter parameters[] = {
	OPTIONAL_OPERAND("file", value_path, PLACE(file)),
	OPTION("format", value_format, 0),
	OPTION("delimiter", value_delimiter, PLACE(delimiter)),
	LEAD_SELECTION_PARAMETERS(struct lead_export, selection),
};
#undef PLACE
static const struct lead_export defaults = { .file = "-", .delimiter = ',', .selection = LEAD_SELECTION_DEFAULTS };

/* The format in --format; without it, NDJSON if the name of the file ends like that, and otherwise CSV. */
static enum records_format
format_of(const struct lead_export *arguments)
{
	const struct slice path = slice_of(arguments->file);
	const bool by_name = slice_ends_with(path, SLICE(".ndjson")) || slice_ends_with(path, SLICE(".jsonl"));
	return arguments->has_format ? arguments->format : by_name ? RECORDS_NDJSON : RECORDS_CSV;
}

/* ---- pages ---- */

/* Where an export continues. */
struct place {
	enum phase phase;
	uint32_t after;          /* subscription number */
	struct lead_order order; /* used in the phase RECORDS, by score */
};

static struct place
place_of_first(const struct export_run *run, enum phase phase)
{
	struct place place = { .phase = phase, .after = run->filter.after };
	if (run->filter.newest && phase == NAMES)
		place.after = 0;
	else if (run->filter.newest && place.after == 0)
		place.after = run->last + 1;
	return place;
}

/* Leaves out leads that signed up after the export began. */
static void
leave_out_later(struct lead_page *page, uint32_t last)
{
	size_t kept = 0;
	for (size_t i = 0; i < page->count; i++)
		if (page->leads[i].subscription_number <= last)
			page->leads[kept++] = page->leads[i];
	page->count = kept;
}

/* Reads a page and moves the place past it. *more: whether there may be more leads. After a failure the same page can be read
 * again. */
static enum result
read_page(struct export_run *run, struct place *place, struct lead_page *page, bool *more)
{
	struct store *store = run->call->store;
	const uint64_t campaign_id = run->call->id;
	struct lead_filter filter = run->filter;
	struct place next = *place;
	enum result result;
	*page = (struct lead_page){ 0 };
	filter.after = place->after;
	filter.newest = filter.newest && place->phase == RECORDS;
	filter.limit = run->limits->leads[place->phase];
	filter.detail = place->phase == NAMES ? LEAD_NAMES : LEAD_AS_STORED;
	if (run->by_score && place->phase == RECORDS) {
		next.order.examined = 0;
		result = store_list_leads_in_order(store, run->pool, campaign_id, &filter, &next.order, page);
		*more = next.order.more;
	} else {
		result = store_list_leads(store, run->pool, campaign_id, &filter, page);
		next.after = page->next;
		*more = page->next != 0 && (filter.newest || page->next < run->last);
	}
	if (result != RESULT_OK)
		return result;
	*place = next;
	leave_out_later(page, run->last);
	return RESULT_OK;
}

/* Writes leads of the page until there are enough bytes. If some leads are left, returns false, with the place after the last
 * one that was written. */
static bool
write_records(struct export_run *run, const struct lead_page *page, struct place *place)
{
	size_t count = 0;
	while (count < page->count && run->bytes.size < run->limits->bytes)
		lead_writer_add(run->writer, run->pool, &page->leads[count++], &run->bytes);
	run->written += count;
	if (count == page->count)
		return true;
	const struct lead *last = &page->leads[count - 1];
	place->after = place->order.number = last->subscription_number;
	place->order.score = last->score;
	place->order.has_place = run->by_score;
	return false;
}

/* Collects the names of a page, or writes its leads, and moves the place past it. *more: whether the export is still
 * incomplete. */
static int
take_page(struct export_run *run, struct place *place, bool *more)
{
	struct lead_page page;
	unsigned failures = 0;
	enum result result;
	do
		result = read_page(run, place, &page, more);
	while (result == RESULT_UNAVAILABLE && !run->call->is_remote && repeat_later(&failures));
	if (result != RESULT_OK)
		return operation_answer(run->call, result);
	if (place->phase == RECORDS) {
		*more = !write_records(run, &page, place) || *more;
		return EX_OK;
	}
	for (size_t i = 0; i < page.count; i++)
		lead_writer_add_names(run->writer, run->pool, &page.leads[i]);
	if (!*more) {
		lead_writer_heading(run->writer, run->pool, &run->bytes);
		*place = place_of_first(run, RECORDS);
		*more = true;
	}
	return EX_OK;
}

/* ---- a file ---- */

static int
write_bytes(struct export_run *run)
{
	const struct slice bytes = buffer_slice(&run->bytes);
	if (!buffer_ok(&run->bytes))
		return operation_fail(run->call, PROBLEM_INTERNAL, "a page of leads is too large");
	const int number = write_fully(run->fd, bytes);
	buffer_clear(&run->bytes);
	return number == 0 ? EX_OK
			   : operation_fail(run->call, PROBLEM_IO, "the leads could not be written: %s", strerror(number));
}

static int
write_all(struct export_run *run)
{
	struct place place = place_of_first(run, run->format == RECORDS_CSV ? NAMES : RECORDS);
	int status = EX_OK;
	for (bool more = true; more && status == EX_OK;) {
		pool_reset(run->pool);
		status = take_page(run, &place, &more);
		if (status == EX_OK)
			status = write_bytes(run);
		if (place.phase == RECORDS)
			progress_show(&run->progress, run->written, run->written);
	}
	progress_end(&run->progress);
	return status;
}

static int
fail_file(const struct export_run *run, const char *path, int number)
{
	return number == 0 ? EX_OK : operation_fail(run->call, PROBLEM_CANNOT_CREATE, "%s: %s", path, strerror(number));
}

/* The file is replaced only when the export is complete. */
static int
write_file(struct export_run *run, const char *path)
{
	struct replacement replacement;
	int status = fail_file(run, path, replacement_begin(&replacement, path, S_IRUSR | S_IWUSR));
	if (status != EX_OK)
		return status;
	run->fd = replacement.fd;
	status = write_all(run);
	if (status == EX_OK)
		return fail_file(run, path, replacement_finish(&replacement));
	replacement_abandon(&replacement);
	return status;
}

static int
write_output(struct export_run *run)
{
	struct operation_call *call = run->call;
	const char *path = ARGUMENTS(call, struct lead_export)->file;
	int status;
	if (strcmp(path, "-") != 0) {
		status = write_file(run, path);
		if (status != EX_OK)
			return status;
		output_record(call->output);
		output_text(call->output, "file", slice_of(path));
		output_u64(call->output, "leads", run->written);
		output_u64(call->output, "seconds", (uint64_t)progress_took_ms(&run->progress) / 1000);
		return EX_OK;
	}
	call->writes_out = true;
	run->fd = fileno(call->out);
	status = write_all(run);
	if (status != EX_OK)
		operation_warn(call, "the output is not complete");
	return status;
}

static int
export_all(struct export_run *run, uint64_t leads)
{
	run->progress = progress_begin(run->call->errors, "leads", leads);
	run->pool = pool_new();
	buffer_init(&run->bytes, run->limits->buffer_bytes);
	const int status = write_output(run);
	buffer_free(&run->bytes);
	pool_free(&run->pool);
	return status;
}

/* ---- a part ---- */

/* A place is "columns:1000-9000:{…}" or "records:1000-9000:{…}"; for NDJSON, "1000-9000". */
static const struct slice prefixes[] = { [NAMES] = SLICE("columns:"), [RECORDS] = SLICE("records:") };

/* Parses "AFTER-LAST", or by score, after the first record, "SCORE.NUMBER-LAST". */
static bool
read_numbers(struct export_run *run, struct slice text, struct place *place)
{
	const size_t dash = slice_find(text, '-'), dot = slice_find(text, '.');
	uint64_t score = 0, after, last;
	place->order.has_place = run->by_score && dot < dash;
	if (dash == text.size || (place->order.has_place && !slice_to_u64(slice_sub(text, 0, dot), UINT32_MAX, &score)) ||
	    !slice_to_u64(slice_sub(text, place->order.has_place ? dot + 1 : 0, dash), UINT32_MAX, &after) ||
	    !slice_to_u64(slice_sub(text, dash + 1, text.size), UINT32_MAX, &last))
		return false;
	place->after = place->order.number = (uint32_t)after;
	place->order.score = (uint32_t)score;
	run->last = (uint32_t)last;
	return true;
}

static bool
read_place(struct export_run *run, struct slice text, struct place *place)
{
	if (run->format != RECORDS_CSV)
		return read_numbers(run, text, place);
	place->phase = slice_starts_with(text, prefixes[NAMES]) ? NAMES : RECORDS;
	if (!slice_starts_with(text, prefixes[place->phase]))
		return false;
	text = slice_sub(text, prefixes[place->phase].size, text.size);
	const size_t colon = slice_find(text, ':');
	return colon < text.size && lead_writer_set_columns(run->writer, slice_sub(text, colon + 1, text.size)) &&
	       read_numbers(run, slice_sub(text, 0, colon), place);
}

static void
name_next(const struct export_run *run, const struct place *place)
{
	struct pool *pool = run->pool;
	struct slice next = place->order.has_place
				? pool_printf(pool, "%" PRIu32 ".%" PRIu32, place->order.score, place->order.number)
				: pool_printf(pool, "%" PRIu32, place->after);
	next = pool_printf(pool, "%.*s-%" PRIu32, SLICE_ARGS(next), run->last);
	if (run->format == RECORDS_CSV)
		next = POOL_JOIN(pool, prefixes[place->phase], next, SLICE(":"), lead_writer_names(run->writer, pool));
	run->call->next = next;
}

static int
export_part(struct export_run *run, struct slice after)
{
	struct operation_call *call = run->call;
	struct place place = place_of_first(run, run->format == RECORDS_CSV ? NAMES : RECORDS);
	bool more = false;
	if (slice_present(after) && !read_place(run, after, &place))
		return operation_fail_value(
		    call, PROBLEM_INVALID, "after", "expected the place that the part before has named");
	run->pool = call->pool;
	buffer_init(&run->bytes, run->limits->buffer_bytes);
	int status = take_page(run, &place, &more);
	const bool fits = buffer_ok(&run->bytes);
	const struct slice text = buffer_take(&run->bytes, call->pool);
	if (status == EX_OK && !fits)
		status = operation_fail(call, PROBLEM_INTERNAL, "the records are too large");
	if (status != EX_OK)
		return status;
	if (more)
		name_next(run, &place);
	output_record(call->output);
	output_u64(call->output, "leads", run->written);
	output_lines(call->output, "records", text);
	return EX_OK;
}

/* ---- the operation ---- */

static int
run_lead_export(struct operation_call *call)
{
	const struct lead_export *arguments = ARGUMENTS(call, struct lead_export);
	const struct lead_selection *selection = &arguments->selection;
	struct export_run run = { .call = call,
		.limits = call->is_remote ? &pages_of_part : &pages_of_file,
		.filter = selection->filter,
		.format = format_of(arguments),
		.by_score = selection->by_score };
	struct campaign campaign;
	int status = lead_selection_check(call, selection);
	if (status == EX_OK && run.by_score && !call->is_remote && slice_present(selection->after))
		return operation_fail_value(call, PROBLEM_USAGE, "after", "not with --order");
	if (status == EX_OK && !call->is_remote) /* the place of a part has another form */
		status = lead_selection_read_number(call, selection, &run.filter);
	if (status != EX_OK)
		return status;
	enum result result = operation_find_campaign(call, &campaign);
	if (result == RESULT_OK)
		result = store_find_definitions(call->store, call->pool, call->id, &run.definitions);
	if (result != RESULT_OK)
		return operation_answer(call, result);
	run.last = campaign.last_subscription_number;
	run.writer = lead_writer_new(
	    run.format, arguments->delimiter, &run.definitions, call->is_remote ? PLACE_ROOM : LEAD_WRITER_ANY_ROOM);
	status = call->is_remote ? export_part(&run, selection->after) : export_all(&run, campaign.counters.leads);
	lead_writer_free(&run.writer);
	return status;
}

OPERATION(lead_export, "lead export",
    "CAMPAIGN [FILE|-] [--format csv|ndjson] [--delimiter C] [FILTER...] [--newest|--order score]",
    "write leads to a CSV or NDJSON file", run_lead_export, .subject = &subject_campaign,
    PARAMETERS(parameters, struct lead_export), .defaults = &defaults, HTTP(GET, "campaigns/{campaign}/export", RIGHT_LEADS),
    .cost = SLOW);
