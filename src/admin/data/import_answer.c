/* SPDX-License-Identifier: MIT */
#include "admin/data/import_answer.h"

#include <string.h>
#include <sysexits.h>

#include "base/utf8.h"

/* "email", "custom field plan", "ignored" */
static struct slice
meaning_of(struct pool *pool, const struct column *column)
{
	if (column->rules != NULL)
		return SLICE("consent, by its values");
	if (column->field == LEAD_IGNORED)
		return SLICE("ignored");
	if (column->field == LEAD_CUSTOM)
		return POOL_JOIN(pool, SLICE("custom field "), column->name);
	return column->field == LEAD_UTM ? POOL_JOIN(pool, SLICE("utm "), column->name) : lead_field_name(column->field);
}

/* The same as a word that --map takes. */
static struct slice
word_of(struct pool *pool, const struct column *column)
{
	if (column->field == LEAD_IGNORED)
		return SLICE("-");
	if (column->field == LEAD_CUSTOM)
		return column->name;
	return column->field == LEAD_UTM ? POOL_JOIN(pool, SLICE("utm_"), column->name) : lead_field_name(column->field);
}

/* What was found in the heading: a name that was misspelled is a custom field. */
static void
add_columns(const struct import_run *run, bool is_look)
{
	struct pool *pool = run->call->pool;
	struct output *columns = output_new(pool, OUTPUT_ARRAY);
	for (size_t i = 0; i < run->column_count; i++) {
		const struct survey_column *found = &run->survey.columns[i];
		output_record(columns);
		output_text(columns, "column", utf8_sanitized(pool, run->heading[i]));
		output_text(columns, "becomes", meaning_of(pool, &run->columns[i]));
		if (!is_look)
			continue;
		output_text(columns, "field", word_of(pool, &run->columns[i]));
		output_boolean(columns, "is_custom", run->columns[i].field == LEAD_CUSTOM);
		output_texts(columns, "examples", found->examples, found->example_count);
	}
	output_nested(run->call->output, "columns", columns);
}

static bool
made_tags(const struct import_run *run)
{
	return run->makes_tags && !run->dry_run;
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
	output_nested(run->call->output, made_tags(run) ? "made_tags" : "unknown_tags", records);
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

static const char *
delimiter_word(const struct import_run *run)
{
	return run->delimiter == '\t' ? "tab" : pool_string(run->call->pool, (struct slice){ &run->delimiter, 1 });
}

static void
add_form(const struct import_run *run)
{
	struct output *output = run->call->output;
	output_text(output, "encoding", encoding_name(run->call->pool, &run->encoding));
	if (run->format != RECORDS_CSV)
		return;
	output_text(output, "delimiter", slice_of(delimiter_word(run)));
	output_u64(output, "heading", run->heading_line);
}

/* A lead has room for so many; rows with fewer of them are imported. */
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

int
import_answer_look(struct import_run *run)
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
	add_columns(run, true);
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
	output_u64(output, "rows", counts->rows);
	output_u64(output, run->dry_run ? "valid" : "imported", counts->imported);
	output_u64(output, "unchanged", counts->unchanged);
	output_u64(output, "rejected", counts->rejected);
	if (counts->left_out > 0)
		output_u64(output, "left_out", counts->left_out);
	if (counts->tagged > 0)
		output_u64(output, "tagged", counts->tagged);
	if (counts->opted_out > 0)
		output_u64(output, "opted_out", counts->opted_out);
	if (counts->phone_numbers > 0)
		output_u64(output, "phone_numbers_left_out", counts->phone_numbers);
	if (counts->emails > 0)
		output_u64(output, "rows_with_several_emails", counts->emails);
	if (counts->other_encoding > 0)
		output_u64(output, "rows_in_other_encoding", counts->other_encoding);
	if (counts->unknown_names > 0)
		output_u64(output, "unknown_tags_and_actions", counts->unknown_names);
}

/* Where a remote call goes on with the file. */
static void
add_place(struct import_run *run)
{
	struct output *output = run->call->output;
	const bool goes_on = run->goes_on || run->is_late;
	output_u64_or_null(output, "next_line", goes_on ? import_line(run, run->next_line) : 0);
	output_u64_or_null(output, "next_offset", goes_on ? run->next_offset - run->begin : 0);
	output_u64_or_null(output, "last_number", run->last_number);
	output_nested(output, "rejected_rows", run->reasons);
	output_keep_private(output);
}

int
import_answer(struct import_run *run, int status)
{
	struct output *output = run->call->output;
	const int64_t took_ms = progress_took_ms(&run->progress);
	const int number = rejects_close(&run->rejects);
	if (number != 0 && status == EX_OK)
		status = operation_fail(
		    run->call, PROBLEM_IO, "the file of rejected rows could not be written: %s", strerror(number));
	/* the rows that are left to the next part are counted there; tags that were made stay those of all rows */
	if (status == EX_OK && run->is_late && !made_tags(run) && (run->survey.tags.count > 0 || import_questions(run) != NULL))
		status = import_survey(run);
	output_record(output);
	add_counts(run);
	output_u64(output, "seconds", (uint64_t)took_ms / 1000);
	if (run->dry_run)
		add_form(run);
	if (run->dry_run && run->column_count > 0)
		add_columns(run, false);
	if (run->dry_run)
		add_questions(run);
	if (run->survey.tags.count > 0)
		add_tags(run);
	if (!output_is_empty(run->remarks)) {
		output_nested(output, "remarks", run->remarks);
		output_keep_private(output);
	}
	if (run->reasons != NULL)
		add_place(run);
	if (run->dry_run)
		warn_of_fields(run);
	/* rows are rejected: what is wrong is in the report, the file of rejected rows or the messages */
	return status == EX_OK && run->counts.rejected > 0 && run->reasons == NULL ? EX_DATAERR : status;
}
