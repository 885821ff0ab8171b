/* SPDX-License-Identifier: MIT
 * lead import: opens the file, reads its heading, requires answers, and imports the rows. */
#include "admin/data/import_operation.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include "admin/data/import_answer.h"
#include "admin/data/import_arguments.h"
#include "admin/data/import_file.h"
#include "admin/data/import_heading.h"
#include "api/call/param_names.h"
#include "operation/value_types.h"
#include "operation/wiring.h"
#include "store/operator/definitions.h"

static int
open_rejects(struct import_run *run, struct slice heading, const struct stat *file)
{
	const char *path = ARGUMENTS(run->call, struct import_arguments)->rejects;
	struct stat about;
	if (path == NULL)
		return EX_OK;
	if (stat(path, &about) == 0 && about.st_dev == file->st_dev && about.st_ino == file->st_ino)
		return operation_fail(run->call, PROBLEM_USAGE, "--rejects: %s is the file that is imported", path);
	run->rejects = rejects_open(path, run->format, heading, run->delimiter);
	return run->rejects != NULL ? EX_OK : operation_fail(run->call, PROBLEM_CANNOT_CREATE, "%s: %s", path, strerror(errno));
}

static enum result
find_definitions(struct import_run *run)
{
	struct operation_call *call = run->call;
	struct campaign campaign;
	struct definitions definitions;
	int64_t now_ms;
	enum result result = store_find_campaign(call->store, call->pool, call->id, &campaign, &now_ms);
	if (result == RESULT_OK)
		result = store_find_definitions(call->store, call->pool, call->id, &definitions);
	if (result != RESULT_OK)
		return result;
	run->limits.tags = names_of_tags(call->pool, &definitions);
	run->limits.actions = names_of_actions(call->pool, &definitions);
	return RESULT_OK;
}

/* Makes the tags that rows have and the campaign lacks. One that another call has just made is there as well. */
static int
make_tags(struct import_run *run)
{
	struct operation_call *call = run->call;
	const struct survey_texts *tags = &run->survey.tags;
	if (!run->makes_tags || run->dry_run || tags->count == 0)
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

/* Nothing is stored before the questions are answered; a look and a dry run show them. */
static int
import_records(struct import_run *run, struct slice heading, const struct stat *about)
{
	int status = import_survey(run);
	if (status == EX_OK && run->survey.is_look)
		return import_answer_look(run);
	if (status == EX_OK && !run->dry_run)
		status = import_require_answers(run);
	if (status == EX_OK)
		status = make_tags(run);
	if (status == EX_OK)
		status = open_rejects(run, heading, about);
	return status == EX_OK ? import_answer(run, import_run(run)) : status;
}

static int
import_file(struct import_run *run, int fd, const struct stat *about)
{
	struct slice heading = SLICE_NONE;
	struct operation_call *call = run->call;
	const struct import_arguments *arguments = ARGUMENTS(call, struct import_arguments);
	int status = operation_answer(call, find_definitions(run));
	if (status == EX_OK)
		status = import_file_encoding(call, fd, &run->encoding, &run->unsure);
	if (status != EX_OK)
		return status;
	run->format = import_file_format(fd, &run->encoding);
	run->records = records_new(fd, run->format, &run->encoding);
	if (run->goes_on)
		records_expect_more(run->records);
	run->file_size = (uint64_t)about->st_size;
	run->pool = pool_new();
	run->begin_line = 1;
	if (run->format == RECORDS_CSV)
		status = import_read_heading(run, &heading);
	else if (arguments->maps.count > 0 || arguments->values.count > 0)
		status = operation_fail_value(call, PROBLEM_USAGE, "map", "only for CSV");
	if (status == EX_OK)
		status = import_read_constants(run);
	if (status == EX_OK)
		status = import_records(run, heading, about);
	records_free(&run->records);
	pool_free(&run->pool);
	return status;
}

/* As of a row: sign-ups have further numbers. */
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

const struct value_type value_delimiter = { .parse = parse_delimiter, .expected = "one character, or tab" };
static const struct value_type value_last_number = { .parse = parse_last_number, .expected = "a number from 0 to 4000000000" },
			       value_line = { .parse = parse_line, .expected = "the number of a line" },
			       value_heading = { .parse = parse_heading, .expected = "the number of a line" },
			       value_dates = { .parse = parse_dates, .expected = "day-first or month-first" },
			       value_encoding = { .parse = parse_encoding },
			       value_constants = { .parse = value_parse_pair, .form = VALUE_PAIRS },
			       value_columns = { .parse = value_parse_last_pair, .form = VALUE_PAIRS };

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
	struct stat about;
	struct import_run run = {
		.call = call,
		.limits = { .name_bytes = limits->name_bytes,
		    .value_bytes = limits->value_bytes,
		    .depth = limits->json_depth,
		    .is_reserved = param_is_reserved,
		    .utm_bytes = limits->custom_fields_bytes,
		    .dates = arguments->dates,
		    .strict = arguments->strict,
		    .drop_bad_referrers = arguments->drop_unknown_referrers },
		.survey = { .is_look = arguments->look },
		.remarks = output_new(call->pool, OUTPUT_ARRAY),
		.reasons = call->is_remote ? output_new(call->pool, OUTPUT_ARRAY) : NULL,
		.last_number = arguments->last_number,
		.first_line = arguments->first_line,
		.events = arguments->events,
		.dry_run = arguments->dry_run,
		.goes_on = arguments->more,
		.makes_tags = arguments->make_tags,
		.adds_tags = arguments->add_tags,
		.drop_unknown_referrers = arguments->drop_unknown_referrers,
	};
	const int fd = import_file_open(call, arguments, &about);
	if (fd < 0)
		return EX_NOINPUT;
	const int status = import_file(&run, fd, &about);
	close(fd);
	return status;
}

/* clang-format off */
const struct operation operation_lead_import = {
	"lead import", "CAMPAIGN FILE|- [--map COLUMN=FIELD...] [--rejects FILE] [OPTION...]",
	"import leads of another service from CSV or NDJSON", run_lead_import,
	.subject = &subject_campaign, PARAMETERS(parameters, struct import_arguments),
	HTTP(POST, "campaigns/{campaign}/import", RIGHT_CHANGE), .effect = CHANGES, .cost = SLOW, .logs_output = true
};
/* clang-format on */
