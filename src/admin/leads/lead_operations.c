/* SPDX-License-Identifier: MIT
 * Leads: show one, or list those of a campaign. The JSON is that of the API. */
#include <inttypes.h>
#include <stddef.h>
#include <sysexits.h>

#include "admin/operations.h"
#include "engine/id_list.h"
#include "identity/email.h"
#include "identity/phone.h"
#include "identity/social_id.h"
#include "json/reader.h"
#include "json/writer.h"
#include "operation/value_types.h"
#include "os/clock.h"
#include "store/codes/lead_codes.h"
#include "store/operator/admin.h"
#include "store/operator/lead_names.h"
#include "store/operator/timeline.h"

/* Leads are read in pages of PAGE_LEADS. Only the shown values are stored until all is printed. */
enum { PAGE_LEADS = 250, SHOWN_DEPTH = 32 };

static bool
read_email(struct pool *pool, struct slice text, struct slice *value)
{
	struct email email;
	if (!email_parse(pool, text, &email))
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

/* Reports an invalid one and returns false. */
static bool
read_identity(struct admin_call *call, size_t which, struct lead_reference *reference)
{
	const char *text = call->options[identities[which].option];
	reference->identity = identities[which].identity;
	if (identities[which].read(call->pool, slice_of(text), &reference->value))
		return true;
	admin_fail_option(call, PROBLEM_INVALID, identities[which].option, "expected %s", identities[which].expected);
	return false;
}

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
	return read_identity(call, which, reference) ? EX_OK : EX_DATAERR;
}

