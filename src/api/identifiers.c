/* SPDX-License-Identifier: MIT
 * The leads of a call (docs/api.md 4.1, 4.3): the subject of a sign-up and its referrer, one lead, or several. */
#include "api/pages.h"
#include "api/parameters.h"

#include "http/link_query.h"
#include "identity/phone.h"
#include "identity/social_id.h"

/* A bad number costs no lead that has an email address, unless the caller, or the visitor of a hosted page, can correct it. */
static bool
may_ignore_phone(const struct call *call, const struct arguments *arguments)
{
	return slice_present(arguments->email.key) && !arguments->strict && (call->route->flags & ROUTE_HOSTED) == 0;
}

bool
call_parse_phone(struct call *call, const struct parameter *parameter UNUSED, struct arguments *arguments)
{
	struct pool *pool = call->request->pool;
	const struct slice typed = arguments->phone_number, country_code = arguments->country_code;
	if (!slice_present(typed))
		return true;
	const enum phone_fault fault = phone_read(pool, typed, country_code, &arguments->signup.phone);
	if (fault == PHONE_GOOD || phone_is_blank(pool, typed, country_code))
		return true;
	if (!may_ignore_phone(call, arguments))
		return call_fail_with(call, FAILURE_INVALID_PHONE_NUMBER, phone_fault_text(fault));
	arguments->ignored_phone = fault;
	return true;
}

struct slice
call_note_ignored(struct call *call, const struct arguments *arguments, struct slice lead)
{
	if (arguments->ignored_phone == PHONE_GOOD || !slice_ends_with(lead, SLICE("}")))
		return lead;
	return pool_printf(call->request->pool, "%.*s,\"ignored\":{\"phone_number\":{\"error\":\"%s\",\"message\":\"%.*s\"}}}",
	    SLICE_ARGS(slice_sub(lead, 0, lead.size - 1)), failure_text(FAILURE_INVALID_PHONE_NUMBER)->code,
	    SLICE_ARGS(phone_fault_text(arguments->ignored_phone)));
}

struct slice
call_typed_number(const struct call *call)
{
	struct slice typed, country_code, number;
	if (!http_value_string(http_params_value(call->params, SLICE("phone_number")), &typed))
		return SLICE_NONE;
	if (!http_value_string(http_params_value(call->params, SLICE("country_code")), &country_code))
		country_code = SLICE_NONE;
	return phone_parse(call->request->pool, typed, country_code, &number) ? number : SLICE_NONE;
}

/* `social_id/token`, as in the address of a lead's page. A wrong one proves nothing. */
bool
call_read_owner(struct call *call, const struct parameter *parameter, struct arguments *arguments)
{
	const struct http_param *given;
	struct slice text, id;
	if (!call_first_text(call, parameter, &given, &text))
		return false;
	const size_t slash = slice_find(text, '/');
	if (!slice_present(text) || !social_id_parse(call->request->pool, slice_sub(text, 0, slash), &id))
		return true;
	if (!call_find_owner(call, id, slice_sub(text, slash + 1, text.size), &arguments->own))
		return false;
	arguments->signup.own_id = arguments->own.value;
	arguments->signup.own_epoch = arguments->own.epoch;
	return true;
}

bool
call_name_lead(struct call *call, const struct parameter *parameter UNUSED, struct arguments *arguments)
{
	const struct lead_reference names[] = {
		arguments->own,
		{ .identity = LEAD_BY_SOCIAL_ID, .value = arguments->lead.value },
		{ .identity = LEAD_BY_EMAIL, .value = arguments->email.key },
		{ .identity = LEAD_BY_PHONE, .value = arguments->signup.phone },
	};
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		arguments->lead = names[i];
		if (slice_present(names[i].value))
			return true;
	}
	return call_fail(call, FAILURE_MISSING_LEAD_IDENTIFIER);
}

