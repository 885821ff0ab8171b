/* SPDX-License-Identifier: MIT
 * lead export: writes the leads of a campaign to a file, page by page. */
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include "admin/data/export_page.h"
#include "admin/data/export_part.h"
#include "admin/data/repeat.h"
#include "admin/operations.h"
#include "operation/progress.h"
#include "operation/value_types.h"
#include "os/replacement.h"
#include "store/store.h"
#include "transfer/lead_writer.h"

enum {
	OPERAND_FILE = 1,
	PAGE_LEADS = 1000,
	PAGE_MAX_BYTES = 256 * 1024 * 1024 /* more than so many of the largest leads */
};

struct export_run {
	struct admin_call *call;
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
	return admin_answer(run->call, result);
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
		return admin_fail(run->call, PROBLEM_INTERNAL, "a page of leads is too large");
	const int number = write_fully(run->fd, bytes);
	buffer_clear(&run->bytes);
	return number == 0 ? EX_OK : admin_fail(run->call, PROBLEM_IO, "the leads could not be written: %s", strerror(number));
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
	return number == 0 ? EX_OK : admin_fail(run->call, PROBLEM_CANNOT_CREATE, "%s: %s", path, strerror(number));
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

static int
write_output(struct export_run *run, struct admin_call *call)
{
	const char *path = call->operand_count > OPERAND_FILE ? call->operands[OPERAND_FILE] : "-";
	int status;
	if (strcmp(path, "-") != 0) {
		status = write_file(run, path);
		return status == EX_OK ? report(run, path) : status;
	}
	call->writes_out = true;
	run->fd = fileno(call->out);
	status = write_all(run);
	if (status != EX_OK)
		admin_warn(call, "the output is not complete");
	return status;
}

/* CSV, unless --format or the name of the file says otherwise. */
static bool
read_format(struct admin_call *call, enum records_format *format)
{
	const struct slice name = slice_of(call->options[OPTION_FORMAT]);
	const char *path = call->operand_count > OPERAND_FILE ? call->operands[OPERAND_FILE] : "-";
	const bool by_name = !slice_present(name) && (slice_ends_with(slice_of(path), SLICE(".ndjson")) ||
							 slice_ends_with(slice_of(path), SLICE(".jsonl")));
	*format = by_name || slice_equal(name, SLICE("ndjson")) ? RECORDS_NDJSON : RECORDS_CSV;
	if (!slice_present(name) || *format == RECORDS_NDJSON || slice_equal(name, SLICE("csv")))
		return true;
	admin_fail_option(call, PROBLEM_USAGE, OPTION_FORMAT, "expected csv or ndjson");
	return false;
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

int
admin_lead_export(struct admin_call *call)
{
	struct export_run run = { .call = call, .delimiter = ',' };
	struct campaign campaign;
	int64_t now_ms;
	if (!read_format(call, &run.format) || !admin_delimiter(call, &run.delimiter))
		return EX_USAGE;
	/* a part begins at a place of another form */
	if (!admin_lead_filter(call, &run.filter) || (!call->is_remote && !admin_lead_after(call, &run.filter)))
		return EX_DATAERR;
	const int refused = admin_lead_order(call, &run.by_score);
	if (refused != EX_OK)
		return refused;
	if (run.by_score && !call->is_remote && call->options[OPTION_AFTER] != NULL)
		return admin_fail_option(call, PROBLEM_USAGE, OPTION_AFTER, "not with --order");
	run.filter.limit = PAGE_LEADS;
	enum result result = store_find_campaign(call->store, call->pool, call->id, &campaign, &now_ms);
	if (result == RESULT_OK)
		result = store_find_definitions(call->store, call->pool, call->id, &run.definitions);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	run.last = campaign.last_subscription_number;
	run.writer = lead_writer_new(
	    run.format, run.delimiter, &run.definitions, call->is_remote ? EXPORT_PART_ROOM : LEAD_WRITER_ANY_ROOM);
	const struct export_part part = { run.writer, run.format, &run.filter, run.by_score, call->options[OPTION_AFTER],
		run.last };
	const int status = call->is_remote ? export_part(call, &part) : export_all(&run, campaign.counters.leads);
	lead_writer_free(&run.writer);
	return status;
}
