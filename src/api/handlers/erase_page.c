/* SPDX-License-Identifier: MIT */
#include "api/handlers/erase_page.h"

#include "api/call/call_answers.h"
#include "api/call/page_answers.h"
#include "api/call/param_names.h"
#include "api/call/param_values.h"
#include "api/handlers/mail_link.h"
#include "identity/email.h"

/* ---- the form ---- */

/* Without mail nothing proves that the lead sends the form. */
static bool
can_erase(struct call *call)
{
	return store_sends_mail(call->api->store) || call_fail(call, FAILURE_CAMPAIGN_NOT_FOUND);
}

static void
show_form(struct call *call, struct slice typed, enum page_value verdict)
{
	struct page page = call_begin_page(call);
	const struct page_fields fields = page_fields_default();
	struct page_form form = { .fields = &fields, .values = { typed }, .verdicts = { verdict } };
	form.action = page_path(&page, SLICE("/erase"));
	call_try_looks(call, &page);
	call_page_headers(call, &page, PAGE_FORM);
	page_write_plain_form(&page, &form, TEXT_ERASE_TITLE, TEXT_ERASE_TEXT, TEXT_ERASE_SEND);
}

void
handle_erase_form(struct call *call)
{
	if (can_erase(call))
		show_form(call, SLICE_NONE, PAGE_VALUE_OK);
}

/* The answer is the same for every address, and takes as long: where there is no such lead, the mail is dropped when its turn
 * comes, after it has counted for the limits that others could see. */
static void
request_mail(struct call *call, const struct email *email)
{
	struct lead lead = { .id = 0 };
	const struct lead_reference reference = { .identity = LEAD_BY_EMAIL, .value = email->key };
	if (!call_may_wait(call, WAIT_READ))
		return;
	enum result result = store_find_lead(call->api->store, call->request->pool, call->campaign.id, &reference, &lead);
	if (result == RESULT_OK || result == RESULT_NOT_FOUND)
		result = call_request_message(call, lead.id, MESSAGE_ERASE_CONFIRM, email->key);
	if (result != RESULT_OK)
		call_fail(call, call_failure(result));
	else
		call_answer_message(call, TEXT_CHECK_MAIL_TITLE, TEXT_ERASE_SENT);
}

void
handle_erase_request(struct call *call)
{
	struct slice typed;
	struct email email;
	if (!can_erase(call))
		return;
	if (!http_value_string(http_params_value(call->params, SLICE("email")), &typed))
		typed = SLICE_NONE;
	if (email_parse(call->request->pool, typed, &email)) {
		request_mail(call, &email);
		return;
	}
	show_form(call, typed, typed.size > 0 ? PAGE_VALUE_INVALID : PAGE_VALUE_MISSING);
	call->response->status = 406;
}

/* ---- the page that the mail links to ---- */

static void
show_question(struct call *call, const struct mail_link *link, struct page_stamp stamp)
{
	const struct slice address = call_masked_email(call->request->pool, link->lead.email);
	struct question question = { TEXT_ERASE_TITLE, TEXT_ERASE_QUESTION, TEXT_ERASE_BUTTON, address, stamp };
	if (lead_only_claims(&link->lead, CHANNEL_EMAIL)) {
		question.title = TEXT_ERASE_CLAIM_TITLE;
		question.text = TEXT_ERASE_CLAIM_QUESTION;
		question.button = TEXT_ERASE_CLAIM_BUTTON;
	}
	call_show_question(call, &question);
}

void
handle_erase_page(struct call *call)
{
	struct mail_link link;
	if (call_read_mail_link(call, ADDRESS_ERASE, &link))
		show_question(call, &link, page_stamp_new(call, link.settings));
}

void
handle_erase(struct call *call)
{
	struct mail_link link;
	struct slice sent;
	struct page_stamp again;
	if (!param_read_text(call, PARAM_STAMP, &sent) || !call_read_mail_link(call, ADDRESS_ERASE, &link))
		return;
	if (!page_stamp_check(call, link.settings, sent, &again)) {
		show_question(call, &link, again);
		return;
	}
	const struct outcome outcome = call_execute_proof(call, &(struct lead_change){
								    .action = LEAD_DELETE,
								    .lead = { .identity = LEAD_BY_ID, .id = link.lead.id },
								    .address = link.lead.email_key,
								});
	if (outcome.failure != FAILURE_NONE)
		return;
	if (outcome.claim_alone)
		call_answer_message(call, TEXT_ERASED_CLAIM_TITLE, TEXT_ERASED_CLAIM_TEXT);
	else
		call_answer_message(call, TEXT_ERASED_TITLE, TEXT_ERASED_TEXT);
}
