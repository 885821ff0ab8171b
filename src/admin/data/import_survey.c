/* SPDX-License-Identifier: MIT */
#include "admin/data/import_survey.h"

#include <errno.h>
#include <string.h>
#include <sysexits.h>

#include "admin/data/import_batch.h"
#include "base/utf8.h"
#include "engine/custom_fields.h"
#include "transfer/csv.h"

enum { LOOK_ROWS = 2000 };

/* Counts a text that `rows` have; a new one is copied, while there is room. */
static void
count_text(struct pool *pool, struct survey_texts *texts, struct slice text, struct slice plain, size_t maximum, uint64_t rows)
{
	for (size_t i = 0; i < texts->count; i++)
		if (slice_equal(texts->items[i].plain, plain)) {
			texts->items[i].rows += rows;
			return;
		}
	if (texts->count >= maximum) {
		texts->others += rows;
		return;
	}
	texts->items = pool_grow(pool, texts->items, texts->count, &texts->capacity, sizeof(*texts->items));
	texts->items[texts->count++] = (struct survey_text){ pool_copy(pool, text), pool_copy(pool, plain), rows };
}

/* Few cells say that someone must not get mail: most differ in their size. */
static bool
is_refusal(struct pool *pool, const struct column *column, struct slice text)
{
	enum { SHORTEST = 4, LONGEST = 40 };
	return text.size >= SHORTEST && text.size <= LONGEST && (column->may_be_any || !ascii_is_digit(text.data[0])) &&
	       slice_find(text, '@') == text.size &&
	       (column->may_be_any ? consent_state_refuses : consent_value_refuses)(plain_words(pool, text));
}

static void
look_for_switch(struct pool *pool, struct survey_column *found, struct slice cell)
{
	enum { LONGEST = 16 };
	bool on;
	if (found->has_other || cell.size == 0)
		return;
	if (cell.size <= LONGEST && (switch_parse(cell, &on) || switch_parse(plain_words(pool, cell), &on)))
		found->has_switch = true;
	else
		found->has_other = true;
}

/* A value of a column about consent. Times are all the same; an empty value is always listed, because it is none of the others.
 */
static void
count_value(struct import_run *run, struct survey_texts *values, struct slice cell, uint64_t rows)
{
	const struct slice plain = plain_words(run->pool, cell);
	const bool is_time = time_is(cell);
	count_text(run->call->pool, values, cell, plain, is_time ? 0 : plain.size == 0 ? SIZE_MAX : SURVEY_VALUES_MAX, rows);
	values->times += is_time ? rows : 0;
}

/* Whether no one has said what a value of a column about consent means. */
static bool
is_open(const struct import_run *run, const struct column *column, struct slice cell)
{
	return column->needs_meaning || (column->rules != NULL && column_meaning(run->pool, column, cell) == MEANS_UNKNOWN);
}

/* A file that says of each row whether the person has opted out need not say it in another column. */
static bool
says_opted_out(const struct import_run *run)
{
	for (size_t i = 0; i < run->column_count; i++)
		if (run->columns[i].field == LEAD_OPTED_OUT && slice_equal_nocase(run->heading[i], SLICE("opted_out")))
			return true;
	return false;
}

static void
look_at_cell(struct import_run *run, size_t i, struct slice cell, bool guards)
{
	struct survey_column *found = &run->survey.columns[i];
	struct column *column = &run->columns[i];
	struct pool *pool = run->call->pool;
	cell = slice_trim(cell);
	found->cells++;
	if (run->survey.is_look && cell.size > 0 && found->example_count < SURVEY_EXAMPLES)
		found->examples[found->example_count++] = utf8_sanitized(pool, pool_copy(pool, cell));
	if (guards && column->is_guess && !column->needs_meaning && is_refusal(run->pool, column, cell))
		column->needs_meaning = true;
	if (column->may_be_switch)
		look_for_switch(run->pool, found, cell);
	if (is_open(run, column, cell))
		count_value(run, &found->values, cell, 1);
}

static void
look_at_cells(struct import_run *run, struct slice text, bool guards)
{
	struct csv_fields fields;
	if (run->format != RECORDS_CSV || csv_split(run->pool, text, run->delimiter, &fields) != NULL)
		return;
	run->survey.split_rows++;
	for (size_t i = 0; i < run->column_count && i < fields.count; i++)
		if (run->columns[i].is_guess || run->columns[i].rules != NULL || run->survey.is_look)
			look_at_cell(run, i, csv_cell(run->pool, fields.items[i]), guards);
}

