/* SPDX-License-Identifier: MIT
 * Leads: show one, or list those of a campaign. The JSON is that of the API. */
#include <stddef.h>
#include <sysexits.h>

#include "admin/commands.h"
#include "admin/values.h"
#include "identity/email.h"
#include "identity/phone.h"
#include "identity/social_id.h"
#include "store/codes/lead_codes.h"
#include "store/operator/admin.h"
#include "json/reader.h"

/* Leads are read in pages of PAGE_LEADS. Only the shown values are stored until all is printed. */
enum { PAGE_LEADS = 250, SHOWN_DEPTH = 32 };

static bool
read_email(struct pool *pool, struct slice text, struct slice *value)
{
	struct email email;
	if (!email_parse(pool, slice_trim(text), &email))
		return false;
	*value = email.key;
	return true;
}

static bool
read_phone(struct pool *pool, struct slice text, struct slice *value)
{
	return phone_parse(pool, text, SLICE_NONE, value);
}

static const struct {
	enum admin_option option;
	enum lead_identity identity;
	bool (*read)(struct pool *pool, struct slice text, struct slice *value);
	const char *expected;
} identities[] = {
	{ OPTION_EMAIL, LEAD_BY_EMAIL, read_email, "an email address" },
	{ OPTION_PHONE, LEAD_BY_PHONE, read_phone, "a phone number that begins with +" },
	{ OPTION_SOCIAL_ID, LEAD_BY_SOCIAL_ID, social_id_parse, "the social_id of a lead" },
};

int
admin_lead_reference(struct admin_call *call, struct lead_reference *reference)
{
	size_t given = 0, which = 0;
	for (size_t i = 0; i < ARRAY_SIZE(identities); i++)
		if (call->options[identities[i].option] != NULL) {
			given++;
			which = i;
		}
	if (given != 1)
		return admin_fail(call, PROBLEM_USAGE, "%s takes %s", call->command->words, call->command->operands);
	reference->identity = identities[which].identity;
	const char *text = call->options[identities[which].option];
	if (identities[which].read(call->pool, slice_of(text), &reference->value))
		return EX_OK;
	return admin_fail_option(call, identities[which].option, "expected %s", identities[which].expected);
}

static enum result
find_campaign(struct admin_call *call, struct pool *pool)
{
	struct campaign campaign;
	int64_t now_ms;
	return store_find_campaign(call->store, pool, call->id, &campaign, &now_ms);
}

/* Renders a lead as the API does for a request with a key. `json` is in the call's pool. */
static enum result
render(struct admin_call *call, const struct payload_subject *subject, struct slice *json)
{
	const struct payload_settings *settings;
	struct buffer out;
	enum result result = store_payload_settings(call->store, &settings);
	if (result != RESULT_OK)
		return result;
	buffer_init(&out, PAYLOAD_MAX_BYTES);
	payload_write(&out, settings, subject, (struct payload_view){ .full = true });
	result = buffer_ok(&out) ? RESULT_OK : RESULT_FAILED;
	*json = pool_copy(call->pool, buffer_slice(&out));
	buffer_free(&out);
	return result;
}

/* Converts a payload to one line per value. A member of a nested object has a name like "utm.source"; an array is one line. */
struct payload_flattener {
	struct output *output;
	struct pool *pool;
	struct slice keys[SHOWN_DEPTH + 1]; /* by depth */
	bool object_begun;                  /* by the last event */
	size_t arrays, array_depth;         /* how many enclose the value; depth of the outermost */
	struct buffer items;                /* of the outermost array */
};

static void
add_line(struct payload_flattener *flat, size_t depth, struct slice value)
{
	struct slice path = flat->keys[1];
	for (size_t i = 2; i <= depth; i++)
		path = pool_printf(flat->pool, "%.*s.%.*s", SLICE_ARGS(path), SLICE_ARGS(flat->keys[i]));
	output_text(flat->output, pool_string(flat->pool, path), pool_copy(flat->pool, value));
}

