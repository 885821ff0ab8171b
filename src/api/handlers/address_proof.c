/* SPDX-License-Identifier: MIT */
#include "api/handlers/address_proof.h"

#include "api/call/call_answers.h"
#include "api/call/limits.h"
#include "api/call/page_answers.h"
#include "base/utf8.h"
#include "engine/visitors.h"
#include "identity/signed_token.h"
#include "page/lead.h"
#include "store/message_requests.h"

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

bool
call_request_message(struct call *call, uint64_t lead_id, enum message_kind kind, struct slice typed)
{
	const struct api_backend *backend = call->api->backend;
	const struct payload_settings *settings;
	struct made_message message = { .campaign_id = call->campaign.id, .lead_id = lead_id, .kind = kind };
	if (slice_present(typed)) {
		if (!call_read_settings(call, &settings))
			return false;
		message.requested_for = hashes_of(call->request->pool, settings->server_secret, kind, typed);
	}
	if (!call_check_result(call, store_request_messages(call->api->store, &message, 1)))
		return false;
	if (kind != MESSAGE_CODE && backend->wake_mailer != NULL)
		backend->wake_mailer(backend->context);
	return true;
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

struct outcome
call_execute_proof(struct call *call, const struct lead_change *change)
{
	struct command command = { .kind = COMMAND_CHANGE, .as.change = *change };
	command.as.change.by_lead = true;
	command.as.change.ip = ip_address_format(call->request->pool, call_client(call));
	command.as.change.user_agent = call_header_text(call, call->request->user_agent);
	return call_execute(call, &command);
}

void
call_show_confirmed(struct call *call, const struct outcome *outcome)
{
	struct page_lead lead;
	const bool is_shown = slice_present(outcome->body) && page_lead_read(call->request->pool, outcome->body, &lead);
	if (outcome->showing == WITHHELD)
		call_redirect_to_page(call, SLICE("/sent"));
	else if (!is_shown || !call_redirect(call, lead.status_url))
		call_answer_message(call, TEXT_CONFIRMED_TITLE, TEXT_CONFIRMED_TEXT);
}

/* Adds the number by a sign-up with the lead's own token. That also sends a code by text, unless the caller's address has
 * requested too many. If the process ends after this, the email address can still be confirmed. */
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
