/* SPDX-License-Identifier: MIT
 * The texts and looks of a campaign's pages (docs/pages.md). */
#include "admin/mails/own_texts.h"
#include "compose/subject.h"
#include "engine/visitors.h"
#include "operation/value_types.h"
#include "page/looks.h"
#include "page/page_preview.h"
#include "store/texts/campaign_texts.h"

enum { PREVIEW_MAX_BYTES = 1024 * 1024 };

/* The stored text of a consent can only be removed: it changes when the consent itself changes. */
static int
read_removal(
    struct operation_call *call, struct slice name, struct slice value, struct slice language, struct campaign_text *change)
{
	if (value.size > 0 || language.size > 0)
		return operation_fail_value(call, PROBLEM_INVALID, pool_string(call->pool, name),
		    "%.*s can only be removed, for every language", SLICE_ARGS(name));
	*change = (struct campaign_text){ .name = name, .language = language, .value = SLICE_NONE };
	return EX_OK;
}

struct page_texts {
	struct chosen_language language;
	enum page_view view; /* what a preview shows */
	struct value_pairs texts;
};

READ_TYPE(value_view, page_view_parse, enum page_view, "signup or status");
#define PLACE(member) offsetof(struct page_texts, member)
static const struct parameter set_parameters[] = {
	OPTION("language", value_chosen_language, PLACE(language)),
	OPERAND("texts", value_own_texts, PLACE(texts)),
};
static const struct parameter preview_parameters[] = {
	OPERAND("view", value_view, PLACE(view)),
	OPTION("language", value_chosen_language, PLACE(language)),
	OPTIONAL_OPERAND("texts", value_own_texts, PLACE(texts)),
};
#undef PLACE

/* An own_text_reader. An empty value removes the text. */
static int
read_change(struct operation_call *call, const struct value_pair *pair, struct output *errors, struct campaign_text *change)
{
	struct slice language = chosen_language_code(&ARGUMENTS(call, struct page_texts)->language);
	enum look look;
	struct slice problem;
	const struct slice name = pair->name;
	struct slice value = pair->value;
	const bool is_text = slice_present(value), known = is_text && look_find(name, &look);
	if (is_text && slice_starts_with(name, SLICE(CONSENT_PREFIX)))
		return read_removal(call, name, value, language, change);
	if (is_text && !known && call->is_remote)
		return operation_fail(call, PROBLEM_UNKNOWN_FIELD, "there is no field %.*s", SLICE_ARGS(name));
	if (!known)
		return operation_fail(call, PROBLEM_USAGE, "\"%.*s\" is no NAME=VALUE with one of the names in leadhook(1)",
		    SLICE_ARGS(value_pair_text(call->pool, pair)));
	if (errors != NULL && !look_has_language(look))
		language = SLICE(""); /* a preview shows both kinds */
	if (language.size > 0 && !look_has_language(look))
		return operation_fail(call, PROBLEM_INVALID, "%s is the same for every language: without %s", look_name(look),
		    parameter_shown(call, "language"));
	const int status = own_text_read(call, &value);
	if (status != EX_OK)
		return status;
	if (pair->from_file)
		value = slice_trim(value);
	*change = (struct campaign_text){ .name = SLICE_NONE };
	if (value.size > 0 && !look_check(call->pool, look, value, &problem))
		return own_text_refuse(call, errors, look_name(look), problem);
	*change = (struct campaign_text){
		.name = POOL_JOIN(call->pool, SLICE(LOOK_PREFIX), name),
		.language = language,
		.value = value.size > 0 ? value : SLICE_NONE,
	};
	return EX_OK;
}

/* Makes the row that documents a new text of the consent. Returns false if the change is about something else. */
static bool
note_consent(struct operation_call *call, const struct campaign_text *change, struct campaign_text *note)
{
	struct looks looks = { 0 };
	if (!slice_equal(change->name, SLICE("page.consent")) || !slice_present(change->value))
		return false;
	looks.values[LOOK_CONSENT] = change->value;
	*note = (struct campaign_text){
		.name = POOL_JOIN(call->pool, SLICE(CONSENT_PREFIX), looks_consent_version(call->pool, &looks)),
		.language = SLICE(""),
		.value = change->value,
	};
	return true;
}

/* Checks the contrast of the colours, which are the same in all languages. Returns the same as own_text_refuse. */
static int
check_colors(struct operation_call *call, struct pool *pool, const struct campaign_texts *texts, struct output *errors)
{
	struct looks looks = { 0 };
	struct slice problem;
	enum look look;
	for (size_t i = 0; i < texts->count; i++)
		look_add(&looks, TEXT_LANGUAGE_DEFAULT, texts->list[i].name, texts->list[i].language, texts->list[i].value);
	if (looks_are_readable(pool, &looks, &look, &problem))
		return EX_OK;
	return own_text_refuse(call, errors, look_name(look), problem);
}

