/* SPDX-License-Identifier: MIT
 * lead import: its arguments, its steps, and what it outputs. */
#include "admin/data/import_operation.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include "admin/data/import_file.h"
#include "admin/data/import_heading.h"
#include "api/call/param_names.h"
#include "base/utf8.h"
#include "store/operator/definitions.h"

/* ---- the answer ---- */

/* "email", "custom field plan", "ignored" */
static struct slice
meaning_of(struct pool *pool, const struct column *column, const char *ignored, const char *custom, const char *utm)
{
	if (column->field == LEAD_IGNORED)
		return slice_of(ignored);
	if (column->field != LEAD_CUSTOM && column->field != LEAD_UTM)
		return lead_field_name(column->field);
	return POOL_JOIN(pool, slice_of(column->field == LEAD_UTM ? utm : custom), column->name);
}

/* Shows what each column becomes, because a misspelled name becomes a custom field. */
static void
add_columns(const struct import_run *run)
{
	struct pool *pool = run->call->pool;
	struct output *columns = output_new(pool, OUTPUT_ARRAY);
	for (size_t i = 0; i < run->column_count; i++) {
		const struct survey_column *found = &run->survey.columns[i];
		const struct column *column = &run->columns[i];
		output_record(columns);
		output_text(columns, "column", utf8_sanitized(pool, run->heading[i]));
		output_text(columns, "becomes",
		    column->rules != NULL ? SLICE("consent, by its values")
					  : meaning_of(pool, column, "ignored", "custom field ", "utm "));
		if (!run->arguments->look)
			continue;
		output_text(columns, "field", meaning_of(pool, column, "-", "", "utm_")); /* in the form that --map takes */
		output_boolean(columns, "is_custom", column->field == LEAD_CUSTOM);
		output_texts(columns, "examples", found->examples, found->example_count);
	}
	output_nested(run->call->output, "columns", columns);
}

static bool
makes_tags(const struct import_run *run)
{
	return run->arguments->make_tags && !run->arguments->dry_run;
}

static void
add_tags(const struct import_run *run)
{
	const struct survey_texts *tags = &run->survey.tags;
	struct output *records = output_new(run->call->pool, OUTPUT_ARRAY);
	for (size_t i = 0; i < tags->count; i++) {
		output_record(records);
		output_text(records, "name", utf8_sanitized(run->call->pool, tags->items[i].text));
		output_u64(records, "rows", tags->items[i].rows);
	}
	output_nested(run->call->output, makes_tags(run) ? "made_tags" : "unknown_tags", records);
	output_keep_private(run->call->output);
}

static void
add_questions(struct import_run *run)
{
	struct output *questions = import_questions(run);
	if (questions == NULL)
		return;
	output_nested(run->call->output, "questions", questions);
	output_keep_private(run->call->output);
}

static void
add_form(const struct import_run *run)
{
	struct output *output = run->call->output;
	output_text(output, "encoding", encoding_name(run->call->pool, &run->encoding));
	if (run->format != RECORDS_CSV)
		return;
	output_text(output, "delimiter",
	    run->delimiter == '\t' ? SLICE("tab") : pool_copy(run->call->pool, (struct slice){ &run->delimiter, 1 }));
	output_u64(output, "heading", run->heading_line);
}

/* A lead has room for a limited number of custom fields; rows that have fewer are imported. */
static void
warn_of_fields(const struct import_run *run)
{
	const size_t maximum = run->call->conf->limits.custom_fields;
	size_t count = 0;
	for (size_t i = 0; i < run->column_count; i++)
		count += run->columns[i].field == LEAD_CUSTOM && run->columns[i].rules == NULL ? 1 : 0;
	if (count > maximum)
		operation_warn(run->call,
		    "%zu columns are custom fields, of which a lead can have %zu: leave some out with --map COLUMN=-, or "
		    "all with --map '*=-'",
		    count, maximum);
}

static int
answer_look(struct import_run *run)
{
	struct output *output = run->call->output;
	output_record(output);
	output_text(output, "format", run->format == RECORDS_CSV ? SLICE("csv") : SLICE("ndjson"));
	add_form(run);
	output_boolean(output, "encoding_is_certain", !slice_present(run->unsure));
	if (slice_present(run->unsure))
		output_text(output, "encoding_example", run->unsure);
	output_u64(output, "begin", run->begin);
	output_u64(output, "begin_line", run->begin_line);
	output_u64(output, "rows", run->survey.rows);
	output_u64(output, "custom_fields_max", run->call->conf->limits.custom_fields);
	add_columns(run);
	output_keep_private(output);
	add_questions(run);
	add_tags(run);
	warn_of_fields(run);
	return EX_OK;
}

