/* SPDX-License-Identifier: MIT
 * A campaign's own templates of mails (docs/mail.md 1): show, change, preview. */
#include <string.h>
#include <sys/stat.h>

#include "admin/jobs/job_operations.h"
#include "admin/leads/named_lead.h"
#include "admin/mails/mail_operations.h"
#include "admin/mails/own_texts.h"
#include "compose/mail_preview.h"
#include "compose/own_templates.h"
#include "compose/subject.h"
#include "jobs/job_parameters.h"
#include "operation/operation_wiring.h"
#include "operation/value_types.h"
#include "os/replacement.h"
#include "store/texts/campaign_texts.h"
#include "text/text.h"

/* The arguments of all operations about one kind of mail; not every operation takes all of them. */
struct mail_arguments {
	const struct mail_kind_info *kind;
	struct chosen_language language;
	struct value_pairs texts;
	struct named_lead lead;
	const char *html; /* a file; NULL: none */
	bool content, queue;
	struct slice address;
};

static bool
parse_kind(struct value_reading *reading, struct slice text, void *place)
{
	const struct mail_kind_info **info = place;
	enum message_kind kind = MESSAGE_VERIFY;
	struct slice names = SLICE("one of");
	*info = message_kind_parse(text, &kind) ? mail_kind_find(kind) : NULL;
	if (*info != NULL)
		return true;
	for (unsigned i = 0; i < MESSAGE_KINDS; i++)
		if (mail_kind_find((enum message_kind)i) != NULL)
			names = POOL_JOIN(reading->pool, names, SLICE(" "), message_kind_name((enum message_kind)i));
	reading->expected = pool_string(reading->pool, names);
	return false;
}
static const struct value_type value_kind = { .parse = parse_kind };

#define PLACE(member) offsetof(struct mail_arguments, member)
#define MAIL OPERAND("kind", value_kind, PLACE(kind)), OPTION("language", value_chosen_language, PLACE(language))
#define TEXTS OPERAND("texts", value_own_texts, PLACE(texts))
#define PREVIEW                                                                                                 \
	OPTION("email", value_lead_email, PLACE(lead)), OPTION("social_id", value_lead_social_id, PLACE(lead)), \
	    OPTION("html", value_path, PLACE(html)), OPTION("content", value_on, PLACE(content))
static const struct parameter template_parameters[] = { MAIL };
static const struct parameter set_parameters[] = { MAIL, TEXTS };
static const struct parameter preview_parameters[] = { MAIL, PREVIEW };
static const struct parameter draft_parameters[] = { MAIL, PREVIEW, OPTIONAL_OPERAND("texts", value_own_texts, PLACE(texts)) };
static const struct parameter sample_parameters[] = {
	MAIL,
	OPTION_WITH("address", value_text, PLACE(address), PARAMETER_OPERATOR),
	OPTION_WITH("queue", value_on, PLACE(queue), PARAMETER_SHELL | PARAMETER_ON_BY_HTTP),
};
#undef PLACE

/* ---- show ---- */

/* The own text for exactly this language; "" stands for every language. Absent: there is none. */
static struct slice
find_text(const struct campaign_texts *list, struct slice name, struct slice language)
{
	for (size_t i = 0; i < list->count; i++)
		if (slice_equal(list->list[i].name, name) && slice_equal(list->list[i].language, language))
			return list->list[i].value;
	return SLICE_NONE;
}

static enum result
read_texts(struct operation_call *call, struct campaign_texts *list)
{
	return store_read_texts(call->store, call->pool, call->id, SLICE(OWN_TEMPLATE_PREFIX), list);
}

/* The keys of the output, which must be literals. */
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
show(struct operation_call *call, const struct mail_kind_info *kind, enum text_language language,
    const enum text_language *given, const struct own_templates *templates, const struct campaign_texts *list)
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

static int
run_mail_template(struct operation_call *call)
{
	const struct mail_arguments *arguments = ARGUMENTS(call, struct mail_arguments);
	const struct mail_kind_info *kind = arguments->kind;
	const enum text_language *given = chosen_language(&arguments->language);
	enum text_language language = arguments->language.language;
	struct campaign campaign;
	struct own_templates templates;
	struct campaign_texts list;
	struct mail_values values = { 0 };
	enum result result = operation_find_campaign(call, &campaign);
	if (result == RESULT_OK && given == NULL)
		language = mail_subject_language(&campaign, SLICE_NONE);
	if (result == RESULT_OK)
		result = read_texts(call, &list);
	if (result == RESULT_OK)
		result = own_templates_read(call->store, call->pool,
		    &(struct template_query){ call->id, kind->kind, language, NULL, SLICE_NONE }, &templates, &values);
	if (result != RESULT_OK)
		return operation_answer(call, result);
	show(call, kind, language, given, &templates, &list);
	return EX_OK;
}

