/* SPDX-License-Identifier: MIT */
#include "admin/data/import_survey.h"

#include <errno.h>
#include <string.h>
#include <sysexits.h>

#include "admin/data/import_batch.h"
#include "base/encode.h"
#include "base/utf8.h"
#include "engine/custom_fields.h"
#include "operation/value_types.h"
#include "transfer/csv.h"

enum { LOOK_ROWS = 2000 };

/* Counts a text that `rows` rows have. A new text is copied while there is room for it. */
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

/* Whether the cell says that someone must not get mail. Most cells are ruled out by their size. */
static bool
is_refusal(struct pool *pool, const struct column *column, struct slice text)
{
	enum { SHORTEST = 4, LONGEST = 40 };
	return text.size >= SHORTEST && text.size <= LONGEST && (column->may_be_state || !ascii_is_digit(text.data[0])) &&
	       slice_find(text, '@') == text.size &&
	       (column->may_be_state ? consent_state_refuses : consent_value_refuses)(plain_words(pool, text));
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

/* Counts a value of a column about consent. All times count as one value; an empty value is always listed by itself. */
static void
count_value(struct import_run *run, struct survey_texts *values, struct slice cell, uint64_t rows)
{
	const struct slice plain = plain_words(run->pool, cell);
	const bool is_time = time_is(cell);
	count_text(run->call->pool, values, cell, plain, is_time ? 0 : plain.size == 0 ? SIZE_MAX : SURVEY_VALUES_MAX, rows);
	values->times += is_time ? rows : 0;
}

/* Whether the column is about consent, and the value has been given no meaning. */
static bool
is_open(const struct import_run *run, const struct column *column, struct slice cell)
{
	return column->needs_meaning || (column->rules != NULL && column_meaning(run->pool, column, cell) == MEANS_UNKNOWN);
}

/* Whether a column opted_out has the answer for each row. No other column is then suspected to be about consent. */
static bool
says_opted_out(const struct import_run *run)
{
	for (size_t i = 0; i < run->column_count; i++)
		if (run->columns[i].field == LEAD_OPTED_OUT && slice_equal_nocase(run->heading[i], SLICE("opted_out")))
			return true;
	return false;
}

static void
look_at_cell(struct import_run *run, size_t i, struct slice cell)
{
	struct survey_column *found = &run->survey.columns[i];
	struct column *column = &run->columns[i];
	struct pool *pool = run->call->pool;
	cell = slice_trim(cell);
	found->cells++;
	if (run->arguments->look && cell.size > 0 && found->example_count < SURVEY_EXAMPLES)
		found->examples[found->example_count++] = utf8_sanitized(pool, pool_copy(pool, cell));
	if (run->survey.guards && column->is_guess && !column->needs_meaning && is_refusal(run->pool, column, cell))
		column->needs_meaning = true;
	if (column->may_be_switch)
		look_for_switch(run->pool, found, cell);
	if (is_open(run, column, cell))
		count_value(run, &found->values, cell, 1);
}

static void
look_at_cells(struct import_run *run, struct slice text)
{
	struct csv_fields fields;
	if (run->format != RECORDS_CSV || csv_split(run->pool, text, run->delimiter, &fields) != NULL)
		return;
	run->survey.split_rows++;
	for (size_t i = 0; i < run->column_count && i < fields.count; i++)
		if (run->columns[i].is_guess || run->columns[i].rules != NULL || run->arguments->look)
			look_at_cell(run, i, csv_cell(run->pool, fields.items[i]));
}

/* A missing cell counts as an empty one. There may be very many, so they are not examined one by one. */
static void
count_missing_cells(struct import_run *run)
{
	for (size_t i = 0; i < run->column_count; i++) {
		struct survey_column *found = &run->survey.columns[i];
		if (found->cells < run->survey.split_rows && is_open(run, &run->columns[i], SLICE("")))
			count_value(run, &found->values, SLICE(""), run->survey.split_rows - found->cells);
	}
}

/* A caller that may not read leads may not choose social ids: they are part of links that others may know. */
static int
look_at_record(struct import_run *run, struct slice text)
{
	struct import_survey *survey = &run->survey;
	struct row_notes notes = { 0 };
	struct import import;
	survey->rows++;
	look_at_cells(run, text);
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
look_at_records(struct import_run *run)
{
	struct record record;
	int status = EX_OK;
	records_seek(run->records, run->begin, run->begin_line);
	while (status == EX_OK && !(run->arguments->look && run->survey.rows == LOOK_ROWS)) {
		const enum record_state state = records_next(run->records, &record);
		if (state == RECORD_END)
			return EX_OK;
		if (state == RECORD_FAILED)
			return operation_fail(run->call, PROBLEM_IO, "the file could not be read: %s", strerror(errno));
		if (run->is_late && record.offset >= run->next_offset)
			return EX_OK;
		if (state == RECORD_GOOD && !import_is_empty(run, run->pool, record.text))
			status = look_at_record(run, record.text);
		pool_reset(run->pool);
	}
	return status;
}

/* Why a heading cannot be a custom field, or NULL. Two columns with the same name would become one field. */
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
	run->survey = (struct import_survey){ 0 };
	run->survey.columns = POOL_ARRAY(run->call->pool, run->column_count, struct survey_column);
	for (size_t i = 0; i < run->column_count; i++)
		run->survey.columns[i].problem = problem_of(run, i);
}

/* A column that contains only yes and no may be about consent, even if its name is in no list. Only the first part decides
 * this, because a later one may contain few of the column's values. */
static void
open_switches(struct import_run *run)
{
	for (size_t i = 0; i < run->column_count; i++)
		if (run->columns[i].may_be_switch && run->survey.columns[i].has_switch && !run->survey.columns[i].has_other)
			run->columns[i].needs_meaning = true;
}

/* If a late value shows what a column is about, one more pass collects its values. */
int
import_survey(struct import_run *run)
{
	const size_t before = count_open(run);
	begin(run);
	run->survey.guards = !says_opted_out(run);
	int status = look_at_records(run);
	if (run->survey.guards && !run->is_late && run->arguments->first_line <= run->begin_line)
		open_switches(run);
	if (status == EX_OK && count_open(run) > before) {
		begin(run);
		status = look_at_records(run);
	}
	count_missing_cells(run);
	const uint64_t *dates = run->survey.dates;
	if (run->limits.dates == DATES_UNKNOWN && dates[TIME_DAY_FIRST] + dates[TIME_MONTH_FIRST] > 0 &&
	    (dates[TIME_DAY_FIRST] == 0 || dates[TIME_MONTH_FIRST] == 0))
		run->limits.dates = dates[TIME_DAY_FIRST] > 0 ? DATES_DAY_FIRST : DATES_MONTH_FIRST;
	return status;
}

/* ---- questions ---- */

static bool
has_field(const struct import_run *run, enum lead_field field)
{
	for (size_t i = 0; i < run->column_count; i++)
		if (run->columns[i].field == field && run->columns[i].rules == NULL)
			return true;
	for (size_t i = 0; i < run->limits.constant_count; i++)
		if (run->limits.constants[i].column.field == field)
			return true;
	return false;
}

/* The last segment of the path. */
static struct slice
file_name(const struct import_run *run)
{
	const struct slice given = run->arguments->file_name,
			   path = slice_present(given) ? given : slice_of(run->arguments->records.path);
	const size_t slash = slice_find_last(path, '/');
	return slash == path.size ? path : slice_sub(path, slash + 1, path.size);
}

/* Whether a column contains only yes and no, and its name does not tell what it is about. */
static bool
is_unsure(const struct import_run *run, size_t i)
{
	const struct survey_column *found = &run->survey.columns[i];
	return found->has_switch && !found->has_other && !consent_needs_meaning(plain_words(run->call->pool, run->heading[i]));
}

static struct slice
add_value(const struct import_run *run, size_t i, const struct survey_text *value, enum value_meaning meaning,
    struct output *values, struct slice options)
{
	struct pool *pool = run->call->pool;
	const struct slice shown = utf8_sanitized(pool, value->text);
	output_record(values);
	output_text(values, "value", shown);
	output_u64(values, "rows", value->rows);
	output_text(values, "suggested", value_meaning_name(meaning));
	const struct slice word = meaning == MEANS_UNKNOWN ? SLICE("MEANING") : value_meaning_name(meaning);
	const struct slice pair = pool_printf(pool, "#%zu:%.*s=%.*s", i + 1, SLICE_ARGS(shown), SLICE_ARGS(word));
	return POOL_JOIN(pool, options, SLICE(" --value "), encode_shell_word(pool, pair));
}

struct question {
	const char *about, *text;
	size_t column; /* the number of the column, from 1; 0: the question is about the file */
	struct slice name, answer;
	const struct output *values; /* NULL: none */
};

/* Adds the question as data; before an import, also shows it as a line of the command. */
static void
add_question(struct import_run *run, struct output *questions, struct question question)
{
	struct pool *pool = run->call->pool;
	struct slice column = SLICE_NONE;
	if (question.column > 0) {
		column = pool_printf(pool, "#%zu", question.column);
		question.name = utf8_sanitized(pool, run->heading[question.column - 1]);
	}
	output_record(questions);
	output_text(questions, "about", slice_of(question.about));
	output_text(questions, "column", column);
	output_text(questions, "name", question.name);
	output_text(questions, "question", slice_of(question.text));
	output_text(questions, "answer", question.answer);
	output_nested(questions, "values", question.values != NULL ? question.values : output_new(pool, OUTPUT_ARRAY));
	if (!run->arguments->look && !run->arguments->dry_run)
		operation_warn(run->call, "%.*s%s%.*s%s%s Answer: %.*s", SLICE_ARGS(column), slice_present(column) ? " " : "",
		    SLICE_ARGS(question.name), slice_present(question.name) ? ": " : "", question.text,
		    SLICE_ARGS(question.answer));
}

/* Whether the column has values to ask about. Empty cells alone mean nothing, unless other values of the column have a meaning.
 */
static bool
has_values(const struct import_run *run, size_t i)
{
	const struct survey_texts *values = &run->survey.columns[i].values;
	const size_t least = run->columns[i].rules != NULL || (values->count > 0 && values->items[0].plain.size > 0) ? 1 : 2;
	return values->others > 0 || values->count >= least;
}

static void
add_values(struct import_run *run, struct output *questions, size_t i)
{
	struct pool *pool = run->call->pool;
	const struct survey_texts *found = &run->survey.columns[i].values;
	struct output *values = output_new(pool, OUTPUT_ARRAY);
	const enum consent_column kind = consent_column_of(plain_words(pool, run->heading[i]));
	const struct survey_text others = { SLICE(VALUE_OTHER), SLICE(VALUE_OTHER), found->others };
	const struct survey_text nothing = { SLICE(""), SLICE(""), 0 };
	struct slice options = SLICE("");
	const struct column *column = &run->columns[i];
	const bool unsure = is_unsure(run, i);
	bool has_empty = column_rule(column, nothing.plain) != MEANS_UNKNOWN;
	for (size_t k = 0; k < found->count; k++) {
		const enum value_meaning meaning =
		    unsure ? MEANS_UNKNOWN : column_suggest_meaning(found->items[k].text, found->items[k].plain, kind);
		options = add_value(run, i, &found->items[k], meaning, values, options);
		has_empty = has_empty || found->items[k].plain.size == 0;
	}
	const bool asks_others = others.rows > 0 && column_rule(column, others.plain) == MEANS_UNKNOWN;
	if (asks_others && !has_empty) /* a later row may have an empty cell */
		options = add_value(run, i, &nothing, consent_suggested(nothing.plain, kind), values, options);
	if (asks_others)
		options = add_value(run, i, &others,
		    kind == COLUMN_OF_REFUSALS    ? MEANS_OPTED_OUT
		    : found->times == others.rows ? MEANS_ACTIVE
						  : MEANS_UNKNOWN,
		    values, options);
	options =
	    pool_printf(pool, "%.*s, or, if it is about something else: --map '#%zu=NAME', or to leave it out: --map '#%zu=-'",
		SLICE_ARGS(slice_sub(options, 1, options.size)), i + 1, i + 1);
	add_question(run, questions,
	    (struct question){ "values",
		unsure ? "Does this column say whether people may get mail? If so, what do its values mean?"
		       : "This column says whether people may get mail. What do its values mean?",
		i + 1, SLICE_NONE, options, values });
}

static void
add_name(struct import_run *run, struct output *questions, size_t i)
{
	struct pool *pool = run->call->pool;
	const struct slice text = pool_printf(
	    pool, "This column cannot be a custom field: %s. What is it to be called?", run->survey.columns[i].problem);
	const struct slice answer = pool_printf(pool, "--map '#%zu=NAME', or to leave it out: --map '#%zu=-'", i + 1, i + 1);
	add_question(run, questions, (struct question){ "name", text.data, i + 1, SLICE_NONE, answer, NULL });
}

struct output *
import_questions(struct import_run *run)
{
	struct pool *pool = run->call->pool;
	struct output *questions = output_new(pool, OUTPUT_ARRAY);
	const struct slice name = file_name(run);
	const uint64_t *dates = run->survey.dates;
	for (size_t i = 0; i < run->column_count; i++)
		if (has_values(run, i))
			add_values(run, questions, i);
		else if (run->survey.columns[i].problem != NULL)
			add_name(run, questions, i);
	if (consent_file_refuses(plain_words(pool, name)) && !has_field(run, LEAD_OPTED_OUT))
		add_question(run, questions,
		    (struct question){ "file",
			"By its name the file has people who must not get mail. Have all of them unsubscribed?", 0, name,
			SLICE("--set opted_out=on, or if they may get mail: --set opted_out=off"), NULL });
	if (run->limits.dates == DATES_UNKNOWN && dates[TIME_DAY_FIRST] + dates[TIME_MONTH_FIRST] + dates[TIME_EITHER] > 0)
		add_question(run, questions,
		    (struct question){ "dates", "Times of sign-up are written as 3/1/2024. Is the day or the month first?", 0,
			SLICE_NONE, SLICE("--dates day-first, or --dates month-first"), NULL });
	return output_is_empty(questions) ? NULL : questions;
}

int
import_require_answers(struct import_run *run)
{
	enum { JSON_MAX = 256 * 1024 };
	struct operation_call *call = run->call;
	struct output *questions = import_questions(run);
	struct buffer json;
	if (questions == NULL)
		return EX_OK;
	buffer_init(&json, JSON_MAX);
	output_write_json(questions, &json);
	if (buffer_ok(&json))
		call->report.questions = pool_copy(call->pool, slice_trim(buffer_slice(&json)));
	buffer_free(&json);
	return operation_fail(call, PROBLEM_QUESTIONS, "nothing was imported: there are questions to answer first");
}