static void
add_counts(struct import_run *run)
{
	struct output *output = run->call->output;
	const struct import_counts *counts = &run->counts;
	const struct {
		const char *key;
		uint64_t count;
	} seldom[] = {
		{ "left_out", counts->left_out },
		{ "tagged", counts->tagged },
		{ "opted_out", counts->opted_out },
		{ "phone_numbers_left_out", counts->phone_numbers },
		{ "rows_with_several_emails", counts->emails },
		{ "rows_in_other_encoding", counts->other_encoding },
		{ "unknown_tags_and_actions", counts->unknown_names },
	};
	output_u64(output, "rows", counts->rows);
	output_u64(output, run->arguments->dry_run ? "valid" : "imported", counts->imported);
	output_u64(output, "unchanged", counts->unchanged);
	output_u64(output, "rejected", counts->rejected);
	for (size_t i = 0; i < ARRAY_SIZE(seldom); i++)
		if (seldom[i].count > 0)
			output_u64(output, seldom[i].key, seldom[i].count);
}

/* Tells a caller over HTTP where the next part of the file begins. */
static void
add_place(struct import_run *run)
{
	struct output *output = run->call->output;
	const bool goes_on = run->arguments->more || run->is_late;
	output_u64_or_null(output, "next_line", goes_on ? import_line(run, run->next_line) : 0);
	output_u64_or_null(output, "next_offset", goes_on ? run->next_offset - run->begin : 0);
	output_u64_or_null(output, "last_number", run->last_number);
	output_nested(output, "rejected_rows", run->reasons);
	output_keep_private(output);
}

static int
answer(struct import_run *run, int status)
{
	struct output *output = run->call->output;
	const bool is_trial = run->arguments->dry_run;
	const int64_t took_ms = progress_took_ms(&run->progress);
	const int number = rejects_close(&run->rejects);
	if (number != 0 && status == EX_OK)
		status = operation_fail(
		    run->call, PROBLEM_IO, "the file of rejected rows could not be written: %s", strerror(number));
	/* rows that are left to the next part are counted there, but tags were already made for all rows */
	if (status == EX_OK && run->is_late && !makes_tags(run) &&
	    (run->survey.tags.count > 0 || import_questions(run) != NULL))
		status = import_survey(run);
	output_record(output);
	add_counts(run);
	output_u64(output, "seconds", (uint64_t)took_ms / 1000);
	if (is_trial) {
		add_form(run);
		if (run->column_count > 0)
			add_columns(run);
		add_questions(run);
	}
	if (run->survey.tags.count > 0)
		add_tags(run);
	if (!output_is_empty(run->remarks)) {
		output_nested(output, "remarks", run->remarks);
		output_keep_private(output);
	}
	if (run->reasons != NULL)
		add_place(run);
	if (is_trial)
		warn_of_fields(run);
	/* if rows are rejected, the reasons are in the file of rejected rows or in messages */
	return status == EX_OK && run->counts.rejected > 0 && run->reasons == NULL ? EX_DATAERR : status;
}

/* ---- the steps ---- */

static int
open_rejects(struct import_run *run)
{
	const char *path = run->arguments->rejects;
	struct stat about;
	if (path == NULL)
		return EX_OK;
	if (stat(path, &about) == 0 && about.st_dev == run->file.st_dev && about.st_ino == run->file.st_ino)
		return operation_fail(run->call, PROBLEM_USAGE, "--rejects: %s is the file that is imported", path);
	run->rejects = rejects_open(path, run->format, run->heading_text, run->delimiter);
	return run->rejects != NULL ? EX_OK : operation_fail(run->call, PROBLEM_CANNOT_CREATE, "%s: %s", path, strerror(errno));
}

static enum result
find_definitions(struct import_run *run)
{
	struct operation_call *call = run->call;
	struct definitions definitions;
	enum result result = operation_find_campaign(call, NULL);
	if (result == RESULT_OK)
		result = store_find_definitions(call->store, call->pool, call->id, &definitions);
	if (result != RESULT_OK)
		return result;
	run->limits.tags = names_of_tags(call->pool, &definitions);
	run->limits.actions = names_of_actions(call->pool, &definitions);
	return RESULT_OK;
}

