/* SPDX-License-Identifier: MIT
 * lead import: opens the file, reads its heading, and reports what was done. */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include "admin/admin.h"
#include "admin/commands.h"
#include "admin/data/import_batch.h"
#include "admin/data/import_file.h"
#include "admin/values.h"
#include "base/utf8.h"
#include "conf/conf.h"
#include "engine/command.h"
#include "identity/phone.h"
#include "store/store.h"

/* The operands after CAMPAIGN. */
enum { OPERAND_FILE = 1, OPERAND_MAP };

/* A name that cannot be a custom field is ignored, as in a request (docs/api.md 4.4). */
static bool
is_reserved(const struct import_run *run, const struct column *column)
{
	return column->field == LEAD_CUSTOM && run->limits.is_reserved(column->name);
}

/* "COLUMN=FIELD" of --map, or of an operand after the file. */
static int
map_column(const struct import_run *run, const char *text, const struct csv_fields *heading, struct column *columns)
{
	struct admin_call *call = run->call;
	const struct slice pair = slice_of(text);
	const size_t equals = slice_find_last(pair, '=');
	const struct slice name = slice_sub(pair, 0, equals), field = slice_sub(pair, equals + 1, pair.size);
	bool found = false;
	if (equals == pair.size || field.size == 0)
		return admin_fail(call, PROBLEM_USAGE, "%s: expected COLUMN=FIELD", text);
	const struct column column = column_mapped(call->pool, field);
	if (is_reserved(run, &column))
		return admin_fail(call, PROBLEM_USAGE, "%s: leads have no such field, and it cannot be a custom field", text);
	for (size_t i = 0; i < heading->count; i++)
		if (slice_equal_nocase(slice_trim(heading->items[i]), slice_trim(name))) {
			columns[i] = column;
			found = true;
		}
	return found ? EX_OK : admin_fail(call, PROBLEM_INVALID, "the heading has no column %.*s", SLICE_ARGS(name));
}

static int
map_columns(const struct import_run *run, const struct csv_fields *heading, struct column *columns)
{
	struct admin_call *call = run->call;
	int status = EX_OK;
	for (size_t i = 0; i < call->map_count && status == EX_OK; i++)
		status = map_column(run, call->maps[i], heading, columns);
	for (size_t i = OPERAND_MAP; i < call->operand_count && status == EX_OK; i++)
		status = map_column(run, call->operands[i], heading, columns);
	return status;
}

/* Reports a file that is not CSV: an array of objects, UTF-16, or another one. */
static int
fail_heading(struct admin_call *call, struct slice heading, const char *problem)
{
	if (slice_starts_with(slice_trim(heading), SLICE("[")))
		problem = "is a JSON array: write one object in each line, without brackets around them";
	else if (memchr(heading.data, '\0', heading.size) != NULL)
		problem = "has a NUL byte: convert the file to UTF-8, or give its encoding, as --encoding UTF-16";
	return admin_fail(call, PROBLEM_INVALID, "the heading %s", problem);
}

/* Reads the heading of CSV: which column is what. */
static int
read_heading(struct import_run *run, struct slice *text)
{
	struct admin_call *call = run->call;
	struct record record;
	struct csv_fields heading;
	bool identifies = false;
	for (run->heading_records = 1;; run->heading_records++) {
		if (records_next(run->records, &record) != RECORD_GOOD)
			return admin_fail(call, PROBLEM_INVALID, "the file has no heading");
		if (!csv_names_delimiter(record.text, &run->delimiter))
			break;
	}
	*text = pool_copy(call->pool, record.text);
	if (run->heading_records == 1)
		run->delimiter = csv_detect_delimiter(*text);
	if (!admin_delimiter(call, &run->delimiter))
		return EX_USAGE;
	const char *problem = csv_split(call->pool, *text, run->delimiter, &heading);
	if (problem != NULL)
		return fail_heading(call, *text, problem);
	struct column *columns = POOL_ARRAY(call->pool, heading.count, struct column);
	for (size_t i = 0; i < heading.count; i++) {
		heading.items[i] = csv_cell(call->pool, heading.items[i]);
		columns[i] = column_of(call->pool, heading.items[i], false);
		if (is_reserved(run, &columns[i]) || slice_trim(heading.items[i]).size == 0)
			columns[i].field = LEAD_IGNORED;
	}
	const int status = map_columns(run, &heading, columns);
	if (status != EX_OK)
		return status;
	for (size_t i = 0; i < heading.count; i++)
		identifies = identifies || columns[i].field == LEAD_EMAIL || columns[i].field == LEAD_PHONE;
	run->columns = columns;
	run->column_count = heading.count;
	run->heading = heading.items;
	if (identifies)
		return EX_OK;
	return fail_heading(call, *text,
	    call->is_remote ? "has neither email nor phone_number: name them with map"
			    : "has neither email nor phone_number: name them with --map COLUMN=email");
}

static int
open_rejects(struct import_run *run, struct slice heading, const struct stat *file)
{
	const char *path = run->call->options[OPTION_REJECTS];
	struct stat about;
	if (path == NULL)
		return EX_OK;
	if (stat(path, &about) == 0 && about.st_dev == file->st_dev && about.st_ino == file->st_ino)
		return admin_fail(run->call, PROBLEM_USAGE, "--rejects: %s is the file that is imported", path);
	run->rejects = rejects_open(path, run->format, heading, run->delimiter);
	return run->rejects != NULL ? EX_OK : admin_fail(run->call, PROBLEM_CANNOT_CREATE, "%s: %s", path, strerror(errno));
}