/* Items are separated by commas, values inside an item by spaces. */
static void
add_item(struct payload_flattener *flat, const struct json_event *event, struct slice text)
{
	if (flat->items.size > 0)
		buffer_add_text(&flat->items, event->depth == flat->array_depth + 1 ? ", " : " ");
	buffer_add(&flat->items, text);
}

static bool
flatten(void *context, const struct json_event *event)
{
	struct payload_flattener *flat = context;
	struct slice text = event->text;
	const bool object_begun = flat->object_begun;
	flat->object_begun = event->type == JSON_OBJECT_BEGIN;
	switch (event->type) {
	case JSON_KEY:
		flat->keys[event->depth] = pool_copy(flat->pool, event->text);
		return true;
	case JSON_OBJECT_BEGIN:
		return true;
	case JSON_OBJECT_END:
		if (object_begun && flat->arrays == 0)
			add_line(flat, event->depth, SLICE_NONE); /* it is empty */
		return true;
	case JSON_ARRAY_BEGIN:
		if (flat->arrays++ == 0) {
			flat->array_depth = event->depth;
			buffer_clear(&flat->items);
		}
		return true;
	case JSON_ARRAY_END:
		if (--flat->arrays == 0)
			add_line(flat, event->depth, flat->items.size > 0 ? buffer_slice(&flat->items) : SLICE_NONE);
		return true;
	case JSON_NULL:
		text = SLICE_NONE;
		break;
	case JSON_BOOLEAN:
		text = event->boolean ? SLICE("yes") : SLICE("no");
		break;
	case JSON_NUMBER:
	case JSON_STRING:
		break;
	}
	if (flat->arrays > 0)
		add_item(flat, event, text);
	else
		add_line(flat, event->depth, text);
	return true;
}

static int
show(struct admin_call *call, struct slice json)
{
	struct payload_flattener flat = { .output = call->output, .pool = call->pool };
	struct json_problem problem;
	output_json_record(call->output, json);
	buffer_init(&flat.items, PAYLOAD_MAX_BYTES);
	bool read = json_read(json, SHOWN_DEPTH, flatten, &flat, &problem);
	buffer_free(&flat.items);
	return read ? EX_OK
		    : admin_fail(call, PROBLEM_INTERNAL, "what is stored of the lead is not valid JSON: %s", problem.message);
}

int
admin_lead_show(struct admin_call *call)
{
	struct lead_reference reference = { 0 };
	struct payload_subject *subject;
	struct lead lead;
	struct slice json;
	int status = admin_lead_reference(call, &reference);
	if (status != EX_OK)
		return status;
	enum result result = find_campaign(call, call->pool);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	result = store_look_up(call->store, call->pool, call->id, &reference, &subject);
	if (result == RESULT_NOT_FOUND)
		return admin_fail(call, PROBLEM_NOT_FOUND, "there is no such lead");
	if (result == RESULT_OK)
		result = render(call, subject, &json);
	/* payloads do not have it */
	if (result == RESULT_OK)
		result = store_find_lead(call->store, call->pool, call->id, &reference, &lead);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	status = show(call, json);
	if (lead.bounced)
		output_boolean(call->output, "bounced", true);
	return status;
}

int
admin_lead_code(struct admin_call *call)
{
	struct lead_reference reference = { 0 };
	struct lead lead;
	struct slice code;
	int64_t expires_ms;
	const int status = admin_lead_reference(call, &reference);
	if (status != EX_OK)
		return status;
	enum result result = find_campaign(call, call->pool);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	result = store_find_lead(call->store, call->pool, call->id, &reference, &lead);
	if (result == RESULT_NOT_FOUND)
		return admin_fail(call, PROBLEM_NOT_FOUND, "there is no such lead");
	if (result == RESULT_OK && !slice_present(lead.phone))
		return admin_fail(call, PROBLEM_CONFLICT, "the lead has no phone number");
	if (result == RESULT_OK && lead.verified_phone)
		return admin_fail(call, PROBLEM_CONFLICT, "the phone number of the lead is verified already");
	if (result == RESULT_OK)
		result = phone_code_make(call->store, call->pool, lead.id, lead.phone, false, &code, &expires_ms);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	output_record(call->output);
	output_text(call->output, "code", code);
	output_text(call->output, "phone_number", lead.phone);
	output_time(call->output, "expires_at", expires_ms);
	return EX_OK;
}