struct page_change {
	struct operation_call *call;
	const struct campaign_texts *texts;
};

/* Whether the change removes the text of this version of the consent. */
static bool
removes_consent(const struct page_change *change, struct slice version)
{
	const struct slice name = POOL_JOIN(change->call->pool, SLICE(CONSENT_PREFIX), version);
	for (size_t i = 0; i < change->texts->count; i++)
		if (slice_equal(change->texts->list[i].name, name) && !slice_present(change->texts->list[i].value))
			return true;
	return false;
}

static bool
judge_change(void *context, struct pool *pool, const struct campaign_texts *texts)
{
	const struct page_change *change = context;
	for (size_t i = 0; i < texts->count; i++) {
		const struct looks looks = { .values[LOOK_CONSENT] = texts->list[i].value };
		const struct slice version = looks_consent_version(pool, &looks);
		if (!slice_equal(texts->list[i].name, SLICE("page.consent")) || !removes_consent(change, version))
			continue;
		operation_fail(change->call, PROBLEM_CONFLICT, CONSENT_PREFIX "%.*s is in use", SLICE_ARGS(version));
		return false;
	}
	return check_colors(change->call, pool, texts, NULL) == EX_OK;
}

static int run_page_show(struct operation_call *call);

static int
run_page_set(struct operation_call *call)
{
	const struct value_pairs *given = &ARGUMENTS(call, struct page_texts)->texts;
	struct campaign_texts texts = { POOL_ARRAY(call->pool, 2 * given->count, struct campaign_text), 0 };
	int status = EX_OK;
	for (size_t i = 0; i < given->count && status == EX_OK; i++) {
		struct campaign_text *text = &texts.list[texts.count];
		status = read_change(call, &given->items[i], NULL, text);
		texts.count += status == EX_OK && note_consent(call, text, text + 1) ? 2 : 1;
	}
	if (status != EX_OK)
		return status;
	struct text_change change = { .texts = &texts,
		.prefix = SLICE(LOOK_PREFIX),
		.judge = judge_change,
		.context = &(struct page_change){ call, &texts } };
	const enum result result = store_change_texts(call->store, &call->precondition, call->id, &change);
	if (result == RESULT_TOO_MANY)
		return operation_fail(call, PROBLEM_CONFLICT,
		    "the campaign has had %d texts of consents: remove one that no lead agreed to (" CONSENT_PREFIX "VERSION)",
		    (int)CONSENTS_MAX);
	if (result == RESULT_REFUSED)
		return EX_DATAERR; /* already reported */
	return result == RESULT_OK ? run_page_show(call) : operation_answer(call, result);
}

/* `skipped`: how many bytes of each name are left out at its beginning. */
static enum result
show_texts(struct operation_call *call, struct slice prefix, size_t skipped)
{
	struct campaign_texts texts;
	const enum result result = store_read_texts(call->store, call->pool, call->id, prefix, &texts);
	for (size_t i = 0; i < texts.count; i++) {
		const struct campaign_text *text = &texts.list[i];
		output_record(call->output);
		output_text(call->output, "name", slice_sub(text->name, skipped, text->name.size));
		output_text(call->output, "language", text->language.size > 0 ? text->language : SLICE_NONE);
		output_text(call->output, "value", text->value);
	}
	return result;
}

static int
run_page_show(struct operation_call *call)
{
	enum result result = operation_find_campaign(call, NULL);
	if (result == RESULT_OK)
		result = show_texts(call, SLICE(CONSENT_PREFIX), 0);
	if (result == RESULT_OK)
		result = show_texts(call, SLICE(LOOK_PREFIX), sizeof(LOOK_PREFIX) - 1);
	return operation_answer(call, result);
}

/* ---- preview ---- */

/* Reads what the status view shows besides the lead. */
static enum result
read_status(struct operation_call *call, const struct campaign *campaign, int64_t now_ms, struct page_status *status)
{
	struct definitions definitions;
	const enum result result = store_find_definitions(call->store, call->pool, call->id, &definitions);
	if (result != RESULT_OK)
		return result;
	struct page_reward *rewards = POOL_ARRAY(call->pool, definitions.reward_count, struct page_reward);
	for (size_t i = 0; i < definitions.reward_count; i++)
		rewards[i] =
		    (struct page_reward){ definitions.rewards[i].subject, definitions.rewards[i].required_points, false };
	struct page_action *actions = POOL_ARRAY(call->pool, definitions.action_count, struct page_action);
	size_t action_count = 0;
	for (size_t i = 0; i < definitions.action_count; i++) {
		const struct action *action = &definitions.actions[i];
		if (action->public && action->tag_id == 0)
			actions[action_count++] = (struct page_action){ .id = action->id,
				.text = action->text,
				.link = action->link,
				.points = action->points,
				.can_complete = visitor_may_change(campaign, VISITOR_OWNER) };
	}
	*status = (struct page_status){ .rewards = rewards,
		.actions = actions,
		.action_count = action_count,
		.credit = page_credit_of(campaign),
		.reward_count = definitions.reward_count,
		.can_erase = store_sends_mail(call->store),
		.has_ended = campaign_has_ended(campaign, now_ms) };
	return RESULT_OK;
}

