/* SPDX-License-Identifier: MIT */
#include "api/handlers/bulk_calls.h"

#include <inttypes.h>

#include "api/call/call_answers.h"
#include "api/call/campaign_definitions.h"
#include "api/call/param_values.h"
#include "identity/email.h"
#include "identity/phone.h"
#include "identity/social_id.h"
#include "store/bulk.h"

/* ---- leads ---- */

/* The identifiers as they were sent: up to the setting bulk_items. */
struct typed_leads {
	struct http_value *items;
	size_t count;                /* including identifiers beyond the setting */
	enum lead_identity identity; /* the type of all, unless they are mixed */
	bool mixed;                  /* the identifiers have several types: the call fails */
};

static void
read_typed(struct call *call, enum param_id id, enum lead_identity identity, struct typed_leads *typed)
{
	const size_t most = call->api->options->bulk_items;
	const struct param *parameter = &param_table[id];
	const struct http_value *found;
	for (size_t i = 0; param_has_name(parameter, i); i++) {
		const size_t count = param_values(call, parameter->names[i], &found);
		if (count == 0)
			continue;
		typed->mixed = typed->mixed || (typed->count > 0 && typed->identity != identity);
		typed->identity = identity;
		for (size_t k = 0; k < count && typed->count + k < most; k++)
			typed->items[typed->count + k] = found[k];
		typed->count += count;
	}
}

/* Returns false when the text is not a valid identifier of this type. */
static bool
parse_identifier(struct pool *pool, enum lead_identity identity, const struct http_value *typed, struct slice country_code,
    struct slice *value)
{
	struct email email;
	if (typed->type != HTTP_STRING && typed->type != HTTP_NUMBER)
		return false;
	if (identity == LEAD_BY_PHONE)
		return phone_parse(pool, typed->text, country_code, value);
	if (identity == LEAD_BY_SOCIAL_ID)
		return social_id_parse(pool, typed->text, value);
	const bool valid = email_parse(pool, typed->text, &email);
	*value = valid ? email.key : SLICE_NONE;
	return valid;
}

/* The leads of the call, by identifiers of one type. Malformed identifiers are left out, because they match no lead. */
struct bulk_leads {
	struct lead_reference *items;
	size_t count;
};

static bool
read_leads(struct call *call, struct bulk_leads *leads)
{
	struct pool *pool = call->request->pool;
	struct typed_leads typed = { .items = POOL_ARRAY(pool, call->api->options->bulk_items, struct http_value) };
	struct slice country_code, value;
	read_typed(call, PARAM_EMAILS, LEAD_BY_EMAIL, &typed);
	read_typed(call, PARAM_PHONE_NUMBERS, LEAD_BY_PHONE, &typed);
	read_typed(call, PARAM_SOCIAL_IDS, LEAD_BY_SOCIAL_ID, &typed);
	if (typed.mixed)
		return call_fail(call, FAILURE_MIXED_IDENTIFIERS);
	if (typed.count == 0)
		return call_fail(call, FAILURE_MISSING_LEAD_IDENTIFIER);
	if (typed.count > call->api->options->bulk_items)
		return call_fail(call, FAILURE_TOO_MANY_ITEMS);
	if (!param_read_text(call, PARAM_COUNTRY_CODE, &country_code))
		return false;
	*leads = (struct bulk_leads){ POOL_ARRAY(pool, typed.count, struct lead_reference), 0 };
	for (size_t i = 0; i < typed.count; i++)
		if (parse_identifier(pool, typed.identity, &typed.items[i], country_code, &value))
			leads->items[leads->count++] = (struct lead_reference){ .identity = typed.identity, .value = value };
	return true;
}

/* ---- tags ---- */

enum { BULK_TAGS_MAX = 50 };
/* Without duplicates. */
struct bulk_tags {
	uint64_t *ids;
	size_t count;
};

