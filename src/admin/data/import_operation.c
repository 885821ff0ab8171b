/* SPDX-License-Identifier: MIT
 * lead import: opens the file, reads its heading, requires answers, and imports the rows. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include "admin/data/import_answer.h"
#include "admin/data/import_file.h"
#include "admin/data/import_heading.h"
#include "admin/operations.h"
#include "operation/value_types.h"
#include "operation/wiring.h"
#include "store/operator/admin.h"

/* The operands after CAMPAIGN. */
enum { OPERAND_FILE = 1, OPERAND_MAP };

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

static enum result
find_definitions(struct import_run *run)
{
	struct admin_call *call = run->call;
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
	struct admin_call *call = run->call;
	const struct survey_texts *tags = &run->survey.tags;
	if (!run->makes_tags || run->dry_run || tags->count == 0)
		return EX_OK;
	if (!caller_has_right(call->caller, RIGHT_MANAGE))
		return admin_fail(call, PROBLEM_FORBIDDEN, "tags are made with the right manage, too");
	if (tags->others > 0)
		return admin_fail(
		    call, PROBLEM_INVALID, "there are more than %d tags that the campaign does not have", SURVEY_TAGS_MAX);
	for (size_t i = 0; i < tags->count; i++) {
		const struct definition tag = { .kind = DEFINITION_TAG, .as.tag.name = slice_trim(tags->items[i].text) };
		enum definition_refusal refusal;
		uint64_t id;
		if (!admin_name(call, tag.as.tag.name))
			return EX_DATAERR;
		const enum result result = store_add_definition(call->store, call->id, &tag, &id, &refusal);
		if (result == RESULT_INVALID && refusal == DEFINITION_TOO_MANY)
			return admin_fail(call, PROBLEM_CONFLICT, "the campaign has as many tags as it can have");
		if (result != RESULT_OK && result != RESULT_INVALID)
			return admin_answer(call, result);
	}
	return admin_answer(call, find_definitions(run));
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
	struct admin_call *call = run->call;
	int status = admin_answer(call, find_definitions(run));
	if (status == EX_OK)
		status = import_file_encoding(call, fd, &run->encoding, &run->unsure);
	if (status != EX_OK)
		return status;
	run->format = import_file_format(fd, &run->encoding);
	run->records = records_new(fd, run->format, &run->encoding, run->goes_on);
	run->file_size = (uint64_t)about->st_size;
	run->pool = pool_new();
	run->begin_line = 1;
	if (run->format == RECORDS_CSV)
		status = import_read_heading(run, &heading);
	else if (call->operand_count > OPERAND_MAP || call->options[OPTION_MAP] != NULL || call->options[OPTION_VALUE] != NULL)
		status = admin_fail_option(call, PROBLEM_USAGE, OPTION_MAP, "only for CSV");
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
read_last_number(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	uint64_t number;
	const bool valid = slice_to_u64(text, IMPORT_NUMBER_MAX, &number);
	if (valid)
		*(uint32_t *)place = (uint32_t)number;
	return valid;
}

static bool
read_line(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	return slice_to_u64(text, UINT32_MAX, place) && *(uint64_t *)place > 0;
}

static bool
read_dates(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	const bool day = slice_equal(text, SLICE("day-first"));
	*(enum date_order *)place = day ? DATES_DAY_FIRST : DATES_MONTH_FIRST;
	return day || slice_equal(text, SLICE("month-first"));
}

#define PLACE(member) offsetof(struct import_run, member)
static const struct value_option options[] = {
	{ OPTION_LAST_NUMBER, read_last_number, PLACE(last_number), "a number from 0 to 4000000000" },
	{ OPTION_FIRST_LINE, read_line, PLACE(first_line), "the number of a line" },
	{ OPTION_DATES, read_dates, PLACE(limits.dates), "day-first or month-first" },
	{ OPTION_STRICT, value_given, PLACE(limits.strict), "nothing" },
	{ OPTION_EVENTS, value_given, PLACE(events), "nothing" },
	{ OPTION_DRY_RUN, value_given, PLACE(dry_run), "nothing" },
	{ OPTION_LOOK, value_given, PLACE(survey.is_look), "nothing" },
	{ OPTION_MORE, value_given, PLACE(goes_on), "nothing" },
	{ OPTION_MAKE_TAGS, value_given, PLACE(makes_tags), "nothing" },
	{ OPTION_ADD_TAGS, value_given, PLACE(adds_tags), "nothing" },
	{ OPTION_DROP_REFERRERS, value_given, PLACE(drop_unknown_referrers), "nothing" },
	{ OPTION_DROP_REFERRERS, value_given, PLACE(limits.drop_bad_referrers), "nothing" },
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
		    .utm_bytes = limits->custom_fields_bytes },
		.remarks = output_new(call->pool, OUTPUT_ARRAY),
	};
	if (!values_take(call, options, ARRAY_SIZE(options), &run))
		return EX_DATAERR;
	if (call->is_remote)
		run.reasons = output_new(call->pool, OUTPUT_ARRAY);
	const int fd = import_file_open(call, call->operands[OPERAND_FILE], &about);
	if (fd < 0)
		return EX_NOINPUT;
	const int status = import_file(&run, fd, &about);
	close(fd);
	return status;
}