/* ---- list ---- */

/* Adds a row if there is an own text for exactly this language; "" stands for every language. */
static void
list_language(struct operation_call *call, const struct campaign_texts *list, enum message_kind kind, struct slice language)
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

static int
run_mail_templates(struct operation_call *call)
{
	struct campaign_texts list;
	enum result result = operation_find_campaign(call, NULL);
	if (result == RESULT_OK)
		result = read_texts(call, &list);
	if (result != RESULT_OK)
		return operation_answer(call, result);
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

/* An own_text_reader. */
static int
read_change(struct operation_call *call, const struct value_pair *pair, struct output *errors, struct campaign_text *change)
{
	const struct mail_arguments *arguments = ARGUMENTS(call, struct mail_arguments);
	const struct mail_kind_info *kind = arguments->kind;
	enum template_place place;
	struct slice value = pair->value;
	struct template_error error;
	if (!slice_present(value) || !own_template_find(pair->name, &place))
		return operation_fail(call, PROBLEM_USAGE, "\"%.*s\" is no PART=VALUE: the parts are subject, text and html",
		    SLICE_ARGS(value_pair_text(call->pool, pair)));
	const int status = own_text_read(call, &value);
	if (status != EX_OK)
		return status;
	*change = (struct campaign_text){ .name = SLICE_NONE };
	if (value.size > 0 && !mail_template_check(call->pool, kind, place, value, &error))
		return own_text_refuse(call, errors, columns[place].key,
		    pool_printf(call->pool, "line %zu, column %zu: %.*s", error.line, error.column, SLICE_ARGS(error.message)));
	*change = (struct campaign_text){
		.name = own_template_name(call->pool, kind->kind, place),
		.language = chosen_language_code(&arguments->language),
		.value = value.size > 0 ? value : SLICE_NONE,
	};
	return EX_OK;
}

/* Each template was checked on its own, and none depends on another. */
static bool
are_good(void *context UNUSED, struct pool *pool UNUSED, const struct campaign_texts *texts UNUSED)
{
	return true;
}

static int
run_mail_set(struct operation_call *call)
{
	struct campaign_texts changes;
	const int status = own_texts_read(call, &ARGUMENTS(call, struct mail_arguments)->texts, NULL, read_change, &changes);
	if (status != EX_OK)
		return status;
	struct text_change change = { .texts = &changes, .prefix = SLICE(OWN_TEMPLATE_PREFIX), .judge = are_good };
	const enum result result = store_change_texts(call->store, &call->precondition, call->id, &change);
	return result == RESULT_OK ? run_mail_template(call) : operation_answer(call, result);
}

/* ---- preview ---- */

static int
show_preview(
    struct operation_call *call, const struct mail_kind_info *kind, const struct preview *preview, const struct output *errors)
{
	struct output *out = call->output;
	const struct mail_arguments *arguments = ARGUMENTS(call, struct mail_arguments);
	const char *file = arguments->html;
	const bool whole = arguments->content;
	if (whole && !slice_present(preview->message))
		return operation_fail(call, PROBLEM_CONFIG, "%s",
		    slice_present(preview->to) ? "--content: mail.from is not set"
					       : "--content: the lead has no email address");
	const int number = file == NULL ? 0 : replace_file(file, preview->html, S_IRUSR | S_IWUSR);
	if (number != 0)
		return operation_fail(call, PROBLEM_CANNOT_CREATE, "%s: %s", file, strerror(number));
	output_record(out);
	output_text(out, "kind", message_kind_name(kind->kind));
	output_text(out, "language", text_language_code(preview->language));
	output_text(out, "to", preview->to);
	output_text(out, "dropped", preview->drop);
	output_text(out, "subject", preview->subject);
	output_lines(out, "text", preview->text);
	if (call->wants_json) /* on a terminal it would be in the way */
		output_lines(out, "html", preview->html);
	output_nested(out, "errors", errors);
	if (whole)
		output_lines(out, "content", preview->message);
	return EX_OK;
}

/* The given texts are drafts: they are shown instead of the stored ones. */
static int
run_mail_preview(struct operation_call *call)
{
	const struct mail_arguments *arguments = ARGUMENTS(call, struct mail_arguments);
	const struct named_lead *lead = &arguments->lead;
	struct campaign_texts drafts;
	struct preview preview;
	struct output *errors = output_new(call->pool, OUTPUT_ARRAY);
	if (lead->count > 0 && !caller_has_right(call->caller, RIGHT_LEADS))
		return operation_fail(call, PROBLEM_FORBIDDEN, "a preview with the values of a lead needs the right leads");
	int status = lead->count > 0 ? named_lead_check(call, lead) : EX_OK;
	if (status == EX_OK)
		status = own_texts_read(call, &arguments->texts, errors, read_change, &drafts);
	if (status != EX_OK)
		return status;
	const struct preview_request request = { .campaign_id = call->id,
		.kind = arguments->kind->kind,
		.lead = lead->count > 0 ? &lead->references[0] : NULL,
		.language = chosen_language(&arguments->language),
		.drafts = &drafts };
	const enum result result = mail_preview(call->wiring->mail_senders, call->store, call->pool, &request, &preview);
	if (result == RESULT_REFUSED)
		return operation_fail(call, PROBLEM_INVALID, "the mail cannot be composed: %.*s", SLICE_ARGS(preview.problem));
	if (result == RESULT_NOT_FOUND && preview.has_campaign)
		return operation_fail(call, PROBLEM_NOT_FOUND, "there is no such lead");
	return result == RESULT_OK ? show_preview(call, arguments->kind, &preview, errors) : operation_answer(call, result);
}

/* ---- sample ---- */

/* By default the mail goes to the user; only an operator can choose another address. Returns EX_OK, or a status after reporting
 * the error. */
static int
read_recipient(struct operation_call *call, struct slice *address)
{
	const struct slice given = ARGUMENTS(call, struct mail_arguments)->address;
	if (!slice_present(given) && call->caller == NULL)
		return operation_fail_value(call, PROBLEM_USAGE, "address", "is missing");
	if (!slice_present(given) && call->caller->kind != CALLER_USER)
		return operation_fail(
		    call, PROBLEM_FORBIDDEN, "a key has no address that the mail could go to: log in as a user");
	return mail_test_address(call, slice_present(given) ? given : call->caller->name, address);
}

static int
run_mail_sample(struct operation_call *call)
{
	const struct mail_arguments *arguments = ARGUMENTS(call, struct mail_arguments);
	struct job_test sample = { .kind = message_kind_name(arguments->kind->kind) };
	const int status = read_recipient(call, &sample.address);
	if (status != EX_OK)
		return status;
	if (arguments->language.is_given)
		sample.language = chosen_language_code(&arguments->language);
	return arguments->queue ? queued_job_add(call, call->id, JOB_SAMPLE_MAIL, job_test_parameters(call->pool, &sample))
				: call->wiring->send_test(call, JOB_SAMPLE_MAIL, &sample);
}

OPERATION(mail_templates, "mail templates", "CAMPAIGN", "list which mails of a campaign have own templates", run_mail_templates,
    .subject = &subject_campaign, .shape = OUTPUT_ARRAY,
    HTTP(GET, "campaigns/{campaign}/mail-templates", RIGHT_STATS | RIGHT_MANAGE), .versioned = true);
OPERATION(mail_template, "mail template", "CAMPAIGN KIND [--language CODE]",
    "show the templates of a mail, own or default ones", run_mail_template, .subject = &subject_campaign,
    PARAMETERS(template_parameters, struct mail_arguments),
    HTTP(GET, "campaigns/{campaign}/mail-templates/{kind}", RIGHT_STATS | RIGHT_MANAGE), .versioned = true);
OPERATION(mail_set, "mail set", "CAMPAIGN KIND [--language CODE] PART=VALUE|PART=@FILE...",
    "change the own templates of a mail", run_mail_set, .subject = &subject_campaign,
    PARAMETERS(set_parameters, struct mail_arguments), HTTP(PATCH, "campaigns/{campaign}/mail-templates/{kind}", RIGHT_MANAGE),
    .effect = CHANGES, .versioned = true, .shown_by = &operation_mail_template, .shows_result = true);
OPERATION(mail_preview, "mail preview", "CAMPAIGN KIND [--language CODE] [--email|--social-id VALUE] [--html FILE] [--content]",
    "show a mail with sample values, or with those of a lead", run_mail_preview, .subject = &subject_campaign,
    PARAMETERS(preview_parameters, struct mail_arguments),
    HTTP(GET, "campaigns/{campaign}/mail-templates/{kind}/preview", RIGHT_MANAGE));
OPERATION(mail_draft, "mail draft",
    "CAMPAIGN KIND [--language CODE] [--email|--social-id VALUE] [--html FILE] [--content] PART=VALUE|PART=@FILE...",
    "show a mail with templates that are not stored", run_mail_preview, .subject = &subject_campaign,
    PARAMETERS(draft_parameters, struct mail_arguments),
    HTTP(POST, "campaigns/{campaign}/mail-templates/{kind}/preview", RIGHT_MANAGE));
OPERATION(mail_sample, "mail sample", "CAMPAIGN KIND --address ADDRESS [--language CODE] [--queue]",
    "send a mail of a campaign with sample values", run_mail_sample, .subject = &subject_campaign,
    PARAMETERS(sample_parameters, struct mail_arguments),
    HTTP(POST, "campaigns/{campaign}/mail-templates/{kind}/test", RIGHT_MANAGE), .effect = QUEUES, .cost = TEST_MAILS);