/* Reads exactly one tag: `tag_id`, otherwise `tag`. */
static bool
read_tag(struct call *call, struct bulk_tags *tags)
{
	struct slice id, name = SLICE_NONE;
	if (!param_read_text(call, PARAM_TAG_ID, &id) || (!slice_present(id) && !param_read_text(call, PARAM_TAG, &name)))
		return false;
	if (!slice_present(id) && !slice_present(name))
		return call_fail(call, FAILURE_TAG_NOT_FOUND);
	*tags = (struct bulk_tags){ POOL_NEW(call->request->pool, uint64_t), 1 };
	return slice_present(id) ? definitions_read_tag(call, id, TAG_BY_ID, tags->ids)
				 : definitions_read_tag(call, name, TAG_BY_NAME, tags->ids);
}

static void
add_tag(struct bulk_tags *tags, uint64_t id)
{
	for (size_t i = 0; i < tags->count; i++)
		if (tags->ids[i] == id)
			return;
	tags->ids[tags->count++] = id;
}

/* Reads `tag_ids`: from one to BULK_TAGS_MAX. An unknown or malformed id fails the call, because no tag is applied without the
 * others. */
static bool
read_tags(struct call *call, struct bulk_tags *tags)
{
	const struct http_value *values;
	struct definitions definitions;
	const size_t count = param_values(call, param_name(PARAM_TAG_IDS), &values);
	if (count > BULK_TAGS_MAX)
		return call_fail(call, FAILURE_TOO_MANY_ITEMS);
	if (count == 0)
		return call_fail(call, FAILURE_TAG_NOT_FOUND);
	if (!definitions_read(call, &definitions))
		return false;
	*tags = (struct bulk_tags){ POOL_ARRAY(call->request->pool, count, uint64_t), 0 };
	for (size_t i = 0; i < count; i++) {
		const bool is_text = values[i].type == HTTP_STRING || values[i].type == HTTP_NUMBER;
		const struct tag *tag = is_text ? definitions_find_tag(&definitions, values[i].text, TAG_BY_ID) : NULL;
		if (tag == NULL)
			return call_fail(call, FAILURE_TAG_NOT_FOUND);
		add_tag(tags, tag->id);
	}
	return true;
}

/* ---- arguments ---- */

static bool
is_channel(struct slice text)
{
	return slice_equal(text, SLICE("email")) || slice_equal(text, SLICE("phone"));
}

static bool
is_reason(struct slice text)
{
	_Static_assert(LEAD_ARGUMENT_MAX_BYTES == 64, "the text of the requirement below");
	return text.size <= LEAD_ARGUMENT_MAX_BYTES;
}

/* Reads what the action needs in addition to leads and tags: the argument of struct bulk_request, or absent. */
static bool
read_argument(struct call *call, enum lead_action action, struct slice *argument)
{
	*argument = SLICE_NONE;
	if (action == LEAD_VERIFY || action == LEAD_UNVERIFY)
		return param_read_checked(call, PARAM_CHANNEL, is_channel, "must be email or phone", argument);
	return action != LEAD_BLOCK || param_read_checked(call, PARAM_REASON, is_reason, "is longer than 64 bytes", argument);
}

/* ---- calls ---- */

static void
answer_queued(struct call *call, struct slice message, struct slice name, size_t matched)
{
	struct json_writer writer = call_begin(call);
	call->response->status = 202;
	json_begin_object(&writer);
	json_put_text(&writer, SLICE("message"), message);
	json_put_u64(&writer, name, matched);
	json_end_object(&writer);
}

/* Refuses a job. The client cannot know when there will be room; 60 s is arbitrary. */
static void
refuse(struct call *call)
{
	call_add_header(call, "Retry-After", SLICE("60"));
	call_fail(call, FAILURE_TOO_MANY_JOBS);
}

/* False: the call has failed. */
static bool
read_points(struct call *call, struct points_call *points)
{
	struct bulk_leads leads;
	bool given;
	if (!param_read_points(call, &given, &points->points))
		return false;
	if (!given)
		return call_fail(call, FAILURE_MISSING_POINTS);
	if (!read_leads(call, &leads))
		return false;
	points->leads = leads.items;
	points->lead_count = leads.count;
	return param_read_text(call, PARAM_MESSAGE, &points->message);
}

