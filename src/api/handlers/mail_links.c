/* SPDX-License-Identifier: MIT */
#include "api/handlers/mail_links.h"

#include "api/call/call_answers.h"
#include "api/call/page_answers.h"
#include "api/call/param_values.h"
#include "api/handlers/address_proof.h"
#include "bots/form_traps.h"
#include "engine/visitors.h"
#include "identity/email.h"
#include "identity/signed_token.h"

enum { MS_PER_S = 1000 };

/* What a valid link is about. */
struct mail_link {
	const struct payload_settings *settings;
	struct lead lead;
};

/* Reads the link in the path. All invalid links get the same answer, whether or not there is such a campaign. False: the call
 * has failed. */
static bool
read_link(struct call *call, enum address_purpose purpose, struct mail_link *link)
{
	struct address_token token;
	if (!address_token_read(call->request->pool, call->request->segments[3], &token))
		return call_fail(call, FAILURE_CAMPAIGN_NOT_FOUND);
	const struct lead_reference reference = { .identity = LEAD_BY_SOCIAL_ID, .value = token.social_id };
	if (!call_may_wait(call, WAIT_READ) || !call_read_settings(call, &link->settings))
		return false;
	const enum result result = call_find_lead(call, &reference, &link->lead);
	if (result != RESULT_OK)
		return call_fail_result(call, result, FAILURE_CAMPAIGN_NOT_FOUND);
	if (!address_token_valid(&token, link->settings->server_secret, purpose, call->campaign.id, link->lead.email_key,
		call->now_ms / MS_PER_S))
		return call_fail(call, FAILURE_CAMPAIGN_NOT_FOUND);
	call->reader_language = link->lead.language;
	return true;
}

/* The stamp in a page with a button, which shows when the page was made. */
struct page_stamp {
	struct slice text;
	bool too_fast; /* its button was pressed too fast for a person: the page is shown again */
};

static struct page_stamp
new_stamp(const struct call *call, const struct payload_settings *settings)
{
	return (struct page_stamp){ .text = stamp_make(
					call->request->pool, settings->server_secret, call->campaign.id, call->now_ms) };
}

/* Whether a person can have pressed the button, according to the stamp that was sent. False: the page is shown again with the
 * stamp *again, so that only its first two seconds count. */
static bool
check_stamp(const struct call *call, const struct payload_settings *settings, struct slice sent, struct page_stamp *again)
{
	const enum stamp_verdict verdict =
	    stamp_check(call->request->pool, sent, settings->server_secret, call->campaign.id, call->now_ms);
	if (verdict == STAMP_FINE || verdict == STAMP_OLD)
		return true;
	*again = verdict == STAMP_TOO_FAST ? (struct page_stamp){ .text = sent } : new_stamp(call, settings);
	again->too_fast = true;
	return false;
}

/* A page with one button, which posts to the same URL. */
struct question {
	enum text_key title, text, button;
	struct slice address; /* address of the lead, masked; absent: the text does not show it */
};

static void
show_question(struct call *call, const struct question *question, struct page_stamp stamp)
{
	const struct page page = call_open_page(call, PAGE_SECRET);
	const struct slice text =
	    PAGE_FILL(&page, question->text, { "campaign", page.campaign_name }, { "address", question->address });
	const struct page_hidden hidden = { SLICE("__stamp"), stamp.text };
	const struct page_message message = {
		.title = page_text(&page, question->title),
		.text = stamp.too_fast ? POOL_JOIN(page.pool, page_word(&page, TEXT_PRESS_AGAIN), SLICE("\n\n"), text) : text,
		.button = page_word(&page, question->button),
		.hidden = &hidden,
		.hidden_count = 1,
	};
	page_write_message(&page, &message);
}

/* Carries out what the owner of the address has decided. The answer reports this, or that only a claim to the address was
 * erased. */
static void
change(struct call *call, const struct lead *lead, enum lead_action action, enum text_key title, enum text_key text)
{
	const struct lead_change change = {
		.action = action, .lead = { .identity = LEAD_BY_ID, .id = lead->id }, .address = lead->email_key
	};
	const struct outcome outcome = call_execute_proof(call, &change);
	if (outcome.failure == FAILURE_NONE)
		call_answer_message(call, outcome.claim_alone ? TEXT_ERASED_CLAIM_TITLE : title,
		    outcome.claim_alone ? TEXT_ERASED_CLAIM_TEXT : text);
}