#define PLACE(member) offsetof(struct lead_filter, member)
static const char on_or_off[] = "on or off";

static const struct value_option filter_table[] = {
	{ OPTION_VERIFIED, value_filter, PLACE(verified), on_or_off },
	{ OPTION_WAITLISTED, value_filter, PLACE(waitlisted), on_or_off },
	{ OPTION_FRAUDULENT, value_filter, PLACE(fraudulent), on_or_off },
	{ OPTION_OPTED_OUT, value_filter, PLACE(opted_out), on_or_off },
	{ OPTION_TAG, value_id, PLACE(tag_id), "the id of a tag" },
	{ OPTION_SINCE, value_time, PLACE(since_ms), "a date or a time as in RFC 3339" },
	{ OPTION_AFTER, value_count, PLACE(after), "a number from 0 to 4294967295" },
	{ OPTION_LIMIT, value_limit, PLACE(limit), "a number from 1 to 10000" },
};

static enum result
add_lead(struct admin_call *call, const struct payload_subject *subject)
{
	const struct lead *lead = subject->lead;
	struct slice json = SLICE_NONE;
	enum result result = call->options[OPTION_JSON] == NULL ? RESULT_OK : render(call, subject, &json);
	if (result != RESULT_OK)
		return result;
	output_json_record(call->output, json);
	output_u64(call->output, "rank", lead->subscription_number);
	output_text(call->output, "social_id", pool_copy(call->pool, lead->social_id));
	output_text(call->output, "email", pool_copy(call->pool, lead->email));
	output_text(call->output, "phone_number", pool_copy(call->pool, lead->phone));
	output_u64(call->output, "contest_score", lead->score);
	output_u64(call->output, "referrals", lead->referrals);
	output_boolean(call->output, "verified", lead_is_verified(lead));
	output_boolean(call->output, "waitlisted", lead->waitlisted);
	output_boolean(call->output, "fraudulent", lead->fraudulent);
	output_boolean(call->output, "opted_out", lead->opted_out);
	output_time(call->output, "when", lead->created_ms);
	return RESULT_OK;
}

/* Outputs one page, then moves the filter to the next and subtracts from its `limit`. `pool` is for this page only. */
static enum result
add_page(struct admin_call *call, struct pool *pool, struct lead_filter *filter, bool *more)
{
	struct lead_page page;
	struct payload_subject *subjects;
	struct lead_filter wanted = *filter;
	wanted.limit = filter->limit < PAGE_LEADS ? filter->limit : PAGE_LEADS;
	enum result result = find_campaign(call, pool);
	if (result == RESULT_OK)
		result = store_list_leads(call->store, pool, call->id, &wanted, &page);
	if (result == RESULT_OK)
		result = store_show_leads(call->store, pool, call->id, page.leads, page.count, &subjects);
	for (size_t i = 0; result == RESULT_OK && i < page.count; i++)
		result = add_lead(call, &subjects[i]);
	if (result != RESULT_OK)
		return result;
	filter->after = page.next;
	filter->limit -= page.count;
	*more = page.next != 0 && filter->limit > 0;
	return RESULT_OK;
}

bool
admin_lead_filter(struct admin_call *call, struct lead_filter *filter)
{
	*filter = (struct lead_filter){ .verified = -1,
		.waitlisted = -1,
		.fraudulent = -1,
		.opted_out = -1,
		.since_ms = -1,
		.limit = VALUE_LIMIT_DEFAULT };
	return values_take(call, filter_table, ARRAY_SIZE(filter_table), filter);
}

int
admin_lead_list(struct admin_call *call)
{
	struct lead_filter filter;
	enum result result = RESULT_OK;
	if (!admin_lead_filter(call, &filter))
		return EX_DATAERR;
	for (bool more = true; result == RESULT_OK && more;) {
		struct pool *pool = pool_new();
		result = add_page(call, pool, &filter, &more);
		pool_free(&pool);
	}
	return admin_answer(call, result);
}
