/* SPDX-License-Identifier: MIT
 * Which leads a call is about (docs/api.md 4.1): one, or those of a bulk call. */
#include "api/call.h"

#include "identity/phone.h"
#include "identity/social_id.h"

bool
call_parse_lead(struct call *call, struct lead_reference *lead)
{
	static const char *const names[] = { "social_id", "kid", NULL };
	struct slice social_id;
	struct email email;
	*lead = (struct lead_reference){ .identity = LEAD_BY_SOCIAL_ID };
	if (!call_first_text(call, names, &social_id))
		return false;
	if (slice_present(social_id)) {
		if (social_id_parse(call->request->pool, social_id, &lead->value))
			return true;
		call_fail(call, FAILURE_LEAD_NOT_FOUND);
		return false;
	}
	if (!call_parse_email(call, &email))
		return false;
	lead->identity = LEAD_BY_EMAIL;
	lead->value = email.key;
	if (slice_present(lead->value))
		return true;
	lead->identity = LEAD_BY_PHONE;
	if (!call_parse_phone(call, &lead->value))
		return false;
	if (!slice_present(lead->value))
		call_fail(call, FAILURE_MISSING_LEAD_IDENTIFIER);
	return slice_present(lead->value);
}

/* What collects: the identifiers on bulk calls, and what `identities` has no more of everywhere. */
static const struct slice collecting[] = { SLICE("email"), SLICE("emails"), SLICE("phone_number"), SLICE("phone_numbers"),
	SLICE("social_id"), SLICE("social_ids"), SLICE("kid"), SLICE("event"), SLICE("events") };
static const enum lead_identity identities[] = { LEAD_BY_EMAIL, LEAD_BY_EMAIL, LEAD_BY_PHONE, LEAD_BY_PHONE, LEAD_BY_SOCIAL_ID,
	LEAD_BY_SOCIAL_ID, LEAD_BY_SOCIAL_ID };

struct http_names
call_collecting_names(const struct route *route)
{
	size_t first = (route->flags & ROUTE_BULK) != 0 ? 0 : ARRAY_SIZE(identities);
	return (struct http_names){ collecting + first, ARRAY_SIZE(collecting) - first };
}

/* The values under one name: the items of an array, or the one that is there. */
static size_t
values_of(const struct http_value *value, const struct http_value **values)
{
	*values = value;
	if (value == NULL || value->type == HTTP_NULL || (value->type == HTTP_STRING && value->text.size == 0))
		return 0;
	if (value->type != HTTP_ARRAY)
		return 1;
	*values = value->items;
	return value->item_count;
}

/* All that was sent, of one type. False: the call has failed. */
static bool
collect(struct call *call, enum lead_identity *identity, struct http_value *values, size_t *count)
{
	const struct http_value *found;
	bool mixed = false;
	size_t most = call->api->options->bulk_items;
	*count = 0;
	for (size_t i = 0; i < ARRAY_SIZE(identities); i++) {
		size_t number = values_of(http_params_value(call->params, collecting[i]), &found);
		if (number == 0)
			continue;
		mixed = mixed || (*count > 0 && *identity != identities[i]);
		*identity = identities[i];
		for (size_t k = 0; k < number && *count + k < most; k++)
			values[*count + k] = found[k];
		*count += number;
	}
	if (!mixed && *count > 0 && *count <= most)
		return true;
	call_fail(call, mixed         ? FAILURE_MIXED_IDENTIFIERS
			: *count == 0 ? FAILURE_MISSING_LEAD_IDENTIFIER
				      : FAILURE_TOO_MANY_ITEMS);
	return false;
}

/* False when it can be no identifier of this type. */
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
	bool valid = email_parse(pool, typed->text, &email);
	*value = valid ? email.key : SLICE_NONE;
	return valid;
}

bool
call_parse_leads(struct call *call, struct lead_reference **leads, size_t *count)
{
	struct pool *pool = call->request->pool;
	struct http_value *values = POOL_ARRAY(pool, call->api->options->bulk_items, struct http_value);
	enum lead_identity identity = LEAD_BY_EMAIL;
	size_t value_count;
	struct slice country_code, value;
	*count = 0;
	*leads = POOL_ARRAY(pool, call->api->options->bulk_items, struct lead_reference);
	if (!collect(call, &identity, values, &value_count) || !call_text(call, "country_code", &country_code))
		return false;
	for (size_t i = 0; i < value_count; i++)
		if (parse_identifier(pool, identity, &values[i], country_code, &value))
			(*leads)[(*count)++] = (struct lead_reference){ .identity = identity, .value = value };
	return true;
}
