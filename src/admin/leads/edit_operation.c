/* SPDX-License-Identifier: MIT
 * lead set: changes fields of a lead, as a call of the API with a key does (docs/api.md 4.3), but not as a sign-up. */
#include "admin/leads/change_operations.h"
#include "admin/leads/named_lead.h"
#include "api/call/param_names.h"
#include "base/language_tag.h"
#include "engine/command.h"
#include "identity/email.h"
#include "identity/link.h"
#include "identity/network.h"
#include "identity/phone.h"
#include "operation/value_types.h"
#include "transfer/row.h"

/* The sign-up that the given fields become. */
struct edit {
	struct operation_call *call;
	struct row_limits limits;
	struct signup signup;
	struct custom_field *fields;
};

/* Sets one field of the sign-up from a text that is not empty. Returns false for a value that is not valid. */
typedef bool set_field(struct edit *edit, struct slice text);

static bool
set_email(struct edit *edit, struct slice text)
{
	struct email email;
	if (!email_parse(edit->call->pool, text, &email))
		return false;
	edit->signup.email = email.display;
	edit->signup.email_key = email.key;
	return true;
}

static bool
set_phone(struct edit *edit, struct slice text)
{
	return phone_parse(edit->call->pool, text, SLICE_NONE, &edit->signup.phone);
}

static bool
set_uid(struct edit *edit, struct slice text)
{
	edit->signup.uid = text;
	return true;
}

static bool
set_redirect_url(struct edit *edit, struct slice text)
{
	edit->signup.redirect_url = text;
	return link_is_web(text);
}

static bool
set_ip(struct edit *edit, struct slice text)
{
	struct ip_address address;
	if (!ip_address_parse(text, &address))
		return false;
	edit->signup.ip = ip_address_format(edit->call->pool, &address);
	edit->signup.replace_ip = true;
	return true;
}

static bool
set_user_agent(struct edit *edit, struct slice text)
{
	edit->signup.user_agent = text;
	return edit->signup.replace_user_agent = true;
}

/* The mark can only be removed here, because only a mail server can set it. */
static bool
set_bounced(struct edit *edit, struct slice text)
{
	edit->signup.ends_bounce = slice_is_one_of(text, (const struct slice[]){ SLICE("no"), SLICE("false") }, 2);
	return edit->signup.ends_bounce;
}

static bool
set_language(struct edit *edit, struct slice text)
{
	edit->signup.replace_language = language_tag_parse(edit->call->pool, text, &edit->signup.language);
	return edit->signup.replace_language;
}

static const struct {
	struct slice name;
	set_field *set;
	const char *expected;
} own_fields[] = {
	{ SLICE("email"), set_email, "an email address" },
	{ SLICE("phone_number"), set_phone, "a phone number that begins with +" },
	{ SLICE("uid"), set_uid, "a text" },
	{ SLICE("redirect_url"), set_redirect_url, "an http or https URL, or a reference without a scheme" },
	{ SLICE("ip"), set_ip, "an IP address" },
	{ SLICE("user_agent"), set_user_agent, "a text" },
	{ SLICE("bounced"), set_bounced, "no, which ends the mark of a mail server's answer" },
	{ SLICE("language"), set_language, "the code of a language, as de or pt-BR" },
};

/* These fields are never emptied, because the engine cannot remove them. */
static bool
set_own(struct edit *edit, size_t which, struct slice value)
{
	const char *name = own_fields[which].name.data;
	if (slice_trim(value).size == 0)
		operation_fail_value(edit->call, PROBLEM_INVALID, name, "it can be replaced, but not removed");
	else if (value.size > edit->limits.value_bytes)
		operation_fail_value(edit->call, PROBLEM_INVALID, name, "expected at most %zu bytes", edit->limits.value_bytes);
	else if (own_fields[which].set(edit, slice_trim(value)))
		return true;
	else
		operation_fail_value(edit->call, PROBLEM_INVALID, name, "expected %s", own_fields[which].expected);
	return false;
}