/* A cell that is missing is an empty one. A file may have very many: they are not looked at one by one. */
static void
count_missing_cells(struct import_run *run)
{
	for (size_t i = 0; i < run->column_count; i++) {
		struct survey_column *found = &run->survey.columns[i];
		if (found->cells < run->survey.split_rows && is_open(run, &run->columns[i], SLICE("")))
			count_value(run, &found->values, SLICE(""), run->survey.split_rows - found->cells);
	}
}

/* A caller that may not read leads gives none a social id: links that are known to others may have it. */
static int
look_at_record(struct import_run *run, struct slice text, bool guards)
{
	struct import_survey *survey = &run->survey;
	struct row_notes notes = { 0 };
	struct import import;
	survey->rows++;
	look_at_cells(run, text, guards);
	const char *problem = import_read_row(run, run->pool, text, &notes, &import);
	survey->dates[notes.created]++;
	for (size_t i = 0; i < notes.unknown_tag_count; i++)
		count_text(run->call->pool, &survey->tags, notes.unknown_tags[i],
		    custom_field_name(run->pool, notes.unknown_tags[i]), SURVEY_TAGS_MAX, 1);
	if (problem != NULL)
		return EX_OK;
	if (import.number > run->last_number)
		run->last_number = import.number;
	if (slice_present(import.signup.subject) && !caller_has_right(run->call->caller, RIGHT_LEADS))
		return operation_fail(run->call, PROBLEM_FORBIDDEN, "social_id is imported with the right leads, too");
	return EX_OK;
}

static int
look_at_records(struct import_run *run, bool guards)
{
	struct record record;
	int status = EX_OK;
	records_seek(run->records, run->begin, run->begin_line);
	while (status == EX_OK && !(run->survey.is_look && run->survey.rows == LOOK_ROWS)) {
		const enum record_state state = records_next(run->records, &record);
		if (state == RECORD_END)
			return EX_OK;
		if (state == RECORD_FAILED)
			return operation_fail(run->call, PROBLEM_IO, "the file could not be read: %s", strerror(errno));
		if (run->is_late && record.offset >= run->next_offset)
			return EX_OK;
		if (state == RECORD_GOOD && !import_is_empty(run, run->pool, record.text))
			status = look_at_record(run, record.text, guards);
		pool_reset(run->pool);
	}
	return status;
}

/* Why a heading cannot be a custom field. Two of one name would be one field. */
static const char *
problem_of(const struct import_run *run, size_t i)
{
	const struct column *column = &run->columns[i];
	if (column->field != LEAD_CUSTOM || column->rules != NULL)
		return NULL;
	if (column->name.size > run->limits.name_bytes)
		return "its name is too long";
	if (utf8_has_control(column->name))
		return "its name has control characters";
	for (size_t k = 0; k < i; k++)
		if (run->columns[k].field == LEAD_CUSTOM && run->columns[k].rules == NULL &&
		    slice_equal(run->columns[k].name, column->name))
			return "another column has the same name";
	return NULL;
}

static size_t
count_open(const struct import_run *run)
{
	size_t count = 0;
	for (size_t i = 0; i < run->column_count; i++)
		count += run->columns[i].needs_meaning ? 1 : 0;
	return count;
}

static void
begin(struct import_run *run)
{
	run->survey = (struct import_survey){ .is_look = run->survey.is_look };
	run->survey.columns = POOL_ARRAY(run->call->pool, run->column_count, struct survey_column);
	for (size_t i = 0; i < run->column_count; i++)
		run->survey.columns[i].problem = problem_of(run, i);
}

/* A column that has only yes and no may be about consent under a name that is in no list. Only the first part decides, because
 * a later one may have few of the column's values. */
static void
open_switches(struct import_run *run)
{
	for (size_t i = 0; i < run->column_count; i++)
		if (run->columns[i].may_be_switch && run->survey.columns[i].has_switch && !run->survey.columns[i].has_other)
			run->columns[i].needs_meaning = true;
}

/* When a value shows late what a column is about, its values are collected in one more pass. */
int
import_survey(struct import_run *run)
{
	const size_t before = count_open(run);
	begin(run);
	const bool guards = !says_opted_out(run);
	int status = look_at_records(run, guards);
	if (guards && !run->is_late && run->first_line <= run->begin_line)
		open_switches(run);
	if (status == EX_OK && count_open(run) > before) {
		begin(run);
		status = look_at_records(run, false);
	}
	count_missing_cells(run);
	const uint64_t *dates = run->survey.dates;
	if (run->limits.dates == DATES_UNKNOWN && dates[TIME_DAY_FIRST] + dates[TIME_MONTH_FIRST] > 0 &&
	    (dates[TIME_DAY_FIRST] == 0 || dates[TIME_MONTH_FIRST] == 0))
		run->limits.dates = dates[TIME_DAY_FIRST] > 0 ? DATES_DAY_FIRST : DATES_MONTH_FIRST;
	return status;
}
