/* SPDX-License-Identifier: MIT
 * The links of mails by which leads confirm their address (docs/api.md 4.1.12). Programs of mail servers follow each link, run
 * scripts and press buttons, within a second: GET changes nothing, and a button that is pressed so early shows the page again.
 */
#include "api/mail_link.h"
#include "api/pages.h"
#include "api/parameter_values.h"

#include "base/utf8.h"
#include "bots/stamp.h"
#include "engine/strangers.h"
#include "identity/address_hash.h"
#include "store/messages.h"

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
		return call_fail(call, result == RESULT_NOT_FOUND ? FAILURE_CAMPAIGN_NOT_FOUND : call_failure(result));
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

static void
show_question(struct call *call, const struct mail_link *link, struct slice stamp, bool too_fast)
{
	struct page page = call_begin_page(call);
	const struct page_hidden hidden = { SLICE("__stamp"), stamp };
	const struct page_code code = { .address = call_masked_email(page.pool, link->lead.email),
		.hidden = &hidden,
		.hidden_count = 1,
		.too_fast = too_fast };
	call_try_looks(call, &page);
	call_page_headers(call, &page, PAGE_SECRET);
	page_write_confirm(&page, &code, true);
}

struct slice
call_make_stamp(const struct call *call, const struct payload_settings *settings)
{
	return stamp_make(call->request->pool, settings->server_secret, call->campaign.id, call->now_ms);
}

bool
call_is_pressed(const struct call *call, const struct payload_settings *settings, struct slice *stamp)
{
	switch (stamp_check(call->request->pool, *stamp, settings->server_secret, call->campaign.id, call->now_ms)) {
	case STAMP_FINE:
	case STAMP_OLD:
		return true;
	case STAMP_TOO_FAST:
		return false;
	case STAMP_ABSENT:
	case STAMP_INVALID:
		break;
	}
	*stamp = call_make_stamp(call, settings);
	return false;
}

void
call_show_question(struct call *call, const struct question *question)
{
	struct page page = call_begin_page(call);
	const struct slice text = TEXT_FILL(page.pool, text_find(page.language, question->text),
	    { "campaign", page.campaign_name }, { "address", question->address });
	const struct page_hidden hidden = { SLICE("__stamp"), question->stamp };
	const struct page_message message = {
		.title = page_text(&page, question->title),
		.text = question->too_fast
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

void
handle_confirm_page(struct call *call)
{
	struct mail_link link;
	if (!call_read_mail_link(call, ADDRESS_CONFIRM, &link))
		return;
	if (link.lead.verified_email && !link.lead.opted_out && !lead_is_passed_on(&call->campaign, &link.lead, CHANNEL_EMAIL))
		call_answer_message(call, TEXT_CONFIRMED_TITLE, TEXT_CONFIRMED_ALREADY);
	else
		show_question(call, &link, call_make_stamp(call, link.settings), false);
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
	struct slice stamp;
	if (!param_read_text(call, PARAMETER_STAMP, &stamp) || !call_read_mail_link(call, ADDRESS_CONFIRM, &link))
		return;
	if (!call_is_pressed(call, link.settings, &stamp))
		show_question(call, &link, stamp, true);
	else if (param_is_on(call, PARAMETER_REJECT))
		reject(call, &link);
	else
		confirm(call, &link);
}
