/* SPDX-License-Identifier: MIT
 * The pages after a form without a page to lead to (docs/pages.md 2). Nothing of them depends on whether the address is known.
 */
#include "api/mail_link.h"
#include "api/pages.h"

#include <inttypes.h>

#include "base/encode.h"
#include "crypto/digest.h"
#include "crypto/seal.h"
#include "engine/strangers.h"
#include "identity/email.h"

/* In the query: the address that was written to, which the visitor has typed, so that no one else can read it; that the button
 * was pressed. */
#define ADDRESS SLICE("to")
#define RESENT SLICE("resent")
#define PLACE(call) ((struct seal_place){ "pages.sent", (call)->campaign.id })
enum { VALID_MS = 3600 * 1000 };

/* NULL: the database is unavailable. */
static struct seal_keys *
keys_of(struct call *call)
{
	const struct payload_settings *settings;
	const struct slice purpose = SLICE("pages.sent");
	if (store_payload_settings(call->api->store, &settings) != RESULT_OK)
		return NULL;
	const struct digest key = digest_hmac_sha256(settings->server_secret, &purpose, 1);
	return seal_keys_new(encode_hex(call->request->pool, digest_slice(&key)));
}

struct slice
call_sent_path(struct call *call, struct slice email)
{
	struct pool *pool = call->request->pool;
	struct email parsed;
	struct buffer out;
	struct seal_keys *keys = email_parse(pool, email, &parsed) ? keys_of(call) : NULL;
	if (keys == NULL)
		return SLICE("/sent");
	const struct slice text = pool_printf(pool, "%" PRId64 " %.*s", call->now_ms + VALID_MS, SLICE_ARGS(parsed.key));
	const struct slice sealed = seal(keys, pool, PLACE(call), text);
	seal_keys_free(&keys);
	buffer_init(&out, 3 * sealed.size + sizeof("/sent?to="));
	buffer_add_text(&out, "/sent?to=");
	encode_percent(&out, sealed);
	const struct slice path = pool_copy(pool, buffer_slice(&out));
	buffer_free(&out);
	return path;
}

/* The address as a key; absent: there is none, or it was sealed too long ago. */
static struct slice
read_address(struct call *call)
{
	struct slice sealed, text, digits;
	uint64_t until_ms;
	if (!http_value_string(http_params_value(call->params, ADDRESS), &sealed))
		return SLICE_NONE;
	struct seal_keys *keys = keys_of(call);
	const bool is_open = keys != NULL && seal_open(keys, call->request->pool, PLACE(call), sealed, &text) == SEAL_OPENED;
	seal_keys_free(&keys);
	if (!is_open || !slice_next(&text, ' ', &digits) || !slice_to_u64(digits, INT64_MAX, &until_ms) ||
	    (int64_t)until_ms < call->now_ms)
		return SLICE_NONE;
	return text;
}

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
	const struct slice address = read_address(call);
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
	enum message_kind kind = call->campaign.verify_email ? MESSAGE_VERIFY : MESSAGE_STATUS_LINK;
	if (lead->id == 0 || lead_is_unproven(lead))
		return kind;
	if (lead->fraudulent || !stranger_mails(&call->campaign, lead, true, &kind))
		lead->id = 0;
	return kind;
}

/* The same for every address, and it takes as long: what is requested for no lead counts for the limits of the address, and is
 * dropped. */
void
handle_sent_button(struct call *call)
{
	struct pool *pool = call->request->pool;
	const struct slice address = read_address(call);
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
		call_redirect_to_page(call, POOL_JOIN(pool, call_sent_path(call, address), SLICE("&"), RESENT, SLICE("=1")));
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