static int
show_preview(struct operation_call *call, struct page *page, enum page_view view, const struct page_status *status,
    const struct output *errors)
{
	struct buffer html, style;
	struct slice problem;
	buffer_init(&html, PREVIEW_MAX_BYTES);
	buffer_init(&style, PREVIEW_MAX_BYTES);
	page->out = &html;
	const bool is_valid = page_write_preview(page, view, status, &problem);
	page_write_preview_style(page, &style);
	const bool fits = buffer_ok(&html) && buffer_ok(&style);
	const struct slice shown = pool_copy(call->pool, buffer_slice(&html));
	const struct slice sheet = pool_copy(call->pool, buffer_slice(&style));
	buffer_free(&html);
	buffer_free(&style);
	if (!is_valid)
		return operation_fail_value(call, PROBLEM_INVALID, look_name(LOOK_FIELDS), "%.*s", SLICE_ARGS(problem));
	if (!fits)
		return operation_fail(call, PROBLEM_INVALID, "the page is larger than %d bytes", PREVIEW_MAX_BYTES);
	output_record(call->output);
	output_lines(call->output, "html", shown);
	output_lines(call->output, "style", sheet);
	output_nested(call->output, "errors", errors);
	return EX_OK;
}

static int
run_page_preview(struct operation_call *call)
{
	const struct page_texts *arguments = ARGUMENTS(call, struct page_texts);
	struct campaign campaign;
	struct campaign_texts drafts;
	struct page_status shown;
	struct output *errors = output_new(call->pool, OUTPUT_ARRAY);
	struct campaign_texts texts;
	int64_t now_ms;
	const int status = own_texts_read(call, &arguments->texts, errors, read_change, &drafts);
	if (status != EX_OK)
		return status;
	enum result result = store_find_campaign(call->store, call->pool, call->id, &campaign, &now_ms);
	if (result == RESULT_OK)
		result = read_status(call, &campaign, now_ms, &shown);
	if (result == RESULT_OK)
		result = store_read_draft_texts(call->store, call->pool, call->id, SLICE(LOOK_PREFIX), &drafts, &texts);
	if (result != RESULT_OK)
		return operation_answer(call, result);
	(void)check_colors(call, call->pool, &texts, errors); /* with `errors`, it cannot fail */
	const struct slice base_url = slice_of(call->conf->server.base_url);
	struct page page = { .pool = call->pool,
		.language =
		    arguments->language.is_given ? arguments->language.language : mail_subject_language(&campaign, SLICE_NONE),
		.root = page_root(base_url, slice_of(call->conf->server.base_path)),
		.base_url = base_url.size > 0 ? base_url : SLICE_NONE,
		.campaign_id = campaign.id,
		.campaign_name = campaign.name };
	for (size_t i = 0; i < texts.count; i++)
		look_add(&page.looks, page.language, texts.list[i].name, texts.list[i].language, texts.list[i].value);
	return show_preview(call, &page, arguments->view, &shown, errors);
}

OPERATION(page_show, "page show", "CAMPAIGN", "list the own texts and looks of the pages of a campaign", run_page_show,
    .subject = &subject_campaign, .shape = OUTPUT_ARRAY, HTTP(GET, "campaigns/{campaign}/page", RIGHT_STATS | RIGHT_MANAGE),
    .versioned = true);
OPERATION(page_set, "page set", "CAMPAIGN [--language CODE] NAME=VALUE|NAME=@FILE...",
    "change texts and looks of the pages of a campaign", run_page_set, .subject = &subject_campaign,
    PARAMETERS(set_parameters, struct page_texts), .shape = OUTPUT_ARRAY,
    HTTP(PATCH, "campaigns/{campaign}/page", RIGHT_MANAGE), .effect = CHANGES, .versioned = true,
    .shown_by = &operation_page_show, .shows_result = true);
OPERATION(page_preview, "page preview", "CAMPAIGN signup|status [--language CODE] [NAME=VALUE|NAME=@FILE...]",
    "show a page of a campaign with texts and looks that are not stored", run_page_preview, .subject = &subject_campaign,
    PARAMETERS(preview_parameters, struct page_texts), HTTP(POST, "campaigns/{campaign}/page/preview", RIGHT_MANAGE));