/* Makes the tags that rows have and the campaign lacks. If another call has just made one of them, it is used. */
static int
make_tags(struct import_run *run)
{
	struct operation_call *call = run->call;
	const struct survey_texts *tags = &run->survey.tags;
	if (!makes_tags(run) || tags->count == 0)
		return EX_OK;
	if (!caller_has_right(call->caller, RIGHT_MANAGE))
		return operation_fail(call, PROBLEM_FORBIDDEN, "tags are made with the right manage, too");
	if (tags->others > 0)
		return operation_fail(
		    call, PROBLEM_INVALID, "there are more than %d tags that the campaign does not have", SURVEY_TAGS_MAX);
	for (size_t i = 0; i < tags->count; i++) {
		const struct definition tag = { .kind = DEFINITION_TAG, .as.tag.name = slice_trim(tags->items[i].text) };
		struct new_definition new = { .definition = &tag };
		if (!value_is_name(tag.as.tag.name))
			return operation_fail(call, PROBLEM_INVALID, "a name has 1 to 200 characters");
		const enum result result = store_add_definition(call->store, NULL, call->id, &new);
		if (result == RESULT_REFUSED && new.refusal == DEFINITION_TOO_MANY)
			return operation_fail(call, PROBLEM_CONFLICT, "the campaign has as many tags as it can have");
		if (result != RESULT_OK && result != RESULT_REFUSED)
			return operation_answer(call, result);
	}
	return operation_answer(call, find_definitions(run));
}

/* Nothing is stored before all questions are answered; a look and a dry run show the questions. */
static int
import_records(struct import_run *run)
{
	int status = import_survey(run);
	if (status == EX_OK && run->arguments->look)
		return answer_look(run);
	if (status == EX_OK && !run->arguments->dry_run)
		status = import_require_answers(run);
	if (status == EX_OK)
		status = make_tags(run);
	if (status == EX_OK)
		status = open_rejects(run);
	return status == EX_OK ? answer(run, import_run(run)) : status;
}

static int
import_file(struct import_run *run)
{
	const struct import_arguments *arguments = run->arguments;
	int status = operation_answer(run->call, find_definitions(run));
	if (status == EX_OK)
		status = import_file_examine(run);
	if (status != EX_OK)
		return status;
	run->records =
	    records_new(run->call->pool, run->fd, arguments->more ? CSV_MORE : CSV_NO_MORE, run->format, &run->encoding);
	run->pool = pool_new();
	run->begin_line = 1;
	if (run->format == RECORDS_CSV)
		status = import_read_heading(run);
	else if (arguments->maps.count > 0 || arguments->values.count > 0)
		status = operation_fail_value(run->call, PROBLEM_USAGE, "map", "only for CSV");
	if (status == EX_OK)
		status = import_read_constants(run);
	if (status == EX_OK)
		status = import_records(run);
	pool_free(&run->pool);
	return status;
}

/* ---- arguments ---- */

/* The same maximum as in a row, so that some numbers are left for sign-ups. */
static bool
parse_last_number(struct value_reading *reading UNUSED, struct slice text, void *place)
{
	return value_to_u32(text, IMPORT_NUMBER_MAX, place);
}

static bool
parse_line(struct value_reading *reading UNUSED, struct slice text, void *place)
{
	return slice_to_u64(text, UINT32_MAX, place) && *(uint64_t *)place > 0;
}

static bool
parse_heading(struct value_reading *reading, struct slice text, void *place)
{
	reading->problem = PROBLEM_USAGE;
	return parse_line(reading, text, place);
}

static bool
parse_dates(struct value_reading *reading UNUSED, struct slice text, void *place)
{
	const bool day = slice_equal(text, SLICE("day-first"));
	*(enum date_order *)place = day ? DATES_DAY_FIRST : DATES_MONTH_FIRST;
	return day || slice_equal(text, SLICE("month-first"));
}

static bool
parse_delimiter(struct value_reading *reading, struct slice text, void *place)
{
	const bool is_tab = slice_equal(text, SLICE("tab"));
	reading->problem = PROBLEM_USAGE;
	*(char *)place = is_tab ? '\t' : text.size > 0 ? text.data[0] : '\0';
	return is_tab || (text.size == 1 && slice_find(SLICE("\"\r\n"), text.data[0]) == 3);
}

