/* SPDX-License-Identifier: MIT */
#include "api/handlers/code_page.h"

#include "api/call/call_answers.h"
#include "api/call/forms.h"
#include "api/call/limits.h"
#include "api/call/page_answers.h"
#include "api/handlers/mail_link.h"
#include "api/handlers/verify.h"
#include "identity/email.h"
#include "identity/typed.h"

/* What was typed as an address. */
struct typed_address {
	enum lead_channel channel;
	struct slice shown;          /* as it is repeated on the page */
	struct slice key;            /* what identifies the lead; absent: there is no valid one */
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

static struct slice
text_of(const struct call *call, struct slice name)
{
	struct slice text;
	return http_value_string(http_params_value(call->params, name), &text) ? text : SLICE_NONE;
}

static void
read_channel(const struct call *call, enum lead_channel channel, struct typed_address *address)
{
	struct email email;
	const struct slice text = text_of(call, field_names[channel]);
	if (slice_present(address->key) || !takes(call, channel) || text.size == 0)
		return;
	address->channel = channel;
	if (channel == CHANNEL_PHONE)
		address->shown = address->key = call_typed_number(call);
	else if (email_parse(call->request->pool, text, &email))
		*address = (struct typed_address){ .channel = channel, .shown = email.display, .key = email.key };
	address->verdicts[channel] = slice_present(address->key) ? PAGE_VALUE_OK : PAGE_VALUE_INVALID;
}

/* The first valid one of those that the campaign verifies. */
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
	form->values[fields->count] = text_of(call, field_names[channel]);
	form->verdicts[fields->count] = address->verdicts[channel];
	fields->items[fields->count++] = (struct page_field){ .name = field_names[channel],
		.type = channel == CHANNEL_EMAIL ? PAGE_FIELD_EMAIL : PAGE_FIELD_TEL,
		.required = !takes(call, other) };
}

/* A form for the address. Mail is sent by the sign-up alone, so that its code is typed at once; a text is requested first. */
static void
show_address_form(struct call *call, const struct typed_address *address)
{
	struct page page = call_begin_page(call);
	struct page_fields fields = { .count = 0 };
	struct page_form form = { .fields = &fields, .action = page_path(&page, SLICE("/code")) };
	add_field(call, CHANNEL_EMAIL, address, &fields, &form);
	add_field(call, CHANNEL_PHONE, address, &fields, &form);
	call_try_looks(call, &page);
	call_page_headers(call, &page, PAGE_FORM);
	if (takes(call, CHANNEL_EMAIL))
		page_write_code_and_address(
		    &page, &form, takes(call, CHANNEL_PHONE) ? TEXT_CODE_ADDRESS_OR_NUMBER : TEXT_CODE_ADDRESS);
	else
		page_write_plain_form(&page, &form, TEXT_CODE_TITLE, TEXT_CODE_NUMBER, TEXT_CODE_SEND);
}

static void
show_code_form(struct call *call, const struct typed_address *address, enum page_value verdict)
{
	struct page page = call_begin_page(call);
	const struct page_hidden hidden = { field_names[address->channel], address->shown };
	const struct page_code code = { .address = address->shown,
		.by_phone = address->channel == CHANNEL_PHONE,
		.verdict = verdict,
		.hidden = &hidden,
		.hidden_count = 1 };
	call_try_looks(call, &page);
	call_page_headers(call, &page, PAGE_FORM);
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

/* A lead with an id of 0 where there is none: its code is tried like any other. False: the call has failed. */
static bool
find_lead(struct call *call, const struct typed_address *address, struct lead *lead)
{
	const struct lead_reference reference = { .identity = address->channel == CHANNEL_EMAIL ? LEAD_BY_EMAIL : LEAD_BY_PHONE,
		.value = address->key };
	*lead = (struct lead){ .id = 0 };
	if (!call_may_wait(call, WAIT_READ))
		return false;
	const enum result result = store_find_lead(call->api->store, call->request->pool, call->campaign.id, &reference, lead);
	return result == RESULT_OK || result == RESULT_NOT_FOUND || call_fail(call, call_failure(result));
}

/* The answer is the same for every address, and takes as long: where there is no such lead, the code for none is dropped when
 * its turn comes, after it has counted for the limits that others could see. */
static void
request_code(struct call *call, const struct typed_address *address)
{
	struct lead lead;
	const bool is_mail = address->channel == CHANNEL_EMAIL;
	const bool may_request = is_mail || call_pass_code(call);
	if (!find_lead(call, address, &lead))
		return;
	if (may_request) {
		const enum result result =
		    call_request_message(call, lead.id, is_mail ? MESSAGE_VERIFY : MESSAGE_CODE, address->key);
		if (result != RESULT_OK) {
			call_fail(call, call_failure(result));
			return;
		}
	}
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
	if (!call_try_code(call, &code, digits, &verdict))
		return;
	if (verdict != LEAD_CODE_RIGHT) {
		show_code_form(call, address, PAGE_VALUE_INVALID);
		call->response->status = 406;
	} else if ((address->channel == CHANNEL_PHONE || call_take_number(call, &lead)) &&
		   call_verify_by_code(call, &code, digits, &outcome)) {
		call_show_confirmed(call, &outcome);
	}
}

/* Of a form in which the required address is missing. */
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
	const struct slice typed = text_of(call, SLICE("code"));
	const bool resends = http_params_find(call->params, SLICE("resend")) != NULL;
	if (!slice_present(address.key))
		refuse_address(call, &address);
	else if (resends || (!slice_present(typed) && address.channel == CHANNEL_PHONE))
		request_code(call, &address);
	else if (typed.size == 0 && address.channel == CHANNEL_EMAIL) /* another code would replace the one in the mail */
		show_code_form(call, &address, PAGE_VALUE_OK);
	else
		type_code(call, &address, typed_code(call->request->pool, typed));
}