enum result
admin_find_campaign(struct admin_call *call, struct campaign *campaign)
{
	int64_t now_ms;
	return store_find_campaign(call->store, call->pool, call->id, campaign, &now_ms);
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

void
admin_put_origin(struct json_writer *writer, const struct lead *lead)
{
	json_begin_object(writer);
	json_put_text(writer, SLICE("source"), lead->source);
	json_put_text(writer, SLICE("signup_url"), lead->signup_url);
	json_put_text(writer, SLICE("referrer"), lead->referrer);
	json_put_text(writer, SLICE("parent_id"), lead->parent_social_id);
	json_put_text(writer, SLICE("ip"), lead->ip);
	json_put_text(writer, SLICE("user_agent"), lead->user_agent);
	json_put_text(writer, SLICE("session_id"), lead->session_id);
	json_put_text(writer, SLICE("request_id"), lead->request_id);
	json_end_object(writer);
}

/* Those that were removed since have no subject. */
static void
put_rewards(struct json_writer *writer, const struct lead *lead, const struct definitions *definitions)
{
	struct slice rest = lead->reward_ids;
	uint64_t id;
	json_name(writer, SLICE("rewards"));
	json_begin_array(writer);
	while (id_list_next(&rest, &id)) {
		struct slice subject = SLICE_NONE;
		for (size_t i = 0; i < definitions->reward_count; i++)
			if (definitions->rewards[i].id == id)
				subject = definitions->rewards[i].subject;
		json_begin_object(writer);
		json_put_u64(writer, SLICE("reward_id"), id);
		json_put_text(writer, SLICE("subject"), subject);
		json_end_object(writer);
	}
	json_end_array(writer);
}

/* `parent` may be NULL. */
static void
put_parent(struct json_writer *writer, const struct lead_name *parent)
{
	json_name(writer, SLICE("parent"));
	if (parent == NULL) {
		json_null(writer);
		return;
	}
	json_begin_object(writer);
	json_put_text(writer, SLICE("social_id"), parent->social_id);
	json_put_text(writer, SLICE("display_name"), parent->display_name);
	json_put_text(writer, SLICE("email"), parent->email);
	json_end_object(writer);
}

/* The payload with what it does not have. In the call's pool. */
static struct slice
with_details(struct admin_call *call, struct slice payload, const struct lead *lead, const struct lead_name *parent,
    const struct definitions *definitions)
{
	struct buffer out;
	struct json_writer writer;
	buffer_init(&out, 2 * PAYLOAD_MAX_BYTES);
	json_writer_init(&writer, &out);
	json_begin_object_with(&writer, payload);
	put_parent(&writer, parent);
	json_put_text(&writer, SLICE("language"), lead->language);
	json_put_boolean(&writer, SLICE("bounced"), lead->bounced);
	json_put_raw(&writer, SLICE("fraud_reasons"), slice_present(lead->fraud_flags) ? lead->fraud_flags : SLICE("[]"));
	json_put_u64(&writer, SLICE("times_flagged"), lead->times_flagged);
	put_rewards(&writer, lead, definitions);
	json_name(&writer, SLICE("origin"));
	admin_put_origin(&writer, lead);
	json_end_object(&writer);
	const struct slice json = pool_copy(call->pool, buffer_slice(&out));
	buffer_free(&out);
	return json;
}

enum result
admin_find_lead(struct admin_call *call, const struct lead_reference *reference, struct lead *lead)
{
	enum result result = store_find_lead(call->store, call->pool, call->id, reference, lead);
	return result == RESULT_OK ? store_find_origin(call->store, call->pool, lead) : result;
}

int
admin_lead_show(struct admin_call *call)
{
	struct lead_reference reference = { 0 };
	struct payload_subject *subject;
	struct campaign campaign;
	struct lead lead;
	struct lead_names parent = { 0 };
	struct slice json;
	int status = admin_lead_reference(call, &reference);
	if (status != EX_OK)
		return status;
	enum result result = admin_find_campaign(call, &campaign);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	result = store_look_up(call->store, call->pool, call->id, &reference, &subject);
	if (result == RESULT_OK)
		result = render(call, subject, &json);
	if (result == RESULT_OK)
		result = admin_find_lead(call, &reference, &lead);
	if (result == RESULT_NOT_FOUND)
		return admin_fail(call, PROBLEM_NOT_FOUND, "there is no such lead");
	if (result == RESULT_OK && lead.parent_id != 0)
		result = store_name_leads(call->store, call->pool, &(uint64_t){ lead.parent_id }, 1, &parent);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	return show(call, with_details(call, json, &lead, lead_name_of(&parent, lead.parent_id), subject->definitions));
}

int
admin_lead_code(struct admin_call *call)
{
	struct lead_reference reference = { 0 };
	struct campaign campaign;
	struct lead lead;
	struct slice code;
	int64_t expires_ms;
	const int status = admin_lead_reference(call, &reference);
	if (status != EX_OK)
		return status;
	enum result result = admin_find_campaign(call, &campaign);
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
static const char yes_or_no[] = "yes or no";

static const struct value_option filter_table[] = {
	{ OPTION_VERIFIED, value_filter, PLACE(verified), yes_or_no },
	{ OPTION_WAITLISTED, value_filter, PLACE(waitlisted), yes_or_no },
	{ OPTION_FRAUDULENT, value_filter, PLACE(fraudulent), yes_or_no },
	{ OPTION_OPTED_OUT, value_filter, PLACE(opted_out), yes_or_no },
	{ OPTION_TAG, value_id, PLACE(tag_id), "the id of a tag" },
	{ OPTION_SINCE, value_time, PLACE(since_ms), "a date or a time as in RFC 3339, such as 2026-10-01" },
	{ OPTION_UNTIL, value_time, PLACE(until_ms), "a date or a time as in RFC 3339, such as 2026-10-01" },
	{ OPTION_SOURCE, value_source, PLACE(source), "at most 65535 bytes" },
	{ OPTION_NAME, value_name, PLACE(name), "1 to 200 characters" },
	{ OPTION_NEWEST, value_given, PLACE(newest), "" },
	{ OPTION_LIMIT, value_limit, PLACE(limit), "a number from 1 to 10000" },
};
/* The place of a list in the order of sign-ups. */
static const struct value_option number_option = { OPTION_AFTER, value_count, PLACE(after), "a number from 0 to 4294967295" };

/* A list, part by part. */
struct lead_list {
	struct lead_filter filter; /* `limit`: what is left of it */
	bool has_order;
	struct lead_order order; /* has_order: that of the list */
	int64_t deadline_ms;     /* until which it searches names */
};
enum { SEARCH_MS = 1000 };

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

/* It examines as many leads as a page may, from its place on. */
static void
begin_page(struct lead_list *list)
{
	list->filter.last = 0;
	list->order.examined = 0;
}

/* Outputs one page, then moves the list to the next and subtracts from its limit. `pool` is for this page only. */
static enum result
add_page(struct admin_call *call, struct pool *pool, struct lead_list *list, bool *more)
{
	struct campaign campaign;
	struct lead_page page;
	struct payload_subject *subjects;
	struct lead_filter *filter = &list->filter, wanted = *filter;
	wanted.limit = filter->limit < PAGE_LEADS ? filter->limit : PAGE_LEADS;
	enum result result = admin_find_campaign(call, &campaign);
	if (result == RESULT_OK)
		result = list->has_order ? store_list_leads_in_order(call->store, pool, call->id, &wanted, &list->order, &page)
					 : store_list_leads(call->store, pool, call->id, &wanted, &page);
	if (result == RESULT_OK)
		result = store_show_leads(call->store, pool, call->id, page.leads, page.count, &subjects);
	for (size_t i = 0; result == RESULT_OK && i < page.count; i++)
		result = add_lead(call, &subjects[i]);
	if (result != RESULT_OK)
		return result;
	filter->after = page.next;
	filter->last = page.last;
	filter->limit -= page.count;
	/* one call examines no more leads than one page may, or names for a second */
	const bool searches = slice_present(filter->name) && clock_monotonic_ms() < list->deadline_ms;
	const bool page_ends = list->has_order ? store_order_is_spent(filter, &list->order) : page.next == page.last;
	if (page_ends && searches)
		begin_page(list);
	*more = (list->has_order ? list->order.more : page.next != 0) && (!page_ends || searches) && filter->limit > 0;
	return RESULT_OK;
}

/* Whether it is a list of store_list_leads_in_order. */
static bool
has_order(const struct admin_call *call)
{
	return call->options[OPTION_ORDER] != NULL || call->options[OPTION_REFERRED_BY] != NULL;
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
	for (size_t i = 0; i < ARRAY_SIZE(identities); i++)
		if (call->options[identities[i].option] != NULL &&
		    !read_identity(call, i, &filter->identities[filter->identity_count++]))
			return false;
	return values_take(call, filter_table, ARRAY_SIZE(filter_table), filter);
}

bool
admin_lead_after(struct admin_call *call, struct lead_filter *filter)
{
	return values_take(call, &number_option, 1, filter);
}

/* "score": the only order that has a name. */
static bool
read_order(struct pool *pool UNUSED, struct slice text, void *place UNUSED, struct slice *bad UNUSED)
{
	return slice_equal(text, SLICE("score"));
}

/* Score and sign-up number, "25-7". */
static bool
read_score_place(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	struct lead_order *order = place;
	const size_t dash = slice_find(text, '-');
	uint64_t score, number;
	if (!slice_to_u64(slice_sub(text, 0, dash), UINT32_MAX, &score) ||
	    !slice_to_u64(slice_sub(text, dash + 1, text.size), UINT32_MAX, &number))
		return false;
	order->has_place = true;
	order->score = (uint32_t)score;
	order->number = (uint32_t)number;
	return true;
}

static bool
read_id_place(struct pool *pool, struct slice text, void *place, struct slice *bad)
{
	struct lead_order *order = place;
	order->has_place = true;
	return value_id(pool, text, &order->id, bad);
}

/* Options that do not fit the order of the list. Returns 0, or EX_USAGE after reporting one. */
static int
check_order(struct admin_call *call)
{
	const bool by_score = call->options[OPTION_ORDER] != NULL;
	const char *shown = admin_option_shown(call, by_score ? OPTION_ORDER : OPTION_REFERRED_BY);
	if (by_score && call->options[OPTION_NEWEST] != NULL)
		return admin_fail_option(
		    call, PROBLEM_USAGE, OPTION_NEWEST, "only in the order of sign-ups, not with %s", shown);
	if (by_score && call->options[OPTION_REFERRED_BY] != NULL)
		return admin_fail_option(call, PROBLEM_USAGE, OPTION_REFERRED_BY, "not with %s", shown);
	for (size_t i = 0; i < ARRAY_SIZE(identities); i++)
		if (call->options[identities[i].option] != NULL)
			return admin_fail_option(call, PROBLEM_USAGE, identities[i].option, "not with %s", shown);
	return EX_OK;
}

int
admin_lead_order(struct admin_call *call, bool *by_score)
{
	static const struct value_option order_option = { OPTION_ORDER, read_order, 0, "score" };
	const int status = check_order(call);
	*by_score = call->options[OPTION_ORDER] != NULL;
	return status != EX_OK ? status : values_take(call, &order_option, 1, by_score) ? EX_OK : EX_DATAERR;
}

/* Reads the order and its place. Returns 0, or a status after reporting the error. */
static int
take_order(struct admin_call *call, struct lead_order *order)
{
	static const struct value_option referrer_option = { OPTION_REFERRED_BY, value_social_id,
		offsetof(struct lead_reference, value), "the social_id of a lead" };
	static const struct value_option places[] = {
		{ OPTION_AFTER, read_score_place, 0, "a place that the list has named" },
		{ OPTION_AFTER, read_id_place, 0, "a place that the list has named" },
	};
	struct lead_reference reference = { .identity = LEAD_BY_SOCIAL_ID };
	struct campaign campaign;
	struct lead referrer;
	bool by_score;
	const int status = admin_lead_order(call, &by_score);
	if (status != EX_OK)
		return status;
	if (!values_take(call, &referrer_option, 1, &reference) || !values_take(call, &places[by_score ? 0 : 1], 1, order))
		return EX_DATAERR;
	if (by_score)
		return EX_OK;
	enum result result = admin_find_campaign(call, &campaign);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	result = store_find_lead(call->store, call->pool, call->id, &reference, &referrer);
	if (result == RESULT_NOT_FOUND)
		return admin_fail(call, PROBLEM_NOT_FOUND, "there is no such lead");
	if (result == RESULT_OK)
		order->referrer_id = referrer.id;
	return admin_answer(call, result);
}

/* Absent: the list has ended. */
static struct slice
next_place(struct pool *pool, const struct lead_list *list)
{
	const struct lead_order *order = &list->order;
	if (!list->has_order)
		return list->filter.after == 0 ? SLICE_NONE : pool_printf(pool, "%" PRIu32, list->filter.after);
	if (!order->more)
		return SLICE_NONE;
	return order->referrer_id != 0 ? pool_printf(pool, "%" PRIu64, order->id)
				       : pool_printf(pool, "%" PRIu32 "-%" PRIu32, order->score, order->number);
}

int
admin_lead_list(struct admin_call *call)
{
	struct lead_list list = { .has_order = has_order(call), .deadline_ms = clock_monotonic_ms() + SEARCH_MS };
	enum result result = RESULT_OK;
	if (!admin_lead_filter(call, &list.filter) || (!has_order(call) && !admin_lead_after(call, &list.filter)))
		return EX_DATAERR;
	const int status = list.has_order ? take_order(call, &list.order) : EX_OK;
	if (status != EX_OK)
		return status;
	for (bool more = true; result == RESULT_OK && more;) {
		struct pool *pool = pool_new();
		result = add_page(call, pool, &list, &more);
		pool_free(&pool);
	}
	const struct slice next = next_place(call->pool, &list);
	if (result == RESULT_OK && slice_present(next))
		admin_next(call, next);
	return admin_answer(call, result);
}
