/* SPDX-License-Identifier: MIT
 * What has to be said before anything is stored. No one becomes an active lead by silence. */
#include <sysexits.h>

#include "admin/data/import_arguments.h"
#include "admin/data/import_batch.h"
#include "base/utf8.h"
#include "operation/value_types.h"

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

/* The last part of the path. */
static struct slice
file_name(const struct import_run *run)
{
	const struct import_arguments *arguments = ARGUMENTS(run->call, struct import_arguments);
	const struct slice given = arguments->file_name,
			   path = slice_present(given) ? given : slice_of(arguments->records.path);
	const size_t slash = slice_find_last(path, '/');
	return slash == path.size ? path : slice_sub(path, slash + 1, path.size);
}

static struct slice
column_word(const struct import_run *run, size_t i)
{
	return pool_printf(run->call->pool, "#%zu", i + 1);
}

/* A line for a shell, as it may be typed: 'Status:unsubscribed=opted_out'. */
static struct slice
quoted(struct pool *pool, struct slice text)
{
	struct slice all = SLICE("'"), part;
	bool first = true;
	while (slice_next(&text, '\'', &part)) {
		all = POOL_JOIN(pool, all, first ? SLICE("") : SLICE("'\\''"), part);
		first = false;
	}
	return POOL_JOIN(pool, all, SLICE("'"));
}

/* Whether a column has only yes and no, and its name does not show what about. */
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
	const struct slice pair = POOL_JOIN(pool, column_word(run, i), SLICE(":"), shown, SLICE("="),
	    meaning == MEANS_UNKNOWN ? SLICE("MEANING") : value_meaning_name(meaning));
	return POOL_JOIN(pool, options, SLICE(" --value "), quoted(pool, pair));
}

/* The questions: as data, and to a shell as lines. */
struct question_list {
	struct import_run *run;
	struct output *questions;
	bool aloud;
};

static void
add_question(const struct question_list *list, const char *about, struct slice column, struct slice name, const char *question,
    struct slice answer, const struct output *values)
{
	struct output *questions = list->questions;
	output_record(questions);
	output_text(questions, "about", slice_of(about));
	output_text(questions, "column", column);
	output_text(questions, "name", name);
	output_text(questions, "question", slice_of(question));
	output_text(questions, "answer", answer);
	if (values != NULL)
		output_nested(questions, "values", values);
	else
		output_json(questions, "values", SLICE("[]"));
	if (list->aloud)
		operation_warn(list->run->call, "%.*s%s%.*s%s%s Answer: %.*s", SLICE_ARGS(column),
		    slice_present(column) ? " " : "", SLICE_ARGS(name), slice_present(name) ? ": " : "", question,
		    SLICE_ARGS(answer));
}

/* A column that is empty says nothing, unless other values of it have a meaning. */
static bool
has_values(const struct import_run *run, size_t i)
{
	const struct survey_texts *values = &run->survey.columns[i].values;
	const size_t least = run->columns[i].rules != NULL || (values->count > 0 && values->items[0].plain.size > 0) ? 1 : 2;
	return values->others > 0 || values->count >= least;
}

static void
ask_for_meanings(const struct question_list *list, size_t i, bool unsure, struct slice options, const struct output *values)
{
	const struct import_run *run = list->run;
	struct pool *pool = run->call->pool;
	const struct slice column = column_word(run, i);
	add_question(list, "values", column, utf8_sanitized(pool, run->heading[i]),
	    unsure ? "Does this column say whether people may get mail? If so, what do its values mean?"
		   : "This column says whether people may get mail. What do its values mean?",
	    POOL_JOIN(pool, slice_sub(options, 1, options.size), SLICE(", or, if it is about something else: --map "),
		quoted(pool, POOL_JOIN(pool, column, SLICE("=NAME"))), SLICE(", or to leave it out: --map "),
		quoted(pool, POOL_JOIN(pool, column, SLICE("=-")))),
	    values);
}

static void
add_values(const struct question_list *list, size_t i)
{
	const struct import_run *run = list->run;
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
		    unsure ? MEANS_UNKNOWN : column_suggested(found->items[k].text, found->items[k].plain, kind);
		options = add_value(run, i, &found->items[k], meaning, values, options);
		has_empty = has_empty || found->items[k].plain.size == 0;
	}
	const bool asks_others = others.rows > 0 && column_rule(column, others.plain) == MEANS_UNKNOWN;
	if (asks_others && !has_empty) /* a later row may have none */
		options = add_value(run, i, &nothing, consent_suggested(nothing.plain, kind), values, options);
	if (asks_others)
		options = add_value(run, i, &others,
		    kind == COLUMN_OF_REFUSALS    ? MEANS_OPTED_OUT
		    : found->times == others.rows ? MEANS_ACTIVE
						  : MEANS_UNKNOWN,
		    values, options);
	ask_for_meanings(list, i, unsure, options, values);
}

static void
add_columns(const struct question_list *list)
{
	const struct import_run *run = list->run;
	struct pool *pool = run->call->pool;
	for (size_t i = 0; i < run->column_count; i++) {
		const char *problem = run->survey.columns[i].problem;
		if (has_values(run, i))
			add_values(list, i);
		else if (problem != NULL)
			add_question(list, "name", column_word(run, i), utf8_sanitized(pool, run->heading[i]),
			    pool_printf(pool, "This column cannot be a custom field: %s. What is it to be called?", problem)
				.data,
			    pool_printf(pool, "--map '#%zu=NAME', or to leave it out: --map '#%zu=-'", i + 1, i + 1), NULL);
	}
}

static struct output *
list_questions(struct import_run *run, bool aloud)
{
	struct pool *pool = run->call->pool;
	const struct question_list list = { run, output_new(pool, OUTPUT_ARRAY), aloud };
	const struct slice name = file_name(run);
	const uint64_t *dates = run->survey.dates;
	add_columns(&list);
	if (consent_file_refuses(plain_words(pool, name)) && !has_field(run, LEAD_OPTED_OUT))
		add_question(&list, "file", SLICE_NONE, name,
		    "By its name the file has people who must not get mail. Have all of them unsubscribed?",
		    SLICE("--set opted_out=on, or if they may get mail: --set opted_out=off"), NULL);
	if (run->limits.dates == DATES_UNKNOWN && dates[TIME_DAY_FIRST] + dates[TIME_MONTH_FIRST] + dates[TIME_EITHER] > 0)
		add_question(&list, "dates", SLICE_NONE, SLICE_NONE,
		    "Times of sign-up are written as 3/1/2024. Is the day or the month first?",
		    SLICE("--dates day-first, or --dates month-first"), NULL);
	return output_is_empty(list.questions) ? NULL : list.questions;
}

struct output *
import_questions(struct import_run *run)
{
	return list_questions(run, false);
}

int
import_require_answers(struct import_run *run)
{
	enum { JSON_MAX = 256 * 1024 };
	struct operation_call *call = run->call;
	struct output *questions = list_questions(run, true);
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
