/* SPDX-License-Identifier: MIT
 * The hosted pages of a campaign (docs/pages.md). */
#include "api/pages.h"
#include "api/fetch.h"
#include "api/mail_link.h"
#include "api/parameters.h"

#include "base/encode.h"
#include "engine/strangers.h"
#include "identity/social_id.h"
#include "page/status.h"

/* ---- the sign-up page ---- */

/* Begins the page with the campaign's looks. False: the call has failed. */
static bool
begin_page(struct call *call, struct page *page)
{
	*page = call_begin_page(call);
	if (!call_may_wait(call, WAIT_READ))
		return false;
	const enum result result = call_read_looks(call, page);
	return result == RESULT_OK || call_fail(call, call_failure(result));
}

void
handle_signup_page(struct call *call)
{
	struct page page;
	struct page_fields fields;
	struct page_form form;
	if (call->campaign.require_key) {
		call_fail(call, FAILURE_MISSING_API_KEY);
		return;
	}
	if (!begin_page(call, &page) || !call_read_page_form(call, &page, &fields, &form))
		return;
	call_page_headers(call, &page, PAGE_PUBLIC);
	page_write_signup(&page, &form);
}

/* The campaign's language, else that of the page around the form, else the browser's. */
static void
prefer_language(const struct call *call, struct page *page)
{
	enum text_language language;
	struct slice code;
	if (!text_language_parse(call->campaign.language, &language) &&
	    http_value_string(http_params_value(call->params, SLICE("language")), &code) &&
	    text_language_parse(code, &language))
		page->language = language;
}

/* The form for a script that shows it in another page. */
void
handle_form(struct call *call)
{
	struct page page = call_begin_page(call);
	struct page_fields fields;
	struct page_form form;
	prefer_language(call, &page);
	if (!call_may_wait(call, WAIT_READ))
		return;
	const enum result result = call_read_looks(call, &page);
	if (result != RESULT_OK)
		call_fail(call, call_failure(result));
	else if (call_read_page_form(call, &page, &fields, &form))
		page_write_form_json(&page, &form);
}

/* Older pages show a campaign in a frame, or lead to it, by its id alone. */
void
handle_landing_page(struct call *call)
{
	const struct http_request *request = call->request;
	struct pool *pool = request->pool;
	const struct slice page = POOL_JOIN(pool, call_root(call), SLICE("/c/"), request->segments[0]);
	struct buffer query;
	buffer_init(&query, 3 * request->query.size + 1);
	if (request->query.size > 0)
		buffer_add_byte(&query, '?');
	encode_target(&query, request->query);
	call_redirect_to(call, POOL_JOIN(pool, page, buffer_slice(&query)));
	buffer_free(&query);
}

/* The custom field `consent_version` shows later which text the lead agreed to. */
static bool
note_consent(struct call *call, const struct page *page)
{
	const struct slice version = looks_consent_version(page->pool, &page->looks);
	const struct http_value value = { .type = HTTP_STRING, .text = version };
	struct http_problem problem;
	return !slice_present(version) || http_params_put(call->params, SLICE("consent_version"), &value, &problem) ||
	       call_fail_with(call, FAILURE_INVALID_PARAMETER, problem.message);
}

/* The sign-up itself is that of every other form. */
void
handle_signup_form(struct call *call)
{
	struct page page;
	struct page_fields fields;
	struct page_form form;
	if (!begin_page(call, &page) || !call_read_page_form(call, &page, &fields, &form))
		return;
	if (!page_form_judge(page.pool, &form, slice_present(page.looks.values[LOOK_CONSENT]))) {
		call_fail(call, page_form_failure(&form));
		return;
	}
	if (note_consent(call, &page))
		handle_signup(call);
}

/* ---- the status page ---- */

/* In the query of the page after its button was pressed. */
#define RESENT SLICE("resent")

/* The lead as its payload; *lead stays NULL where it may not be seen. False: the call has failed. */
static bool
read_lead(struct call *call, const struct lead_reference *named, struct page_lead *read, const struct page_lead **lead)
{
	struct outcome outcome;
	const struct look_up look_up = {
		.campaign_id = call->campaign.id,
		.reference = *named,
		.view = { .full = named->own, .own = named->own },
	};
	if (!named->own && !stranger_may_see(&call->campaign, LEAD_BY_SOCIAL_ID, false))
		return true;
	fetch_lead(call, call->api->store, &look_up, &outcome);
	if (outcome.failure != FAILURE_NONE)
		return call_fail(call, outcome.failure);
	if (!page_lead_read(call->request->pool, outcome.body, read))
		return call_fail(call, FAILURE_INTERNAL);
	*lead = read;
	return true;
}

/* The reward levels of the campaign. False: the call has failed. */
static bool
read_rewards(struct call *call, struct page_status *status)
{
	struct pool *pool = call->request->pool;
	struct definitions definitions;
	const enum result result = store_find_definitions(call->api->store, pool, call->campaign.id, &definitions);
	if (result != RESULT_OK)
		return call_fail(call, call_failure(result));
	struct page_reward *rewards = POOL_ARRAY(pool, definitions.reward_count, struct page_reward);
	for (size_t i = 0; i < definitions.reward_count; i++)
		rewards[i] = (struct page_reward){ definitions.rewards[i].subject, definitions.rewards[i].required_points };
	status->rewards = rewards;
	status->reward_count = definitions.reward_count;
	return true;
}

static bool
read_leaders(struct call *call, const struct page *page, struct page_status *status, struct page_board *board)
{
	struct slice json;
	if (!looks_have_board(&page->looks))
		return true;
	if (!call_find_leaders(call, PAGE_LEADERS_MAX, status->social_id, &json))
		return false;
	if (!page_board_read(page->pool, json, board))
		return call_fail(call, FAILURE_INTERNAL);
	status->board = board;
	return true;
}

