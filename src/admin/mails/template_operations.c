/* SPDX-License-Identifier: MIT
 * A campaign's own templates of mails (docs/mail.md 1): show, change, preview. */
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>

#include "admin/jobs/job_operations.h"
#include "admin/mails/own_texts.h"
#include "admin/operations.h"
#include "compose/own_templates.h"
#include "compose/preview.h"
#include "compose/subject.h"
#include "os/replacement.h"
#include "operation/wiring.h"
#include "store/operator/admin.h"
#include "store/texts/campaign_texts.h"

/* The second operand. Returns EX_OK, or a status after reporting the error. */
static int
read_kind(struct admin_call *call, const struct mail_kind_info **info)
{
	enum message_kind kind = MESSAGE_VERIFY;
	struct slice names = SLICE("");
	*info = message_kind_parse(slice_of(call->operands[1]), &kind) ? mail_kind_find(kind) : NULL;
	if (*info != NULL)
		return EX_OK;
	for (unsigned i = 0; i < MESSAGE_KINDS; i++)
		if (mail_kind_find((enum message_kind)i) != NULL)
			names = POOL_JOIN(call->pool, names, SLICE(" "), message_kind_name((enum message_kind)i));
	return admin_fail(call, PROBLEM_INVALID, "kind: expected one of%.*s", SLICE_ARGS(names));
}

/* ---- show ---- */

struct text_list {
	struct campaign_text *texts;
	size_t count;
};

/* The own text of just this language; `language` "": of every language. Absent: there is none. */
static struct slice
find_text(const struct text_list *list, struct slice name, struct slice language)
{
	for (size_t i = 0; i < list->count; i++)
		if (slice_equal(list->texts[i].name, name) && slice_equal(list->texts[i].language, language))
			return list->texts[i].value;
	return SLICE_NONE;
}

static enum result
read_texts(struct admin_call *call, struct text_list *list)
{
	return store_read_texts(call->store, call->pool, call->id, SLICE(OWN_TEMPLATE_PREFIX), &list->texts, &list->count);
}

/* The keys of the output must be literals. */
static const struct {
	const char *key, *origin_key, *own_key;
} columns[TEMPLATE_PLACES] = {
	[TEMPLATE_SUBJECT] = { "subject", "subject_is", "own_subject" },
	[TEMPLATE_TEXT] = { "text", "text_is", "own_text" },
	[TEMPLATE_HTML] = { "html", "html_is", "own_html" },
};

static const char own[] = "own", own_for_all[] = "own, for every language";

static const char *
usual_origin(enum template_place place)
{
	return place != TEMPLATE_HTML ? "default" : "made of the text";
}

static const char *
origin_of(const struct own_templates *templates, enum template_place place)
{
	if (slice_present(templates->sources[place]))
		return templates->languages[place].size > 0 ? own : own_for_all;
	return usual_origin(place);
}

static void
show_names(struct output *out, const char *key, mail_names names)
{
	struct slice texts[MAIL_NAMES];
	size_t count = 0;
	for (unsigned i = 0; i < MAIL_NAMES; i++)
		if ((names & MAIL_NAME_BIT(i)) != 0)
			texts[count++] = mail_name_text((enum mail_name)i);
	output_texts(out, key, texts, count);
}

static void
show(struct admin_call *call, const struct mail_kind_info *kind, enum text_language language, const enum text_language *given,
    const struct own_templates *templates, const struct text_list *list)
{
	const struct slice code = given != NULL ? text_language_code(language) : SLICE("");
	struct output *out = call->output;
	output_record(out);
	output_text(out, "kind", message_kind_name(kind->kind));
	const struct mail_design design = { language, templates->accent, templates->dark_accent };
	output_text(out, "language", text_language_code(language));
	for (size_t i = 0; i < TEMPLATE_PLACES; i++) {
		output_text(out, columns[i].origin_key, slice_of(origin_of(templates, (enum template_place)i)));
		output_lines(out, columns[i].key,
		    mail_template_for(call->pool, kind, templates->sources, (enum template_place)i, &design));
		output_lines(out, columns[i].own_key,
		    find_text(list, own_template_name(call->pool, kind->kind, (enum template_place)i), code));
	}
	show_names(out, "variables", kind->allowed);
	show_names(out, "required", kind->required);
}

int
admin_mail_template(struct admin_call *call)
{
	enum text_language language;
	const enum text_language *given;
	const struct mail_kind_info *kind;
	struct campaign campaign;
	struct own_templates templates;
	struct text_list list;
	struct mail_values values = { 0 };
	int64_t now_ms;
	int status = read_kind(call, &kind);
	if (status == EX_OK)
		status = admin_read_language(call, &language, &given);
	if (status != EX_OK)
		return status;
	enum result result = store_find_campaign(call->store, call->pool, call->id, &campaign, &now_ms);
	if (result == RESULT_OK && given == NULL)
		language = mail_subject_language(&campaign, SLICE_NONE);
	if (result == RESULT_OK)
		result = read_texts(call, &list);
	if (result == RESULT_OK)
		result = own_templates_read(call->store, call->pool, call->id, kind->kind, language, NULL, &templates, &values);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	show(call, kind, language, given, &templates, &list);
	return EX_OK;
}