/* ---- confirming an address ---- */

static void
ask_to_confirm(struct call *call, const struct mail_link *link, struct page_stamp stamp)
{
	const struct page page = call_open_page(call, PAGE_SECRET);
	const struct page_hidden hidden = { SLICE("__stamp"), stamp.text };
	const struct page_code code = { .address = call_masked_email(page.pool, link->lead.email),
		.hidden = &hidden,
		.hidden_count = 1,
		.too_fast = stamp.too_fast };
	page_write_confirm(&page, &code);
}

void
handle_confirm_page(struct call *call)
{
	struct mail_link link;
	if (!read_link(call, ADDRESS_CONFIRM, &link))
		return;
	if (link.lead.verified_email && !link.lead.opted_out && !lead_is_passed_on(&call->campaign, &link.lead, CHANNEL_EMAIL))
		call_answer_message(call, TEXT_CONFIRMED_TITLE, TEXT_CONFIRMED_ALREADY);
	else
		ask_to_confirm(call, &link, new_stamp(call, link.settings));
}

static void
confirm(struct call *call, const struct lead *lead)
{
	const struct lead_change change = { .action = LEAD_VERIFY,
		.lead = { .identity = LEAD_BY_ID, .id = lead->id },
		.argument = lead_channel_name(CHANNEL_EMAIL),
		.address = lead->email_key };
	if (!call_take_number(call, lead))
		return;
	const struct outcome outcome = call_execute_proof(call, &change);
	if (outcome.failure == FAILURE_NONE)
		call_show_confirmed(call, &outcome);
}

void
handle_confirm(struct call *call)
{
	struct mail_link link;
	struct slice sent;
	struct page_stamp again;
	if (!param_read_text(call, PARAM_STAMP, &sent) || !read_link(call, ADDRESS_CONFIRM, &link))
		return;
	if (!check_stamp(call, link.settings, sent, &again))
		ask_to_confirm(call, &link, again);
	else if (param_is_on(call, PARAM_REJECT)) /* the owner of the address did not sign up */
		change(call, &link.lead, LEAD_OPTOUT, TEXT_OPTED_OUT_TITLE, TEXT_OPTED_OUT_TEXT);
	else
		confirm(call, &link.lead);
}

/* ---- the form that requests a mail about erasing ---- */

/* Whether the form can work: without mail, nothing can prove that the lead has sent it. */
static bool
can_erase(struct call *call)
{
	return store_sends_mail(call->api->store) || call_fail(call, FAILURE_CAMPAIGN_NOT_FOUND);
}

static void
show_erase_form(struct call *call, struct slice typed, enum page_value verdict)
{
	const struct page page = call_open_page(call, PAGE_FORM);
	const struct page_fields fields = page_fields_default();
	const struct page_form form = {
		.action = page_path(&page, SLICE("/erase")), .fields = &fields, .values = { typed }, .verdicts = { verdict }
	};
	page_write_plain_form(&page, &form, TEXT_ERASE_TITLE, TEXT_ERASE_TEXT, TEXT_ERASE_SEND);
}

void
handle_erase_form(struct call *call)
{
	if (can_erase(call))
		show_erase_form(call, SLICE_NONE, PAGE_VALUE_OK);
}

/* The answer is the same for every address and takes the same time. If there is no such lead, the mail is dropped just before
 * it would be sent, when it has counted towards the limits that others could see. */
static void
request_mail(struct call *call, struct slice email_key)
{
	const struct lead_reference reference = { .identity = LEAD_BY_EMAIL, .value = email_key };
	struct lead lead;
	if (call_find_lead_or_none(call, &reference, &lead) &&
	    call_request_message(call, lead.id, MESSAGE_ERASE_CONFIRM, email_key))
		call_answer_message(call, TEXT_CHECK_MAIL_TITLE, TEXT_ERASE_SENT);
}