static bool
awaits_email(const struct call *call, struct slice email, bool verified)
{
	return call->campaign.verify_email && store_sends_mail(call->api->store) && slice_present(email) && !verified;
}

/* What the lead's own page shows besides the lead. False: the call has failed. */
static bool
read_own(struct call *call, const struct page *page, struct page_status *status, struct page_board *board)
{
	status->can_erase = store_sends_mail(call->api->store);
	status->awaits_email = awaits_email(call, status->lead->email, status->lead->verified_email);
	status->can_resend = !status->has_resent;
	status->awaits_phone =
	    call_sends_codes(call) && slice_present(status->lead->phone_number) && !status->lead->verified_phone_number;
	return read_rewards(call, status) && read_leaders(call, page, status, board);
}

/* The same for everyone else. Whether a mail was sent again depends on what everyone may see: the mark in the query can be made
 * by hand. */
static void
read_public(const struct call *call, struct page_status *status)
{
	struct slice named = SLICE_NONE;
	status->has_mail = store_sends_mail(call->api->store) && campaign_mails_new_leads(&call->campaign);
	status->again = status->lead != NULL && http_value_string(http_params_value(call->params, PAGE_AGAIN), &named) &&
			slice_present(named);
	const bool by_email = status->again && slice_equal(named, SLICE("email"));
	status->awaits_email = by_email && awaits_email(call, named, status->lead->verified_email);
	status->has_resent = status->awaits_email;
}

static void
show_status(struct call *call, const struct lead_reference *named)
{
	struct page page;
	struct page_lead lead;
	struct page_board board;
	struct page_status status = {
		.own = named->own,
		.social_id = named->value,
		.has_resent = http_params_value(call->params, RESENT) != NULL,
		.has_ended = campaign_has_ended(&call->campaign, call->now_ms),
	};
	if (!begin_page(call, &page) || !read_lead(call, named, &lead, &status.lead) ||
	    (named->own && !read_own(call, &page, &status, &board)))
		return;
	if (!named->own)
		read_public(call, &status);
	call_page_headers(call, &page, PAGE_SECRET);
	page_write_status(&page, &status);
}

/* The lead of the path: `own` where that has its token. With a token that is wrong, or no longer the lead's, the page is that
 * for everyone else. False: the call has failed. */
static bool
read_path(struct call *call, struct lead_reference *named)
{
	const struct http_request *request = call->request;
	struct slice social_id;
	if (!social_id_parse(request->pool, request->segments[3], &social_id))
		return call_fail(call, FAILURE_NOT_FOUND);
	*named = (struct lead_reference){ .identity = LEAD_BY_SOCIAL_ID, .value = SLICE_NONE };
	if (request->segment_count > 4 && !call_find_owner(call, social_id, request->segments[4], named))
		return false;
	named->value = social_id;
	return true;
}

void
handle_status_page(struct call *call)
{
	struct lead_reference named;
	if (read_path(call, &named))
		show_status(call, &named);
}

/* Sends the mail again that confirms the address, if there is something to confirm. False: the call has failed. */
static bool
resend(struct call *call, const struct lead_reference *named)
{
	struct lead lead;
	if (!call_may_wait(call, WAIT_READ))
		return false;
	enum result result = store_find_lead(call->api->store, call->request->pool, call->campaign.id, named, &lead);
	if (result == RESULT_OK && awaits_email(call, lead.email, lead.verified_email))
		result = call_request_message(call, lead.id, MESSAGE_VERIFY, SLICE_NONE);
	return result == RESULT_OK || call_fail(call, result == RESULT_NOT_FOUND ? FAILURE_NOT_FOUND : call_failure(result));
}

/* The answer does not depend on the limits of mails. It is a redirection, so that loading the page again sends nothing. */
void
handle_status_button(struct call *call)
{
	struct lead_reference named;
	if (!read_path(call, &named))
		return;
	if (!named.own || http_params_value(call->params, SLICE("resend")) == NULL) {
		show_status(call, &named);
		return;
	}
	if (!resend(call, &named))
		return;
	const struct slice *path = call->request->segments;
	call_redirect_to_page(
	    call, POOL_JOIN(call->request->pool, SLICE("/s/"), path[3], SLICE("/"), path[4], SLICE("?"), RESENT, SLICE("=1")));
}

/* ---- after a form without a page to lead to ---- */

/* Nothing of it depends on the sign-up: it is the same for known and for unknown addresses. */
static void
show_message(struct call *call, enum text_key title, enum text_key text)
{
	struct page page = call_begin_page(call);
	struct page_message message = { .title = page_text(&page, title), .text = page_text(&page, text) };
	if (call_mails_codes(call) || call_sends_codes(call)) {
		message.link = page_path(&page, SLICE("/code"));
		message.link_text = page_text(&page, call_sends_codes(call) ? TEXT_CODE_TITLE : TEXT_CODE_LINK);
	}
	call_try_looks(call, &page);
	call_page_headers(call, &page, PAGE_SECRET);
	page_write_message(&page, &message);
}

void
handle_sent_page(struct call *call)
{
	const struct campaign *campaign = &call->campaign;
	if (store_sends_mail(call->api->store) && (campaign_mails_known_leads(campaign) || campaign_mails_codes(campaign)))
		show_message(call, TEXT_CHECK_MAIL_TITLE, TEXT_CHECK_MAIL_TEXT);
	else
		call_fail(call, FAILURE_CAMPAIGN_NOT_FOUND);
}

void
handle_thanks_page(struct call *call)
{
	show_message(call, TEXT_THANKS_TITLE, TEXT_THANKS_TEXT);
}
