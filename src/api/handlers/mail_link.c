/* SPDX-License-Identifier: MIT */
#include "api/handlers/mail_link.h"

#include "api/call/call_answers.h"
#include "api/call/forms.h"
#include "api/call/limits.h"
#include "api/call/page_answers.h"
#include "base/utf8.h"
#include "bots/form_fields.h"
#include "engine/visitors.h"
#include "identity/address_hash.h"
#include "store/message_requests.h"

enum { MS_PER_S = 1000 };

bool
call_read_mail_link(struct call *call, enum address_purpose purpose, struct mail_link *link)
{
	struct pool *pool = call->request->pool;
	struct address_token token;
	if (!address_token_read(pool, call->request->segments[3], &token))
		return call_fail(call, FAILURE_CAMPAIGN_NOT_FOUND);
	if (!call_may_wait(call, WAIT_READ))
		return false;
	const struct lead_reference reference = { .identity = LEAD_BY_SOCIAL_ID, .value = token.social_id };
	enum result result = store_payload_settings(call->api->store, &link->settings);
	if (result == RESULT_OK)
		result = store_find_lead(call->api->store, pool, call->campaign.id, &reference, &link->lead);
	if (result != RESULT_OK)
		return call_fail_result(call, result, FAILURE_CAMPAIGN_NOT_FOUND);
	if (!address_token_valid(&token, link->settings->server_secret, purpose, call->campaign.id, link->lead.email_key,
		call->now_ms / MS_PER_S))
		return call_fail(call, FAILURE_CAMPAIGN_NOT_FOUND);
	call->reader_language = link->lead.language;
	return true;
}

static struct slice
hashes_of(struct pool *pool, struct slice server_secret, enum message_kind kind, struct slice address)
{
	struct address_hash hashes[2];
	if (kind != MESSAGE_CODE) {
		hashes[0] = address_hash_mailbox(pool, server_secret, address);
		return pool_copy(pool, (struct slice){ (const char *)hashes, sizeof(hashes[0]) });
	}
	hashes[0] = address_hash_number(server_secret, address);
	hashes[1] = address_hash_prefix(server_secret, address);
	return pool_copy(pool, (struct slice){ (const char *)hashes, sizeof(hashes) });
}

enum result
call_request_message(struct call *call, uint64_t lead_id, enum message_kind kind, struct slice typed)
{
	const struct api_backend *backend = call->api->backend;
	const struct payload_settings *settings;
	struct made_message message = { .campaign_id = call->campaign.id, .lead_id = lead_id, .kind = kind };
	enum result result = slice_present(typed) ? store_payload_settings(call->api->store, &settings) : RESULT_OK;
	if (result == RESULT_OK && slice_present(typed))
		message.requested_for = hashes_of(call->request->pool, settings->server_secret, kind, typed);
	if (result == RESULT_OK)
		result = store_request_messages(call->api->store, &message, 1);
	if (result == RESULT_OK && kind != MESSAGE_CODE && backend->wake_mailer != NULL)
		backend->wake_mailer(backend->context);
	return result;
}

struct slice
call_masked_email(struct pool *pool, struct slice email)
{
	const size_t at = slice_find_last(email, '@');
	uint32_t first;
	struct slice rest = email;
	const bool known = utf8_next(&rest, &first);
	return POOL_JOIN(pool, slice_sub(email, 0, known ? email.size - rest.size : 0),
	    SLICE("\xe2\x80\xa2\xe2\x80\xa2\xe2\x80\xa2"), slice_sub(email, at, email.size));
}

struct page_stamp
page_stamp_new(const struct call *call, const struct payload_settings *settings)
{
	return (struct page_stamp){ .text = stamp_make(
					call->request->pool, settings->server_secret, call->campaign.id, call->now_ms) };
}

bool
page_stamp_check(const struct call *call, const struct payload_settings *settings, struct slice sent, struct page_stamp *again)
{
	const enum stamp_verdict verdict =
	    stamp_check(call->request->pool, sent, settings->server_secret, call->campaign.id, call->now_ms);
	if (verdict == STAMP_FINE || verdict == STAMP_OLD)
		return true;
	*again = verdict == STAMP_TOO_FAST ? (struct page_stamp){ .text = sent } : page_stamp_new(call, settings);
	again->too_fast = true;
	return false;
}

void
call_show_question(struct call *call, const struct question *question)
{
	struct page page = call_begin_page(call);
	const struct slice text = TEXT_FILL(page.pool, text_find(page.language, question->text),
	    { "campaign", page.campaign_name }, { "address", question->address });
	const struct page_hidden hidden = { SLICE("__stamp"), question->stamp.text };
	const struct page_message message = {
		.title = page_text(&page, question->title),
		.text = question->stamp.too_fast
			    ? POOL_JOIN(page.pool, text_find(page.language, TEXT_PRESS_AGAIN), SLICE("\n\n"), text)
			    : text,
		.button = text_find(page.language, question->button),
		.hidden = &hidden,
		.hidden_count = 1,
	};
	call_try_looks(call, &page);
	call_page_headers(call, &page, PAGE_SECRET);
	page_write_message(&page, &message);
}

struct outcome
call_execute_proof(struct call *call, const struct lead_change *change)
{
	struct command command = { .kind = COMMAND_CHANGE, .as.change = *change };
	command.as.change.by_lead = true;
	command.as.change.ip = call->has_client ? ip_address_format(call->request->pool, &call->client) : SLICE_NONE;
	command.as.change.user_agent = call_header_text(call, call->request->user_agent);
	return call_execute(call, &command);
}

void
call_show_confirmed(struct call *call, const struct outcome *outcome)
{
	const struct slice url = slice_present(outcome->body)
				     ? call_payload_text(call->request->pool, outcome->body, SLICE("status_url"))
				     : SLICE_NONE;
	if (outcome->showing == WITHHELD)
		call_redirect_to_page(call, SLICE("/sent"));
	else if (!call_redirect(call, url))
		call_answer_message(call, TEXT_CONFIRMED_TITLE, TEXT_CONFIRMED_TEXT);
}

/* By a sign-up with the lead's own token, and with a code by text unless the caller's address has requested enough. If the
 * process ends after this, the address can still be confirmed. */
bool
call_take_number(struct call *call, const struct lead *lead)
{
	const struct slice number = lead_waiting_number(call->request->pool, &call->campaign, lead);
	const bool is_taken = !lead->verified_email && !slice_present(lead->phone) && slice_present(number);
	const struct command command = {
		.kind = COMMAND_SIGNUP,
		.as.signup = {
			.email = lead->email,
			.email_key = lead->email_key,
			.phone = number,
			.own_id = lead->social_id,
			.own_epoch = lead->token_epoch,
			.edits = true,
			.must_exist = true,
			.no_code = is_taken && call_sends_codes(call) && !call_pass_code(call),
		},
	};
	return !is_taken || call_execute(call, &command).failure == FAILURE_NONE;
}
