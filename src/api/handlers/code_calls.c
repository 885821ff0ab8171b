/* SPDX-License-Identifier: MIT */
#include "api/handlers/code_calls.h"

#include "api/call/call_answers.h"
#include "api/call/lead_argument.h"
#include "api/call/limits.h"
#include "api/call/page_answers.h"
#include "api/call/param_values.h"
#include "api/handlers/address_proof.h"
#include "identity/email.h"
#include "identity/typed.h"
#include "store/codes/lead_codes.h"

static bool
is_stranger(const struct call *call)
{
	return !call_has_right(call, RIGHT_CHANGE);
}

/* Finds the lead of the call; its id is 0 if there is none. For a stranger, the lead always has a number, so that its code is
 * tried and the answer always takes the same time. False: the call has failed. */
static bool
find_by_reference(struct call *call, const struct lead_reference *reference, struct lead *lead)
{
	if (!call_find_lead_or_none(call, reference, lead))
		return false;
	if (is_stranger(call)) {
		lead->phone = slice_present(lead->phone) ? lead->phone : SLICE("");
		return true;
	}
	if (lead->id == 0)
		return call_fail(call, FAILURE_LEAD_NOT_FOUND);
	if (lead->verified_phone)
		return call_fail(call, FAILURE_ALREADY_VERIFIED);
	return slice_present(lead->phone) || call_fail(call, FAILURE_INVALID_CODE);
}

/* Whether the caller may try codes of the lead that it names. The social id of a lead is in its referral link, and its email
 * address is no secret either: whoever knows only these must not use up the tries of a code. */
static bool
may_name(struct call *call, const struct lead_reference *reference)
{
	return !is_stranger(call) || reference->own || reference->identity == LEAD_BY_PHONE || call_fail_stranger(call);
}

static bool
try_code(struct call *call, const struct lead_code *code, struct slice digits, enum lead_code_verdict *verdict)
{
	return call_check_result(call, lead_code_try(call->api->store, code, digits, verdict));
}

/* Verifies the address to which the right code was sent. The code is removed last: if the call ends before the lead is
 * verified, the code can be tried again. Without a key, the confirmation is stored as proof. False: the call has failed. */
static bool
verify_by_code(struct call *call, const struct lead_code *code, struct slice digits, struct outcome *outcome)
{
	const struct command command = {
		.kind = COMMAND_CHANGE,
		.as.change = {
			.action = LEAD_VERIFY,
			.lead = { .identity = LEAD_BY_ID, .id = code->lead_id },
			.argument = lead_channel_name(code->channel),
			.address = code->address,
		},
	};
	*outcome = is_stranger(call) ? call_execute_proof(call, &command.as.change) : call_execute(call, &command);
	if (outcome->failure != FAILURE_NONE)
		return false;
	if (lead_code_remove(call->api->store, code, digits) != RESULT_OK)
		log_info("code_left"); /* the code expires later */
	return true;
}

static bool
read_code(struct call *call, struct slice *typed)
{
	return param_read_text(call, PARAM_CODE, typed) && (slice_present(*typed) || call_fail(call, FAILURE_MISSING_CODE));
}

void
handle_verify_phone_number(struct call *call)
{
	struct lead_reference reference;
	struct slice typed;
	struct lead lead;
	enum lead_code_verdict verdict;
	struct outcome outcome;
	if (is_stranger(call) && !call_sends_codes(call)) {
		call_fail_stranger(call);
		return;
	}
	if (!read_code(call, &typed) || !lead_read(call, &reference) || !may_name(call, &reference) ||
	    !find_by_reference(call, &reference, &lead))
		return;
	const struct lead_code code = { CHANNEL_PHONE, lead.id, lead.phone };
	const struct slice digits = typed_code(call->request->pool, typed);
	if (!try_code(call, &code, digits, &verdict))
		return;
	if (verdict != LEAD_CODE_RIGHT)
		call_fail(call, FAILURE_INVALID_CODE);
	else if (verify_by_code(call, &code, digits, &outcome))
		call_answer(call, SLICE("{\"message\":\"Lead verified\"}"));
}

