/* SPDX-License-Identifier: MIT
 * lead set: changes fields of a lead, as a call of the API with a key does (docs/api.md 4.3), but not as a sign-up. */
#include <sysexits.h>

#include "admin/operations.h"
#include "base/language_tag.h"
#include "engine/command.h"
#include "identity/email.h"
#include "identity/link.h"
#include "identity/network.h"
#include "identity/phone.h"
#include "operation/wiring.h"
#include "transfer/row.h"

/* The values of the operands, on their way to a sign-up. */
struct edit {
	struct admin_call *call;
	struct row_limits limits;
	struct signup signup;
	struct custom_field *fields;
};

/* Set one field of the sign-up from a text that is not empty. They return false for a value that is not valid. */
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

/* Only a mail server can say that there is no such person. */
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

/* Fields that the engine has no removal for are never emptied. */
static bool
set_own(struct edit *edit, size_t which, struct slice value)
{
	const char *name = own_fields[which].name.data;
	if (slice_trim(value).size == 0)
		admin_fail_setting(edit->call, name, "it can be replaced, but not removed");
	else if (value.size > edit->limits.value_bytes)
		admin_fail_setting(edit->call, name, "expected at most %zu bytes", edit->limits.value_bytes);
	else if (own_fields[which].set(edit, slice_trim(value)))
		return true;
	else
		admin_fail_setting(edit->call, name, "expected %s", own_fields[which].expected);
	return false;
}

/* A custom field; without a value it is removed. */
static bool
set_custom(struct edit *edit, const struct column *column, struct slice name, struct slice value)
{
	struct row row = { .pool = edit->call->pool, .limits = &edit->limits };
	struct custom_field field = { .name = column->name };
	if (value.size > 0) {
		row_add(&row, &(struct column){ .field = LEAD_CUSTOM, .name = column->name }, value);
		if (row.problem != NULL) {
			admin_fail(edit->call, PROBLEM_INVALID, "%s", row.problem);
			return false;
		}
		if (row.custom_count == 0) {
			admin_fail_setting(edit->call, pool_string(edit->call->pool, name), "expected a text");
			return false;
		}
		field = (struct custom_field){ row.custom->name, row.custom->json, row.custom->text };
	}
	edit->fields[edit->signup.custom_field_count++] = field;
	return true;
}

/* "field=value". Reports an error and returns false. */
static bool
take(struct edit *edit, struct slice text)
{
	struct admin_call *call = edit->call;
	const size_t equals = slice_find(text, '=');
	const struct slice name = slice_sub(text, 0, equals), value = slice_sub(text, equals + 1, text.size);
	if (equals == text.size) {
		admin_fail(call, PROBLEM_INVALID, "%.*s: expected FIELD=VALUE", SLICE_ARGS(text));
		return false;
	}
	for (size_t i = 0; i < ARRAY_SIZE(own_fields); i++)
		if (slice_equal(name, own_fields[i].name))
			return set_own(edit, i, value);
	const struct column column = column_of(call->pool, name, false);
	if (column.field == LEAD_CUSTOM && column.name.size > 0 && !edit->limits.is_reserved(column.name))
		return set_custom(edit, &column, name, value);
	admin_fail_setting(call, pool_string(call->pool, name), "this cannot be changed");
	return false;
}

int
admin_lead_set(struct admin_call *call)
{
	const struct conf_limits *limits = &call->conf->limits;
	struct edit edit = { .call = call,
		.limits = { .name_bytes = limits->name_bytes,
		    .value_bytes = limits->value_bytes,
		    .depth = limits->json_depth,
		    .is_reserved = call->wiring->is_reserved },
		.fields = POOL_ARRAY(call->pool, call->operand_count, struct custom_field) };
	struct command command = { .kind = COMMAND_SIGNUP, .view = { .full = true } };
	struct lead_reference reference = { 0 };
	struct campaign campaign;
	struct lead lead;
	struct outcome outcome;
	const int status = admin_lead_reference(call, &reference);
	if (status != EX_OK)
		return status;
	for (size_t i = 1; i < call->operand_count; i++)
		if (!take(&edit, slice_of(call->operands[i])))
			return EX_DATAERR;
	enum result result = admin_find_campaign(call, &campaign);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	result = store_find_lead(call->store, call->pool, call->id, &reference, &lead);
	if (result == RESULT_NOT_FOUND)
		return admin_fail(call, PROBLEM_NOT_FOUND, "there is no such lead");
	if (result != RESULT_OK)
		return admin_answer(call, result);
	edit.signup.subject = lead.social_id;
	edit.signup.edits = edit.signup.must_exist = true;
	edit.signup.custom_fields = edit.fields;
	command.as.signup = edit.signup;
	admin_execute(call, &campaign, &command, &outcome);
	if (outcome.failure != FAILURE_NONE)
		return admin_outcome(call, &outcome);
	output_record(call->output);
	output_u64(call->output, "id", outcome.lead_id);
	return EX_OK;
}
