/* SPDX-License-Identifier: MIT */
#include "api/handlers/confirm_page.h"

#include "api/call/page_answers.h"
#include "api/call/param_names.h"
#include "api/call/param_values.h"
#include "api/handlers/mail_link.h"
#include "engine/visitors.h"

static void
show_question(struct call *call, const struct mail_link *link, struct page_stamp stamp)
{
	struct page page = call_begin_page(call);
	const struct page_hidden hidden = { SLICE("__stamp"), stamp.text };
	const struct page_code code = { .address = call_masked_email(page.pool, link->lead.email),
		.hidden = &hidden,
		.hidden_count = 1,
		.too_fast = stamp.too_fast };
	call_try_looks(call, &page);
	call_page_headers(call, &page, PAGE_SECRET);
	page_write_confirm(&page, &code);
}

void
handle_confirm_page(struct call *call)
{
	struct mail_link link;
	if (!call_read_mail_link(call, ADDRESS_CONFIRM, &link))
		return;
	if (link.lead.verified_email && !link.lead.opted_out && !lead_is_passed_on(&call->campaign, &link.lead, CHANNEL_EMAIL))
		call_answer_message(call, TEXT_CONFIRMED_TITLE, TEXT_CONFIRMED_ALREADY);
	else
		show_question(call, &link, page_stamp_new(call, link.settings));
}

/* The owner of the address did not sign up. */
static void
reject(struct call *call, const struct mail_link *link)
{
	const struct outcome outcome = call_execute_proof(call, &(struct lead_change){
								    .action = LEAD_OPTOUT,
								    .lead = { .identity = LEAD_BY_ID, .id = link->lead.id },
								    .address = link->lead.email_key,
								});
	if (outcome.failure != FAILURE_NONE)
		return;
	if (outcome.claim_alone)
		call_answer_message(call, TEXT_ERASED_CLAIM_TITLE, TEXT_ERASED_CLAIM_TEXT);
	else
		call_answer_message(call, TEXT_OPTED_OUT_TITLE, TEXT_OPTED_OUT_TEXT);
}

static void
confirm(struct call *call, const struct mail_link *link)
{
	if (!call_take_number(call, &link->lead))
		return;
	const struct outcome outcome = call_execute_proof(call, &(struct lead_change){
								    .action = LEAD_VERIFY,
								    .lead = { .identity = LEAD_BY_ID, .id = link->lead.id },
								    .argument = lead_channel_name(CHANNEL_EMAIL),
								    .address = link->lead.email_key,
								});
	if (outcome.failure == FAILURE_NONE)
		call_show_confirmed(call, &outcome);
}

void
handle_confirm(struct call *call)
{
	struct mail_link link;
	struct slice sent;
	struct page_stamp again;
	if (!param_read_text(call, PARAM_STAMP, &sent) || !call_read_mail_link(call, ADDRESS_CONFIRM, &link))
		return;
	if (!page_stamp_check(call, link.settings, sent, &again))
		show_question(call, &link, again);
	else if (param_is_on(call, PARAM_REJECT))
		reject(call, &link);
	else
		confirm(call, &link);
}
