/* SPDX-License-Identifier: MIT */
#include "api/call/bulk_arguments.h"

#include "api/call/call_answers.h"
#include "api/call/campaign_definitions.h"
#include "api/call/param_names.h"
#include "api/call/param_values.h"
#include "identity/email.h"
#include "identity/phone.h"
#include "identity/social_id.h"

/* ---- leads ---- */

/* The identifiers as they were sent: up to the setting bulk_items. */
struct typed_leads {
	struct http_value *items;
	size_t count;                /* including those beyond the setting */
	enum lead_identity identity; /* of all … */
	bool mixed;                  /* … unless there are several */
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

bool
bulk_read_leads(struct call *call, struct bulk_leads *leads)
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

bool
bulk_read_tag(struct call *call, struct bulk_tags *tags)
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

/* One that is unknown or malformed, or none, fails the call: no tag is applied without the others. */
bool
bulk_read_tags(struct call *call, struct bulk_tags *tags)
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

bool
bulk_read_argument(struct call *call, enum lead_action action, struct slice *argument)
{
	*argument = SLICE_NONE;
	if (action == LEAD_VERIFY || action == LEAD_UNVERIFY)
		return param_read_checked(call, PARAM_CHANNEL, is_channel, "must be email or phone", argument);
	return action != LEAD_BLOCK || param_read_checked(call, PARAM_REASON, is_reason, "is longer than 64 bytes", argument);
}