/* Sets a custom field; an empty value removes it. */
static bool
set_custom(struct edit *edit, const struct column *column, struct slice name, struct slice value)
{
	struct row row = { .pool = edit->call->pool, .limits = &edit->limits };
	struct custom_field field = { .name = column->name };
	if (value.size > 0) {
		row_add(&row, &(struct column){ .field = LEAD_CUSTOM, .name = column->name }, value);
		if (row.problem != NULL) {
			operation_fail(edit->call, PROBLEM_INVALID, "%s", row.problem);
			return false;
		}
		if (row.custom.count == 0) {
			operation_fail_value(
			    edit->call, PROBLEM_INVALID, pool_string(edit->call->pool, name), "expected a text");
			return false;
		}
		field = (struct custom_field){ row.custom.items->name, row.custom.items->json, row.custom.items->text };
	}
	edit->fields[edit->signup.custom_field_count++] = field;
	return true;
}

/* Returns false after reporting an error. */
static bool
take(struct edit *edit, const struct value_pair *pair)
{
	struct operation_call *call = edit->call;
	const struct slice name = pair->name, value = pair->value;
	if (!slice_present(value)) {
		operation_fail(call, PROBLEM_INVALID, "%.*s: expected FIELD=VALUE", SLICE_ARGS(name));
		return false;
	}
	for (size_t i = 0; i < ARRAY_SIZE(own_fields); i++)
		if (slice_equal(name, own_fields[i].name))
			return set_own(edit, i, value);
	const struct column column = column_of(call->pool, name);
	if (column.field == LEAD_CUSTOM && column.name.size > 0 && !edit->limits.is_reserved(column.name))
		return set_custom(edit, &column, name, value);
	operation_fail_value(call, PROBLEM_INVALID, pool_string(call->pool, name), "this cannot be changed");
	return false;
}

struct lead_set {
	struct named_lead named;
	struct value_pairs fields;
};
static const struct value_type value_fields = { .parse = value_parse_pair, .form = VALUE_FIELDS, .has_lines = true };
static const struct parameter parameters[] = {
	LEAD_PARAMETERS(struct lead_set, named),
	OPERAND("fields", value_fields, offsetof(struct lead_set, fields)),
};

static int
run_lead_set(struct operation_call *call)
{
	const struct lead_set *arguments = ARGUMENTS(call, struct lead_set);
	const struct conf_limits *limits = &call->conf->limits;
	struct edit edit = { .call = call,
		.limits = { .name_bytes = limits->name_bytes,
		    .value_bytes = limits->value_bytes,
		    .depth = limits->json_depth,
		    .is_reserved = param_is_reserved },
		.fields = POOL_ARRAY(call->pool, arguments->fields.count, struct custom_field) };
	struct command command = { .kind = COMMAND_SIGNUP, .view = { .full = true } };
	struct campaign campaign;
	struct lead lead;
	struct outcome outcome;
	int status = named_lead_check(call, &arguments->named);
	if (status != EX_OK)
		return status;
	for (size_t i = 0; i < arguments->fields.count; i++)
		if (!take(&edit, &arguments->fields.items[i]))
			return EX_DATAERR;
	const enum result result = operation_find_campaign(call, &campaign);
	if (result != RESULT_OK)
		return operation_answer(call, result);
	status = named_lead_find(call, &arguments->named, &lead);
	if (status != EX_OK)
		return status;
	edit.signup.subject = lead.social_id;
	edit.signup.edits = edit.signup.must_exist = true;
	edit.signup.custom_fields = edit.fields;
	command.as.signup = edit.signup;
	status = lead_command_execute(call, &campaign, &command, &outcome);
	return status == EX_OK ? operation_answer_id(call, RESULT_OK, outcome.lead_id) : status;
}

OPERATION(lead_set, "lead set", "CAMPAIGN --email|--phone|--social-id VALUE FIELD=VALUE...", "change fields of a lead",
    run_lead_set, .subject = &subject_campaign, PARAMETERS(parameters, struct lead_set),
    HTTP(PATCH, "campaigns/{campaign}/leads/{social_id}", RIGHT_CHANGE), .effect = CHANGES);
