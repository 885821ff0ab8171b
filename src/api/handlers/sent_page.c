/* SPDX-License-Identifier: MIT */
#include "api/handlers/sent_page.h"

#include "api/call/call_answers.h"
#include "api/call/forms.h"
#include "api/call/limits.h"
#include "api/call/page_answers.h"
#include "api/call/sent_address.h"
#include "api/handlers/mail_link.h"
#include "engine/visitors.h"

/* In the query: that the button was pressed. */
#define RESENT SLICE("resent")

static void
link_to_code(struct call *call, const struct page *page, struct page_message *message)
{
	if (!call_mails_codes(call) && !call_sends_codes(call))
		return;
	message->link = page_path(page, SLICE("/code"));
	message->link_text = page_text(page, call_sends_codes(call) ? TEXT_CODE_TITLE : TEXT_CODE_LINK);
}

static void
show(struct call *call, const struct page *page, const struct page_message *message)
{
	call_page_headers(call, page, PAGE_SECRET);
	page_write_message(page, message);
}

void
handle_sent_page(struct call *call)
{
	const struct campaign *campaign = &call->campaign;
	if (!store_sends_mail(call->api->store) || !(campaign_mails_known_leads(campaign) || campaign_mails_codes(campaign))) {
		call_fail(call, FAILURE_CAMPAIGN_NOT_FOUND);
		return;
	}
	struct page page = call_begin_page(call);
	const struct slice address = sent_address_read(call);
	const bool is_known = slice_present(address), has_resent = http_params_value(call->params, RESENT) != NULL;
	struct page_message message = { .title = page_text(&page, TEXT_CHECK_MAIL_TITLE),
		.text =
		    TEXT_FILL(page.pool, text_find(page.language, is_known ? TEXT_CHECK_MAIL_TEXT : TEXT_CHECK_MAIL_TEXT_ANY),
			{ "address", call_masked_email(page.pool, address) }) };
	if (has_resent)
		message.notice = text_find(page.language, TEXT_STATUS_RESENT);
	link_to_code(call, &page, &message);
	call_try_looks(call, &page);
	if (is_known && !has_resent) {
		message.button = text_find(page.language, TEXT_STATUS_RESEND);
		message.is_quiet = slice_present(message.link);
	}
	show(call, &page, &message);
}

/* What the lead would get that signs up again with this address; one that gets nothing is none. */
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

/* The same for every address, and it takes as long: what is requested for no lead counts for the limits of the address, and is
 * dropped. */
void
handle_sent_button(struct call *call)
{
	struct pool *pool = call->request->pool;
	const struct slice address = sent_address_read(call);
	const struct lead_reference reference = { .identity = LEAD_BY_EMAIL, .value = address };
	struct lead lead = { .id = 0 };
	if (!slice_present(address) || !store_sends_mail(call->api->store)) {
		handle_sent_page(call);
		return;
	}
	if (!call_may_wait(call, WAIT_READ))
		return;
	enum result result = store_find_lead(call->api->store, pool, call->campaign.id, &reference, &lead);
	if (result == RESULT_NOT_FOUND)
		lead = (struct lead){ .id = 0 };
	if (result == RESULT_OK || result == RESULT_NOT_FOUND) {
		const enum message_kind kind = kind_for(call, &lead);
		result = call_request_message(call, lead.id, kind, address);
	}
	if (result != RESULT_OK)
		call_fail(call, call_failure(result));
	else
		call_redirect_to_page(call, POOL_JOIN(pool, sent_address_path(call, address), SLICE("&"), RESENT, SLICE("=1")));
}

/* Where the campaign has ended, no one comes here by a sign-up. */
void
handle_thanks_page(struct call *call)
{
	struct page page = call_begin_page(call);
	struct page_message message = { .title = page_text(&page, TEXT_THANKS_TITLE),
		.text = page_text(&page, TEXT_THANKS_TEXT) };
	call_try_looks(call, &page);
	if (campaign_has_ended(&call->campaign, call->now_ms))
		message = page_ended_message(&page);
	else
		link_to_code(call, &page, &message);
	show(call, &page, &message);
}
