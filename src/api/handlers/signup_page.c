/* SPDX-License-Identifier: MIT */
#include "api/handlers/signup_page.h"

#include "api/call/call_answers.h"
#include "api/call/limits.h"
#include "api/call/page_answers.h"
#include "api/call/page_forms.h"
#include "api/handlers/address_proof.h"
#include "api/handlers/lead_calls.h"
#include "base/encode.h"
#include "engine/visitors.h"

/* ---- the sign-up page ---- */

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
	if (!call_begin_looks(call, &page) || !call_read_page_form(call, &page, &fields, &form))
		return;
	call_page_headers(call, &page, PAGE_PUBLIC);
	page_write_signup(&page, &form);
}

/* Uses the campaign's language, otherwise that of the page around the form, otherwise the browser's. */
static void
prefer_language(const struct call *call, struct page *page)
{
	enum text_language language;
	if (!text_language_parse(call->campaign.language, &language) &&
	    text_language_parse(http_params_text(call->params, SLICE("language")), &language))
		page->language = language;
}

/* Answers with the form for a script that shows it in another page. */
void
handle_form(struct call *call)
{
	struct page page = call_begin_page(call);
	struct page_fields fields;
	struct page_form form;
	prefer_language(call, &page);
	if (call_may_wait(call, WAIT_READ) && call_check_result(call, call_read_looks(call, &page)) &&
	    call_read_page_form(call, &page, &fields, &form))
		page_write_form_json(&page, &form);
}

/* Older pages show a campaign in a frame, or link to it, with its id as the whole path. */
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

/* Checks the fields of the page. The sign-up itself works as with any other form. */
void
handle_signup_form(struct call *call)
{
	struct page page;
	struct page_fields fields;
	struct page_form form;
	if (!call_begin_looks(call, &page) || !call_read_page_form(call, &page, &fields, &form))
		return;
	if (!page_form_judge(&page, &form)) {
		call_fail(call, page_form_failure(&form));
		return;
	}
	if (note_consent(call, &page))
		handle_signup(call);
}

/* ---- after the sign-up ---- */

static void
link_to_code(struct call *call, const struct page *page, struct page_message *message)
{
	if (!call_mails_codes(call) && !call_sends_codes(call))
		return;
	message->link = page_path(page, SLICE("/code"));
	message->link_text = page_text(page, call_sends_codes(call) ? TEXT_CODE_TITLE : TEXT_CODE_LINK);
}

void
handle_sent_page(struct call *call)
{
	const struct campaign *campaign = &call->campaign;
	if (!store_sends_mail(call->api->store) || !(campaign_mails_known_leads(campaign) || campaign_mails_codes(campaign))) {
		call_fail(call, FAILURE_CAMPAIGN_NOT_FOUND);
		return;
	}
	const struct page page = call_open_page(call, PAGE_SECRET);
	const struct slice address = sent_address_read(call);
	const bool is_known = slice_present(address), has_resent = http_params_value(call->params, PAGE_RESENT) != NULL;
	struct page_message message = { .title = page_text(&page, TEXT_CHECK_MAIL_TITLE),
		.text = PAGE_FILL(&page, is_known ? TEXT_CHECK_MAIL_TEXT : TEXT_CHECK_MAIL_TEXT_ANY,
		    { "address", call_masked_email(page.pool, address) }) };
	if (has_resent)
		message.notice = page_word(&page, TEXT_STATUS_RESENT);
	link_to_code(call, &page, &message);
	if (is_known && !has_resent) {
		message.button = page_word(&page, TEXT_STATUS_RESEND);
		message.is_quiet = slice_present(message.link);
	}
	page_write_message(&page, &message);
}

/* The message that the lead would get if it signed up again with this address. If it would get none, its id is set to 0. */
static enum message_kind
kind_for(const struct call *call, struct lead *lead)
{
	const enum message_kind usual = call->campaign.verify_email ? MESSAGE_VERIFY : MESSAGE_STATUS_LINK;
	if (lead->id == 0 || lead_is_unproven(lead))
		return usual;
	const enum message_kind kind = lead_mail_to_owner(&call->campaign, lead, WITHHELD);
	if (!lead->fraudulent && kind != MESSAGE_KINDS)
		return kind;
	lead->id = 0;
	return lead->fraudulent ? usual : MESSAGE_STATUS_LINK;
}

/* The answer is the same for every address and takes the same time: a request without a lead counts towards the limits of the
 * address, and is dropped. */
void
handle_sent_button(struct call *call)
{
	struct pool *pool = call->request->pool;
	const struct slice address = sent_address_read(call);
	const struct lead_reference reference = { .identity = LEAD_BY_EMAIL, .value = address };
	struct lead lead;
	if (!slice_present(address) || !store_sends_mail(call->api->store)) {
		handle_sent_page(call);
		return;
	}
	if (!call_find_lead_or_none(call, &reference, &lead))
		return;
	const enum message_kind kind = kind_for(call, &lead);
	if (call_request_message(call, lead.id, kind, address))
		call_redirect_to_page(
		    call, POOL_JOIN(pool, sent_address_path(call, address), SLICE("&"), PAGE_RESENT, SLICE("=1")));
}

/* If the campaign has ended, the visitor cannot have signed up just now, so the page says that it has ended. */
void
handle_thanks_page(struct call *call)
{
	const struct page page = call_open_page(call, PAGE_SECRET);
	struct page_message message = { .title = page_text(&page, TEXT_THANKS_TITLE),
		.text = page_text(&page, TEXT_THANKS_TEXT) };
	if (campaign_has_ended(&call->campaign, call->now_ms))
		message = page_ended_message(&page);
	else
		link_to_code(call, &page, &message);
	page_write_message(&page, &message);
}