/* ---- the page ---- */

/* The address that was entered. */
struct typed_address {
	enum lead_channel channel;
	struct slice shown;          /* on the page that asks for the code */
	struct slice key;            /* identifies the lead; absent: the address is not valid */
	enum page_value verdicts[2]; /* of the fields, by channel */
};

static const struct slice field_names[] = { [CHANNEL_EMAIL] = SLICE("email"), [CHANNEL_PHONE] = SLICE("phone_number") };

static bool
takes(const struct call *call, enum lead_channel channel)
{
	return channel == CHANNEL_EMAIL ? call_mails_codes(call) : call_sends_codes(call);
}

static bool
has_codes(struct call *call)
{
	return takes(call, CHANNEL_EMAIL) || takes(call, CHANNEL_PHONE) || call_fail(call, FAILURE_CAMPAIGN_NOT_FOUND);
}

static void
read_channel(const struct call *call, enum lead_channel channel, struct typed_address *address)
{
	struct email email;
	const struct slice text = http_params_text(call->params, field_names[channel]);
	if (slice_present(address->key) || !takes(call, channel) || text.size == 0)
		return;
	address->channel = channel;
	if (channel == CHANNEL_PHONE)
		address->shown = address->key = lead_typed_number(call);
	else if (email_parse(call->request->pool, text, &email))
		*address = (struct typed_address){ .channel = channel, .shown = email.display, .key = email.key };
	address->verdicts[channel] = slice_present(address->key) ? PAGE_VALUE_OK : PAGE_VALUE_INVALID;
}

/* The first valid address of a kind that the campaign verifies. */
static struct typed_address
read_address(const struct call *call)
{
	struct typed_address address = { .key = SLICE_NONE };
	read_channel(call, CHANNEL_EMAIL, &address);
	read_channel(call, CHANNEL_PHONE, &address);
	return address;
}

/* ---- forms ---- */

static void
add_field(const struct call *call, enum lead_channel channel, const struct typed_address *address, struct page_fields *fields,
    struct page_form *form)
{
	const enum lead_channel other = channel == CHANNEL_EMAIL ? CHANNEL_PHONE : CHANNEL_EMAIL;
	if (!takes(call, channel))
		return;
	form->values[fields->count] = http_params_text(call->params, field_names[channel]);
	form->verdicts[fields->count] = address->verdicts[channel];
	fields->items[fields->count++] = (struct page_field){ .name = field_names[channel],
		.type = channel == CHANNEL_EMAIL ? PAGE_FIELD_EMAIL : PAGE_FIELD_TEL,
		.required = !takes(call, other) };
}

/* Shows a form for the address. A code by mail is typed into the same form, because only the sign-up sends it; a code by text
 * is requested first. */
static void
show_address_form(struct call *call, const struct typed_address *address)
{
	const struct page page = call_open_page(call, PAGE_FORM);
	struct page_fields fields = { .count = 0 };
	struct page_form form = { .fields = &fields, .action = page_path(&page, SLICE("/code")) };
	add_field(call, CHANNEL_EMAIL, address, &fields, &form);
	add_field(call, CHANNEL_PHONE, address, &fields, &form);
	if (takes(call, CHANNEL_EMAIL))
		page_write_code_and_address(
		    &page, &form, takes(call, CHANNEL_PHONE) ? TEXT_CODE_ADDRESS_OR_NUMBER : TEXT_CODE_ADDRESS);
	else
		page_write_plain_form(&page, &form, TEXT_CODE_TITLE, TEXT_CODE_NUMBER, TEXT_CODE_SEND);
}