static bool
parse_encoding(struct value_reading *reading, struct slice text, void *place)
{
	struct import_arguments *arguments = place;
	reading->problem = PROBLEM_USAGE;
	reading->expected = pool_string(reading->pool,
	    pool_printf(reading->pool, "UTF-8, UTF-16LE, UTF-16BE, %.*s, or UTF-8+NAME for rows that are no UTF-8",
		SLICE_ARGS(encoding_tables(reading->pool))));
	return arguments->has_encoding = encoding_parse(text, &arguments->encoding);
}

const struct value_type value_delimiter = {
	.parse = parse_delimiter, .expected = "one character, or tab", .has_lines = true /* it may be a tab */
};
static const struct value_type value_last_number = { .parse = parse_last_number, .expected = "a number from 0 to 4000000000" },
			       value_line = { .parse = parse_line, .expected = "the number of a line" },
			       value_heading = { .parse = parse_heading, .expected = "the number of a line" },
			       value_dates = { .parse = parse_dates, .expected = "day-first or month-first" },
			       value_encoding = { .parse = parse_encoding },
			       value_constants = { .parse = value_parse_pair, .form = VALUE_PAIRS, .has_lines = true },
			       value_columns = { .parse = value_parse_last_pair, .form = VALUE_PAIRS, .has_lines = true };

#define PLACE(member) offsetof(struct import_arguments, member)
static const struct parameter parameters[] = {
	OPERAND("records", value_content, PLACE(records)),
	{ "columns", &value_columns, PLACE(maps), PARAMETER_OPERAND | PARAMETER_SHELL, NULL },
	OPTION_WITH("look", value_on, PLACE(look), PARAMETER_PREVIEW),
	OPTION_WITH("dry_run", value_on, PLACE(dry_run), PARAMETER_PREVIEW),
	OPTION("encoding", value_encoding, 0),
	OPTION("delimiter", value_delimiter, PLACE(delimiter)),
	OPTION("heading", value_heading, PLACE(heading)),
	OPTION("map", value_columns, PLACE(maps)),
	OPTION("set", value_constants, PLACE(constants)),
	OPTION("value", value_columns, PLACE(values)),
	OPTION("dates", value_dates, PLACE(dates)),
	OPTION("strict", value_on, PLACE(strict)),
	OPTION("make_tags", value_on, PLACE(make_tags)),
	OPTION("add_tags", value_on, PLACE(add_tags)),
	OPTION("last_number", value_last_number, PLACE(last_number)),
	OPTION("rejects", value_path, PLACE(rejects)),
	OPTION("drop_unknown_referrers", value_on, PLACE(drop_unknown_referrers)),
	OPTION("events", value_on, PLACE(events)),
	OPTION("file_name", value_text, PLACE(file_name)),
	OPTION("base64", value_on, PLACE(base64)),
	OPTION("more", value_on, PLACE(more)),
	OPTION("first_line", value_line, PLACE(first_line)),
};
#undef PLACE

static int
run_lead_import(struct operation_call *call)
{
	const struct import_arguments *arguments = ARGUMENTS(call, struct import_arguments);
	const struct conf_limits *limits = &call->conf->limits;
	struct import_run run = {
		.call = call,
		.arguments = arguments,
		.limits = { .name_bytes = limits->name_bytes,
		    .value_bytes = limits->value_bytes,
		    .depth = limits->json_depth,
		    .is_reserved = param_is_reserved,
		    .utm_bytes = limits->custom_fields_bytes,
		    .dates = arguments->dates,
		    .strict = arguments->strict,
		    .drop_bad_referrers = arguments->drop_unknown_referrers },
		.remarks = output_new(call->pool, OUTPUT_ARRAY),
		.reasons = call->is_remote ? output_new(call->pool, OUTPUT_ARRAY) : NULL,
		.last_number = arguments->last_number,
	};
	run.fd = import_file_open(call, arguments, &run.file);
	if (run.fd < 0)
		return EX_NOINPUT;
	const int status = import_file(&run);
	close(run.fd);
	return status;
}

OPERATION(lead_import, "lead import", "CAMPAIGN FILE|- [--map COLUMN=FIELD...] [--rejects FILE] [OPTION...]",
    "import leads of another service from CSV or NDJSON", run_lead_import, .subject = &subject_campaign,
    PARAMETERS(parameters, struct import_arguments), HTTP(POST, "campaigns/{campaign}/import", RIGHT_CHANGE), .effect = CHANGES,
    .cost = SLOW, .logs_output = true);