void
handle_points(struct call *call)
{
	struct points_call points = { .account_jobs = call->api->options->account_bulk_jobs };
	if (!read_points(call, &points))
		return;
	if (points.lead_count == 0) {
		call_fail(call, FAILURE_LEADS_NOT_FOUND);
		return;
	}
	const struct outcome outcome = call_execute(call, &(struct command){ .kind = COMMAND_POINTS, .as.points = points });
	if (outcome.failure == FAILURE_TOO_MANY_JOBS)
		refuse(call);
	else if (outcome.failure == FAILURE_NONE && outcome.queued > 0)
		answer_queued(call, SLICE("Your leads have been queued for changes"), SLICE("updated"), outcome.queued);
	else if (outcome.failure == FAILURE_NONE)
		call_answer(call, SLICE("{\"message\":\"Custom Points added\"}"));
}

/* What a bulk call changes. */
struct change {
	enum lead_action action;
	enum { OF_LEADS, OF_REFERRERS } whose;
	struct bulk_leads leads;
	struct bulk_tags tags;
	struct slice argument;
};

/* The argument of the change. If an action verifies leads that are named by an address, and the call names no channel, it is
 * that of this address. */
static struct slice
argument_of(const struct change *change)
{
	if (change->action != LEAD_VERIFY || slice_present(change->argument) || change->leads.count == 0)
		return change->argument;
	return lead_named_channel(change->leads.items[0].identity);
}

/* Queues the change, and answers with the number of leads. */
static void
queue(struct call *call, const struct change *change)
{
	struct bulk_queued queued;
	if (!call_may_wait(call, WAIT_BULK_JOBS))
		return;
	const struct bulk_request request = {
		.account_id = call->account_id,
		.campaign_id = call->campaign.id,
		.account_jobs = call->api->options->account_bulk_jobs,
		.action = change->action,
		.tag_ids = change->tags.ids,
		.tag_count = change->tags.count,
		.argument = argument_of(change),
		.leads = change->leads.items,
		.lead_count = change->leads.count,
		.made_by = call->key.id == 0 ? SLICE_NONE : pool_printf(call->request->pool, "key %" PRIu64, call->key.id),
		.referrers = change->whose == OF_REFERRERS,
	};
	enum result result =
	    request.lead_count == 0 ? RESULT_NOT_FOUND : store_queue_bulk(call->api->store, NULL, &request, &queued);
	if (result == RESULT_TOO_MANY)
		refuse(call);
	else if (result != RESULT_OK)
		call_fail_result(call, result, FAILURE_NO_LEADS);
	else if (change->action == LEAD_DELETE)
		answer_queued(call, SLICE("Your leads have been queued for deletion"), SLICE("deleted"), queued.leads);
	else
		answer_queued(call, SLICE("Your leads have been queued for changes"), SLICE("updated"), queued.leads);
}

void
handle_bulk_change(struct call *call)
{
	struct change change = { .whose = OF_LEADS };
	if (!lead_action_parse(call->request->segments[2], &change.action))
		call_fail(call, FAILURE_INVALID_ACTION);
	else if (read_leads(call, &change.leads) && (change.action != LEAD_TAG || read_tag(call, &change.tags)) &&
		 read_argument(call, change.action, &change.argument))
		queue(call, &change);
}

void
handle_bulk_delete(struct call *call)
{
	struct change change = { .action = LEAD_DELETE };
	if (read_leads(call, &change.leads))
		queue(call, &change);
}

void
handle_bulk_tags(struct call *call)
{
	struct change change = { .action = LEAD_TAG };
	if (read_leads(call, &change.leads) && read_tags(call, &change.tags))
		queue(call, &change);
}

void
handle_tag_referrers(struct call *call)
{
	struct change change = { .action = LEAD_TAG, .whose = OF_REFERRERS };
	if (read_leads(call, &change.leads) && read_tags(call, &change.tags))
		queue(call, &change);
}

void
handle_tag_referrers_of_path(struct call *call)
{
	uint64_t id;
	struct change change = { .action = LEAD_TAG, .whose = OF_REFERRERS, .tags = { &id, 1 } };
	if (read_leads(call, &change.leads) && definitions_read_tag(call, call->request->segments[3], TAG_BY_ID, &id))
		queue(call, &change);
}