/* `__kid` never identifies the lead to update. */
bool
call_read_social_id(struct call *call, const struct parameter *parameter, struct arguments *arguments)
{
	const struct http_param *given;
	if (!call_first_text(call, parameter, &given, &arguments->social_id))
		return false;
	arguments->referrer_only = slice_present(arguments->social_id) && slice_starts_with(given->name, SLICE("_"));
	return true;
}

/* The social id of the request identifies the lead to update or the referrer; that of `__url` identifies the referrer. */
bool
call_choose_subject(struct call *call, const struct parameter *parameter UNUSED, struct arguments *arguments)
{
	struct signup *signup = &arguments->signup;
	const bool in_request = slice_present(arguments->social_id);
	const struct slice typed = in_request ? arguments->social_id : arguments->url_kid;
	struct slice id = SLICE_NONE;
	signup->email = arguments->email.display;
	signup->email_key = arguments->email.key;
	const bool identified = slice_present(signup->email_key) || slice_present(signup->phone);
	struct pool *pool = call->request->pool;
	const bool names_subject = in_request && call_has_right(call, RIGHT_CHANGE) &&
				   (call->route->flags & ROUTE_SUBSCRIBE) == 0 &&
				   (signup->must_exist || (!identified && !arguments->referrer_only));
	if (!identified && !names_subject)
		return call_fail(call, FAILURE_MISSING_EMAIL_AND_PHONE);
	if (names_subject)
		return social_id_parse(pool, typed, &signup->subject) || call_fail(call, FAILURE_LEAD_NOT_FOUND);
	/* malformed ids are ignored, as unknown ones are */
	if (slice_present(typed) && http_link_id(pool, typed, &id) && social_id_parse(pool, id, &id))
		signup->referrer_id = id;
	return true;
}

bool
call_read_leads(struct call *call, const struct parameter *parameter, struct arguments *arguments)
{
	const size_t most = call->api->options->bulk_items;
	const struct http_value *found;
	if (arguments->typed_leads == NULL)
		arguments->typed_leads = POOL_ARRAY(call->request->pool, most, struct http_value);
	for (size_t i = 0; parameter_has_name(parameter, i); i++) {
		const size_t count = call_values(call, parameter->names[i], &found);
		if (count == 0)
			continue;
		if (arguments->typed_lead_count > 0 && arguments->identity != parameter->identity)
			arguments->mixed_identities = true;
		arguments->identity = parameter->identity;
		for (size_t k = 0; k < count && arguments->typed_lead_count + k < most; k++)
			arguments->typed_leads[arguments->typed_lead_count + k] = found[k];
		arguments->typed_lead_count += count;
	}
	return true;
}

bool
call_check_leads(struct call *call, const struct parameter *parameter UNUSED, struct arguments *arguments)
{
	if (arguments->mixed_identities)
		return call_fail(call, FAILURE_MIXED_IDENTIFIERS);
	if (arguments->typed_lead_count == 0)
		return call_fail(call, FAILURE_MISSING_LEAD_IDENTIFIER);
	return arguments->typed_lead_count <= call->api->options->bulk_items || call_fail(call, FAILURE_TOO_MANY_ITEMS);
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
	bool valid = email_parse(pool, typed->text, &email);
	*value = valid ? email.key : SLICE_NONE;
	return valid;
}

/* Malformed identifiers match no lead. */
bool
call_parse_leads(struct call *call, const struct parameter *parameter UNUSED, struct arguments *arguments)
{
	struct pool *pool = call->request->pool;
	struct slice value;
	arguments->leads = POOL_ARRAY(pool, arguments->typed_lead_count, struct lead_reference);
	for (size_t i = 0; i < arguments->typed_lead_count; i++)
		if (parse_identifier(pool, arguments->identity, &arguments->typed_leads[i], arguments->country_code, &value))
			arguments->leads[arguments->lead_count++] =
			    (struct lead_reference){ .identity = arguments->identity, .value = value };
	return true;
}