void
handle_erase_request(struct call *call)
{
	struct email email;
	if (!can_erase(call))
		return;
	const struct slice typed = http_params_text(call->params, SLICE("email"));
	if (email_parse(call->request->pool, typed, &email)) {
		request_mail(call, email.key);
		return;
	}
	show_erase_form(call, typed, typed.size > 0 ? PAGE_VALUE_INVALID : PAGE_VALUE_MISSING);
	call->response->status = 406;
}

/* ---- erasing ---- */

static void
ask_to_erase(struct call *call, const struct lead *lead, struct page_stamp stamp)
{
	const struct slice address = call_masked_email(call->request->pool, lead->email);
	const struct question all = { TEXT_ERASE_TITLE, TEXT_ERASE_QUESTION, TEXT_ERASE_BUTTON, address },
			      claim = { TEXT_ERASE_CLAIM_TITLE, TEXT_ERASE_CLAIM_QUESTION, TEXT_ERASE_CLAIM_BUTTON, address };
	show_question(call, lead_only_claims(lead, CHANNEL_EMAIL) ? &claim : &all, stamp);
}

void
handle_erase_page(struct call *call)
{
	struct mail_link link;
	if (read_link(call, ADDRESS_ERASE, &link))
		ask_to_erase(call, &link.lead, new_stamp(call, link.settings));
}

void
handle_erase(struct call *call)
{
	struct mail_link link;
	struct slice sent;
	struct page_stamp again;
	if (!param_read_text(call, PARAM_STAMP, &sent) || !read_link(call, ADDRESS_ERASE, &link))
		return;
	if (check_stamp(call, link.settings, sent, &again))
		change(call, &link.lead, LEAD_DELETE, TEXT_ERASED_TITLE, TEXT_ERASED_TEXT);
	else
		ask_to_erase(call, &link.lead, again);
}

/* ---- opting out ---- */

static void
ask_to_opt_out(struct call *call, const struct lead_reference *reference, struct page_stamp stamp)
{
	static const struct question question = { TEXT_OPT_OUT_TITLE, TEXT_OPT_OUT_QUESTION, TEXT_OPT_OUT_BUTTON, { NULL, 0 } };
	struct lead lead;
	const enum result result = call_find_lead(call, reference, &lead);
	if (result == RESULT_OK)
		show_question(call, &question, stamp);
	else
		call_fail_result(call, result, FAILURE_LEAD_NOT_FOUND);
}

static void
opt_out(struct call *call, const struct lead_reference *reference)
{
	const struct command command = {
		.kind = COMMAND_CHANGE,
		.as.change = { .action = LEAD_OPTOUT, .lead = *reference, .address = call->lead_email },
	};
	if (call_execute(call, &command).failure == FAILURE_NONE)
		call_answer_message(call, TEXT_OPTED_OUT_TITLE, TEXT_OPTED_OUT_TEXT);
}

void
handle_opt_out_link(struct call *call)
{
	const struct lead_reference reference = { .identity = LEAD_BY_SOCIAL_ID, .value = call->social_id };
	const struct payload_settings *settings;
	if (!call_read_settings(call, &settings))
		return;
	/* `saf` is enough: a mail may have damaged the rest of the parameter */
	if (call->response->head || slice_contains_nocase(call->request->query, SLICE("saf")))
		ask_to_opt_out(call, &reference, new_stamp(call, settings));
	else
		opt_out(call, &reference);
}

/* The button, or a mail program. An unreadable body comes from neither. */
void
handle_opt_out(struct call *call)
{
	const struct lead_reference reference = { .identity = LEAD_BY_SOCIAL_ID, .value = call->social_id };
	const struct payload_settings *settings;
	struct slice sent, one_click;
	struct page_stamp again;
	struct http_problem problem;
	if (!http_params_parse_body(call->params, call->request, &call->params, &problem))
		log_debug("opt_out_body_invalid", LOG_UINT("campaign", call->campaign.id));
	if (!call_read_settings(call, &settings) || !param_read_text(call, PARAM_STAMP, &sent) ||
	    !param_read_text(call, PARAM_ONE_CLICK, &one_click))
		return;
	if (slice_equal(one_click, SLICE("One-Click")) || check_stamp(call, settings, sent, &again))
		opt_out(call, &reference);
	else
		ask_to_opt_out(call, &reference, again);
}