/* ---- list ---- */

/* Adds a row, if there is an own text for just this language; `language` "": for every language. */
static void
list_language(struct admin_call *call, const struct text_list *list, enum message_kind kind, struct slice language)
{
	const char *origins[TEMPLATE_PLACES];
	bool has_own = false;
	for (size_t i = 0; i < TEMPLATE_PLACES; i++) {
		const enum template_place place = (enum template_place)i;
		const struct slice name = own_template_name(call->pool, kind, place);
		const bool is_own = slice_present(find_text(list, name, language));
		origins[i] = is_own ? own : slice_present(find_text(list, name, SLICE(""))) ? own_for_all : usual_origin(place);
		has_own = has_own || is_own;
	}
	if (!has_own)
		return;
	output_record(call->output);
	output_text(call->output, "kind", message_kind_name(kind));
	output_text(call->output, "language", language.size > 0 ? language : SLICE_NONE);
	for (size_t i = 0; i < TEMPLATE_PLACES; i++)
		output_text(call->output, columns[i].origin_key, slice_of(origins[i]));
}

int
admin_mail_templates(struct admin_call *call)
{
	struct campaign campaign;
	struct text_list list;
	int64_t now_ms;
	enum result result = store_find_campaign(call->store, call->pool, call->id, &campaign, &now_ms);
	if (result == RESULT_OK)
		result = read_texts(call, &list);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	for (unsigned kind = 0; kind < MESSAGE_KINDS; kind++) {
		if (mail_kind_find((enum message_kind)kind) == NULL)
			continue;
		list_language(call, &list, (enum message_kind)kind, SLICE(""));
		for (unsigned i = 0; i < TEXT_LANGUAGES; i++)
			list_language(call, &list, (enum message_kind)kind, text_language_code((enum text_language)i));
	}
	return EX_OK;
}

/* ---- change ---- */

/* One operand. Returns EX_OK, or a status after reporting the error. */
static int
read_change(struct admin_call *call, const struct mail_kind_info *kind, struct slice operand, struct slice language,
    struct output *errors, struct campaign_text *change)
{
	enum template_place place;
	struct slice part, value;
	struct template_error error;
	if (!admin_split_text(operand, &part, &value) || !own_template_find(part, &place))
		return admin_fail(call, PROBLEM_USAGE, "\"%.*s\" is no PART=VALUE: the parts are subject, text and html",
		    SLICE_ARGS(operand));
	const int status = admin_read_text(call, &value);
	if (status != EX_OK)
		return status;
	*change = (struct campaign_text){ .name = SLICE_NONE };
	if (value.size > 0 && !mail_template_check(call->pool, kind, place, value, &error))
		return admin_refuse_text(call, errors, columns[place].key,
		    pool_printf(call->pool, "line %zu, column %zu: %.*s", error.line, error.column, SLICE_ARGS(error.message)));
	*change = (struct campaign_text){
		.name = own_template_name(call->pool, kind->kind, place),
		.language = language,
		.value = value.size > 0 ? value : SLICE_NONE,
	};
	return EX_OK;
}

/* Those after the second operand. Returns EX_OK, or a status after reporting the error. */
static int
read_changes(struct admin_call *call, const struct mail_kind_info *kind, const enum text_language *language,
    struct output *errors, struct text_drafts *changes)
{
	const struct slice code = language != NULL ? text_language_code(*language) : SLICE("");
	struct campaign_text *list = POOL_ARRAY(call->pool, call->operand_count, struct campaign_text);
	int status = EX_OK;
	*changes = (struct text_drafts){ list, 0 };
	for (size_t i = 2; i < call->operand_count && status == EX_OK; i++) {
		status = read_change(call, kind, slice_of(call->operands[i]), code, errors, &list[changes->count]);
		if (status == EX_OK && slice_present(list[changes->count].name))
			changes->count++;
	}
	return status;
}

/* Each template was checked, and none depends on another. */
static bool
are_good(void *context UNUSED, struct pool *pool UNUSED, const struct campaign_text *texts UNUSED, size_t count UNUSED)
{
	return true;
}

int
admin_mail_set(struct admin_call *call)
{
	enum text_language language;
	const enum text_language *given;
	const struct mail_kind_info *kind;
	struct text_drafts changes;
	int status = read_kind(call, &kind);
	if (status == EX_OK)
		status = admin_read_language(call, &language, &given);
	if (status == EX_OK)
		status = read_changes(call, kind, given, NULL, &changes);
	if (status != EX_OK)
		return status;
	const enum result result =
	    store_change_texts(call->store, call->id, SLICE(OWN_TEMPLATE_PREFIX), changes.list, changes.count, are_good, NULL);
	return result == RESULT_OK ? admin_mail_template(call) : admin_answer(call, result);
}