static void
show_code_form(struct call *call, const struct typed_address *address, enum page_value verdict)
{
	const struct page page = call_open_page(call, PAGE_FORM);
	const struct page_hidden hidden = { field_names[address->channel], address->shown };
	const struct page_code code = { .address = address->shown,
		.by_phone = address->channel == CHANNEL_PHONE,
		.verdict = verdict,
		.hidden = &hidden,
		.hidden_count = 1 };
	page_write_code(&page, &code);
}

void
handle_code_page(struct call *call)
{
	if (!has_codes(call))
		return;
	const struct typed_address address = read_address(call), none = { .key = SLICE_NONE };
	if (slice_present(address.key))
		show_code_form(call, &address, PAGE_VALUE_OK);
	else
		show_address_form(call, &none);
}

/* ---- what was typed ---- */

/* Finds the lead; its id is 0 if there is none, and its code is tried nevertheless. False: the call has failed. */
static bool
find_lead(struct call *call, const struct typed_address *address, struct lead *lead)
{
	const struct lead_reference reference = { .identity = address->channel == CHANNEL_EMAIL ? LEAD_BY_EMAIL : LEAD_BY_PHONE,
		.value = address->key };
	return call_find_lead_or_none(call, &reference, lead);
}

/* The answer is the same for every address and takes the same time. If there is no such lead, the code is dropped just before
 * it would be sent, when it has counted towards the limits that others could see. */
static void
request_code(struct call *call, const struct typed_address *address)
{
	struct lead lead;
	const bool is_mail = address->channel == CHANNEL_EMAIL;
	const bool may_request = is_mail || call_pass_code(call);
	if (find_lead(call, address, &lead) &&
	    (!may_request || call_request_message(call, lead.id, is_mail ? MESSAGE_VERIFY : MESSAGE_CODE, address->key)))
		show_code_form(call, address, PAGE_VALUE_OK);
}

static void
type_code(struct call *call, const struct typed_address *address, struct slice digits)
{
	struct lead_code code = { .channel = address->channel, .address = address->key };
	enum lead_code_verdict verdict;
	struct outcome outcome;
	struct lead lead;
	if (!find_lead(call, address, &lead))
		return;
	code.lead_id = lead.id;
	if (!try_code(call, &code, digits, &verdict))
		return;
	if (verdict != LEAD_CODE_RIGHT) {
		show_code_form(call, address, PAGE_VALUE_INVALID);
		call->response->status = 406;
	} else if ((address->channel == CHANNEL_PHONE || call_take_number(call, &lead)) &&
		   verify_by_code(call, &code, digits, &outcome)) {
		call_show_confirmed(call, &outcome);
	}
}

/* Shows the form again: its address is missing or not valid. */
static void
refuse_address(struct call *call, struct typed_address *address)
{
	const bool has_error =
	    address->verdicts[CHANNEL_EMAIL] != PAGE_VALUE_OK || address->verdicts[CHANNEL_PHONE] != PAGE_VALUE_OK;
	if (!has_error)
		address->verdicts[takes(call, CHANNEL_EMAIL) ? CHANNEL_EMAIL : CHANNEL_PHONE] = PAGE_VALUE_MISSING;
	show_address_form(call, address);
	call->response->status = 406;
}

void
handle_code(struct call *call)
{
	if (!has_codes(call))
		return;
	struct typed_address address = read_address(call);
	const struct slice typed = http_params_text(call->params, SLICE("code"));
	const bool resends = http_params_find(call->params, SLICE("resend")) != NULL;
	if (!slice_present(address.key))
		refuse_address(call, &address);
	else if (resends || (!slice_present(typed) && address.channel == CHANNEL_PHONE))
		request_code(call, &address);
	else if (typed.size == 0 && address.channel == CHANNEL_EMAIL) /* a new code would replace the one in the mail */
		show_code_form(call, &address, PAGE_VALUE_OK);
	else
		type_code(call, &address, typed_code(call->request->pool, typed));
}
