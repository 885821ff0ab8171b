/* SPDX-License-Identifier: MIT
 * lead export: writes the leads of a campaign to a file, page by page. */
#include "admin/data/export_operation.h"

#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include "admin/data/export_page.h"
#include "admin/data/export_part.h"
#include "admin/data/import_arguments.h"
#include "admin/data/repeat.h"
#include "admin/leads/lead_selection.h"
#include "operation/progress.h"
#include "operation/value_types.h"
#include "os/replacement.h"
#include "store/store.h"
#include "transfer/lead_writer.h"

enum {
	PAGE_LEADS = 1000,
	PAGE_MAX_BYTES = 256 * 1024 * 1024 /* more than so many of the largest leads */
};

struct export_run {
	struct operation_call *call;
	struct lead_filter filter;
	enum records_format format;
	char delimiter;
	struct definitions definitions;
	bool by_score;
	uint32_t last; /* the largest subscription number at the beginning */
	struct lead_writer *writer;
	int fd;
	struct pool *pool; /* of a page */
	struct buffer bytes;
	struct progress progress;
	uint64_t written;
};

/* The same command can be given again: nothing was changed. */
static int
read_page(struct export_run *run, struct export_place *place, struct lead_page *page, bool *more)
{
	unsigned failures = 0;
	enum result result;
	do
		result = export_read_page(run->call, run->pool, &run->filter, place, page, more);
	while (result == RESULT_UNAVAILABLE && repeat_later(&failures));
	return operation_answer(run->call, result);
}

typedef int on_leads(struct export_run *run, const struct lead *leads, size_t count);

/* Calls `handle` with each page of the leads that there were at the beginning. */
static int
for_each_page(struct export_run *run, bool names_only, on_leads *handle)
{
	struct export_place place = export_begin(&run->filter, names_only, run->by_score, run->last);
	int status = EX_OK;
	for (bool more = true; more && status == EX_OK;) {
		struct lead_page page;
		pool_reset(run->pool);
		status = read_page(run, &place, &page, &more);
		if (status == EX_OK)
			status = handle(run, page.leads, page.count);
	}
	return status;
}

static int
take_names(struct export_run *run, const struct lead *leads, size_t count)
{
	for (size_t i = 0; i < count; i++)
		lead_writer_add_names(run->writer, run->pool, &leads[i]);
	return EX_OK;
}

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
write_leads(struct export_run *run, const struct lead *leads, size_t count)
{
	for (size_t i = 0; i < count; i++)
		lead_writer_add(run->writer, run->pool, &leads[i], &run->bytes);
	run->written += count;
	progress_show(&run->progress, run->written, run->written);
	return write_bytes(run);
}

static int
write_all(struct export_run *run)
{
	int status = run->format == RECORDS_CSV ? for_each_page(run, true, take_names) : EX_OK;
	if (status != EX_OK)
		return status;
	lead_writer_heading(run->writer, run->pool, &run->bytes);
	status = write_bytes(run);
	if (status == EX_OK)
		status = for_each_page(run, false, write_leads);
	progress_end(&run->progress);
	return status;
}

static int
fail_file(const struct export_run *run, const char *path, int number)
{
	return number == 0 ? EX_OK : operation_fail(run->call, PROBLEM_CANNOT_CREATE, "%s: %s", path, strerror(number));
}

/* What is complete takes the place of the file. */
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
report(const struct export_run *run, const char *path)
{
	struct output *output = run->call->output;
	output_record(output);
	output_text(output, "file", slice_of(path));
	output_u64(output, "leads", run->written);
	output_u64(output, "seconds", (uint64_t)progress_took_ms(&run->progress) / 1000);
	return EX_OK;
}

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

static int
write_output(struct export_run *run, struct operation_call *call)
{
	const char *path = ARGUMENTS(call, struct lead_export)->file;
	int status;
	if (strcmp(path, "-") != 0) {
		status = write_file(run, path);
		return status == EX_OK ? report(run, path) : status;
	}
	call->writes_out = true;
	run->fd = fileno(call->out);
	status = write_all(run);
	if (status != EX_OK)
		operation_warn(call, "the output is not complete");
	return status;
}

/* CSV, unless --format or the name of the file says otherwise. */
static enum records_format
format_of(const struct lead_export *arguments)
{
	const struct slice path = slice_of(arguments->file);
	const bool by_name = slice_ends_with(path, SLICE(".ndjson")) || slice_ends_with(path, SLICE(".jsonl"));
	return arguments->has_format ? arguments->format : by_name ? RECORDS_NDJSON : RECORDS_CSV;
}

static int
export_all(struct export_run *run, uint64_t leads)
{
	run->progress = progress_begin(run->call->errors, "leads", leads);
	run->pool = pool_new();
	buffer_init(&run->bytes, PAGE_MAX_BYTES);
	const int status = write_output(run, run->call);
	buffer_free(&run->bytes);
	pool_free(&run->pool);
	return status;
}

static int
run_lead_export(struct operation_call *call)
{
	const struct lead_export *arguments = ARGUMENTS(call, struct lead_export);
	const struct lead_selection *selection = &arguments->selection;
	struct export_run run = { .call = call,
		.filter = selection->filter,
		.format = format_of(arguments),
		.delimiter = arguments->delimiter,
		.by_score = selection->by_score };
	struct campaign campaign;
	int status = lead_selection_check(call, selection);
	if (status == EX_OK && run.by_score && !call->is_remote && slice_present(selection->after))
		return operation_fail_value(call, PROBLEM_USAGE, "after", "not with --order");
	if (status == EX_OK && !call->is_remote) /* a part begins at a place of another form */
		status = lead_selection_read_number(call, selection, &run.filter);
	if (status != EX_OK)
		return status;
	run.filter.limit = PAGE_LEADS;
	enum result result = operation_find_campaign(call, &campaign);
	if (result == RESULT_OK)
		result = store_find_definitions(call->store, call->pool, call->id, &run.definitions);
	if (result != RESULT_OK)
		return operation_answer(call, result);
	run.last = campaign.last_subscription_number;
	run.writer = lead_writer_new(
	    run.format, run.delimiter, &run.definitions, call->is_remote ? EXPORT_PART_ROOM : LEAD_WRITER_ANY_ROOM);
	const struct export_part part = { run.writer, run.format, &run.filter, run.by_score, selection->after, run.last };
	status = call->is_remote ? export_part(call, &part) : export_all(&run, campaign.counters.leads);
	lead_writer_free(&run.writer);
	return status;
}

/* clang-format off */
const struct operation operation_lead_export = {
	"lead export", "CAMPAIGN [FILE|-] [--format csv|ndjson] [--delimiter C] [FILTER...] [--newest|--order score]",
	"write leads to a CSV or NDJSON file", run_lead_export,
	.subject = &subject_campaign, PARAMETERS(parameters, struct lead_export), .defaults = &defaults,
	HTTP(GET, "campaigns/{campaign}/export", RIGHT_LEADS), .cost = SLOW
};
/* clang-format on */