/* ---- preview ---- */

static int
show_preview(
    struct admin_call *call, const struct mail_kind_info *kind, const struct preview *preview, const struct output *errors)
{
	struct output *out = call->output;
	const char *file = call->options[OPTION_HTML];
	const bool whole = call->options[OPTION_CONTENT] != NULL;
	if (whole && !slice_present(preview->message))
		return admin_fail(call, PROBLEM_CONFIG, "%s",
		    slice_present(preview->to) ? "--content: mail.from is not set"
					       : "--content: the lead has no email address");
	const int number = file == NULL ? 0 : replace_file(file, preview->html, S_IRUSR | S_IWUSR);
	if (number != 0)
		return admin_fail(call, PROBLEM_CANNOT_CREATE, "%s: %s", file, strerror(number));
	output_record(out);
	output_text(out, "kind", message_kind_name(kind->kind));
	output_text(out, "language", text_language_code(preview->language));
	output_text(out, "to", preview->to);
	output_text(out, "dropped", preview->drop);
	output_text(out, "subject", preview->subject);
	output_lines(out, "text", preview->text);
	if (call->options[OPTION_JSON] != NULL) /* on a terminal it is in the way of the rest */
		output_lines(out, "html", preview->html);
	output_nested(out, "errors", errors);
	if (whole)
		output_lines(out, "content", preview->message);
	return EX_OK;
}

/* Templates that operands have are drafts. */
int
admin_mail_preview(struct admin_call *call)
{
	enum text_language language;
	const enum text_language *given;
	const struct mail_kind_info *kind;
	struct lead_reference lead = { 0 };
	struct text_drafts drafts;
	struct preview preview;
	struct output *errors = output_new(call->pool, OUTPUT_ARRAY);
	const bool has_lead = call->options[OPTION_EMAIL] != NULL || call->options[OPTION_SOCIAL_ID] != NULL;
	int status = read_kind(call, &kind);
	if (status == EX_OK)
		status = admin_read_language(call, &language, &given);
	if (status == EX_OK && has_lead && !caller_has_right(call->caller, RIGHT_LEADS))
		return admin_fail(call, PROBLEM_FORBIDDEN, "a preview with the values of a lead needs the right leads");
	if (status == EX_OK && has_lead)
		status = admin_lead_reference(call, &lead);
	if (status == EX_OK)
		status = read_changes(call, kind, given, errors, &drafts);
	if (status != EX_OK)
		return status;
	const struct preview_request request = { .campaign_id = call->id,
		.kind = kind->kind,
		.lead = has_lead ? &lead : NULL,
		.language = given,
		.drafts = &drafts };
	const enum result result = mail_preview(call->wiring->mail_senders, call->store, call->pool, &request, &preview);
	if (result == RESULT_INVALID)
		return admin_fail(call, PROBLEM_INVALID, "the mail cannot be composed: %.*s", SLICE_ARGS(preview.problem));
	if (result == RESULT_NOT_FOUND && preview.has_campaign)
		return admin_fail(call, PROBLEM_NOT_FOUND, "there is no such lead");
	return result == RESULT_OK ? show_preview(call, kind, &preview, errors) : admin_answer(call, result);
}

/* ---- sample ---- */

/* Only operators can send mails to others. Returns EX_OK, or a status after reporting the error. */
static int
read_recipient(struct admin_call *call, struct slice *address)
{
	const char *given = call->options[OPTION_ADDRESS];
	if (given == NULL && call->caller == NULL)
		return admin_fail_option(call, PROBLEM_USAGE, OPTION_ADDRESS, "is missing");
	if (given == NULL && call->caller->kind != CALLER_USER)
		return admin_fail(call, PROBLEM_FORBIDDEN, "a key has no address that the mail could go to: log in as a user");
	return admin_test_address(call, given != NULL ? given : pool_string(call->pool, call->caller->name), address);
}

int
admin_mail_sample(struct admin_call *call)
{
	enum text_language language;
	const enum text_language *given;
	const struct mail_kind_info *kind;
	struct sample_mail sample = { .campaign_id = call->id };
	struct mail_test test = { .accepted = false };
	int status = read_kind(call, &kind);
	if (status == EX_OK)
		status = admin_read_language(call, &language, &given);
	if (status == EX_OK)
		status = read_recipient(call, &sample.address);
	if (status != EX_OK)
		return status;
	sample.kind = kind->kind;
	sample.language = given != NULL ? text_language_code(language) : SLICE_NONE;
	if (admin_queues(call))
		return admin_queue_job(call, call->id, JOB_SAMPLE_MAIL, job_sample_parameters(call->pool, &sample));
	call->wiring->prepare_sending();
	const enum result result = job_send_sample(call->wiring->job_tools, call->store, call->pool, &sample, NULL, &test);
	return admin_answer_mail_test(call, result, &test);
}