/* "email", "custom field plan", "ignored" */
static struct slice
meaning_of(struct pool *pool, const struct column *column)
{
	if (column->field == LEAD_IGNORED)
		return SLICE("ignored");
	if (column->field == LEAD_CUSTOM)
		return POOL_JOIN(pool, SLICE("custom field "), column->name);
	return column->field == LEAD_UTM ? POOL_JOIN(pool, SLICE("utm "), column->name) : lead_field_name(column->field);
}

/* What --dry-run found in the heading: a name that was misspelled is a custom field. */
static void
report_columns(const struct import_run *run)
{
	struct pool *pool = run->call->pool;
	struct output *columns = output_new(pool, OUTPUT_ARRAY);
	for (size_t i = 0; i < run->column_count; i++) {
		output_record(columns);
		output_text(columns, "column", utf8_sanitized(pool, run->heading[i]));
		output_text(columns, "becomes", meaning_of(pool, &run->columns[i]));
	}
	output_nested(run->call->output, "columns", columns);
}

/* Rows are rejected: what is wrong is in the report, the file of rejected rows or the messages. */
static int
status_of_counts(const struct import_run *run)
{
	return run->counts.rejected > 0 && run->reasons == NULL ? EX_DATAERR : EX_OK;
}

static int
report(struct import_run *run, int status)
{
	struct output *output = run->call->output;
	const int64_t took_ms = progress_took_ms(&run->progress);
	const int number = rejects_close(&run->rejects);
	if (number != 0 && status == EX_OK)
		status =
		    admin_fail(run->call, PROBLEM_IO, "the file of rejected rows could not be written: %s", strerror(number));
	output_record(output);
	output_u64(output, "rows", run->counts.rows);
	if (run->dry_run) {
		output_u64(output, "valid", run->counts.rows - run->counts.rejected);
	} else {
		output_u64(output, "imported", run->counts.imported);
		output_u64(output, "unchanged", run->counts.unchanged);
	}
	output_u64(output, "rejected", run->counts.rejected);
	if (run->counts.unknown_names > 0)
		output_u64(output, "unknown_tags_and_actions", run->counts.unknown_names);
	output_u64(output, "seconds", (uint64_t)took_ms / 1000);
	if (run->dry_run && run->column_count > 0)
		report_columns(run);
	if (run->reasons != NULL) {
		output_u64_or_null(output, "next_line", run->next_line);
		output_nested(output, "rejected_rows", run->reasons);
		output_keep_private(output);
	}
	return status == EX_OK ? status_of_counts(run) : status;
}

static int
import_file(struct import_run *run, int fd, const struct stat *about)
{
	struct slice heading = SLICE_NONE;
	struct campaign campaign;
	struct definitions definitions;
	int64_t now_ms;
	enum result result = store_find_campaign(run->call->store, run->call->pool, run->call->id, &campaign, &now_ms);
	if (result == RESULT_OK)
		result = store_find_definitions(run->call->store, run->call->pool, run->call->id, &definitions);
	if (result != RESULT_OK)
		return admin_answer(run->call, result);
	run->limits.tags = names_of_tags(run->call->pool, &definitions);
	run->limits.actions = names_of_actions(run->call->pool, &definitions);
	run->format = import_file_format(fd);
	run->records = records_new(fd, run->format);
	run->file_size = (uint64_t)about->st_size;
	int status = run->format == RECORDS_CSV ? read_heading(run, &heading) : EX_OK;
	if (status == EX_OK && run->format == RECORDS_NDJSON &&
	    (run->call->operand_count > OPERAND_MAP || run->call->options[OPTION_MAP] != NULL))
		status = admin_fail_option(run->call, PROBLEM_USAGE, OPTION_MAP, "only for CSV");
	if (status == EX_OK)
		status = open_rejects(run, heading, about);
	if (status == EX_OK)
		status = report(run, import_run(run));
	records_free(&run->records);
	return status;
}

/* As of a row: sign-ups have further numbers. */
static bool
read_last_number(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	uint64_t number;
	const bool valid = slice_to_u64(text, IMPORT_NUMBER_MAX, &number);
	if (valid)
		*(uint32_t *)place = (uint32_t)number;
	return valid;
}

static const struct value_option number_options[] = {
	{ OPTION_LAST_NUMBER, read_last_number, offsetof(struct import_run, last_number), "a number from 0 to 4000000000" },
};

int
admin_lead_import(struct admin_call *call)
{
	const struct conf_limits *limits = &call->conf->limits;
	struct stat about;
	struct import_run run = {
		.call = call,
		.limits = { .name_bytes = limits->name_bytes,
		    .value_bytes = limits->value_bytes,
		    .depth = limits->json_depth,
		    .is_reserved = call->wiring->is_reserved,
		    .utm_bytes = limits->custom_fields_bytes,
		    .country_code = slice_of(call->options[OPTION_COUNTRY_CODE]),
		    .drop_bad_referrers = call->options[OPTION_DROP_REFERRERS] != NULL },
		.events = call->options[OPTION_EVENTS] != NULL,
		.dry_run = call->options[OPTION_DRY_RUN] != NULL,
		.drop_unknown_referrers = call->options[OPTION_DROP_REFERRERS] != NULL,
	};
	struct slice number;
	if (!values_take(call, number_options, ARRAY_SIZE(number_options), &run))
		return EX_DATAERR;
	if (call->is_remote)
		run.reasons = output_new(call->pool, OUTPUT_ARRAY);
	if (!phone_parse(call->pool, SLICE("+4930123456"), run.limits.country_code, &number))
		return admin_fail_option(
		    call, PROBLEM_USAGE, OPTION_COUNTRY_CODE, "expected a calling code such as 49, or two letters");
	const int fd = import_file_open(call, call->operands[OPERAND_FILE], &about);
	if (fd < 0)
		return EX_NOINPUT;
	const int status = import_file(&run, fd, &about);
	close(fd);
	return status;
}
