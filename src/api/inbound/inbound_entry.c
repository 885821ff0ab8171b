/* SPDX-License-Identifier: MIT */
#include "api/inbound/inbound_entry.h"

#include "api/call/call_answers.h"
#include "api/call/param_names.h"
#include "api/call/signup_arguments.h"
#include "engine/keywords.h"
#include "identity/email.h"
#include "identity/link.h"
#include "identity/phone.h"

enum { VALUE_JSON_MAX = 2 * 1024 * 1024, GATEWAY_DIGITS_MIN = 8 };

/* ---- Values ---- */

static struct http_value
scalar_of(const struct document_node *node)
{
	static const enum http_type types[] = {
		[DOCUMENT_NULL] = HTTP_NULL,
		[DOCUMENT_BOOLEAN] = HTTP_BOOLEAN,
		[DOCUMENT_NUMBER] = HTTP_NUMBER,
		[DOCUMENT_STRING] = HTTP_STRING,
		[DOCUMENT_ARRAY] = HTTP_ARRAY,
	};
	return (struct http_value){ .type = types[node->type], .text = node->text, .boolean = node->boolean };
}

static bool
is_parameter(struct slice target)
{
	return slice_starts_with(target, SLICE("_")) || param_is_reserved(target);
}

/* Whether the field is a name of the lead. Some forms send each of these as a list. */
static bool
is_name(struct slice target)
{
	return slice_is_one_of(target, (const struct slice[]){ SLICE("first_name"), SLICE("last_name"), SLICE("name") }, 3);
}

/* The value of a parameter, which may be the only item of a list. */
static struct http_value
value_of(struct pool *pool, const struct mapped_field *field)
{
	const struct document_node *node = field->value;
	struct http_value value;
	if (node->type == DOCUMENT_ARRAY && node->count == 1 && (is_parameter(field->target) || is_name(field->target)))
		node = node->first;
	value = scalar_of(node);
	if (node->type != DOCUMENT_ARRAY)
		return value;
	value.items = POOL_ARRAY(pool, node->count, struct http_value);
	for (const struct document_node *item = node->first; item != NULL; item = item->next)
		value.items[value.item_count++] = scalar_of(item);
	return value;
}

static struct slice
json_of(struct pool *pool, const struct document_node *node)
{
	struct buffer out;
	struct json_writer writer;
	buffer_init(&out, VALUE_JSON_MAX);
	json_writer_init(&writer, &out);
	document_write(node, &writer);
	return buffer_take(&out, pool);
}

/* ---- Fields ---- */

/* The fields of an entry, which become the parameters of the call. */
struct entry {
	struct call *call;
	struct mapped_field *fields;
	size_t count;
	struct http_params *typed; /* the fields that are texts, as a sign-up would read them */
	struct inbound_result *result;
	struct slice notes;
};

static struct slice
typed_text(const struct entry *entry, struct slice name)
{
	const struct slice text = http_params_text(entry->typed, name);
	return text.size > 0 ? text : SLICE_NONE;
}

static bool
is_country(const struct entry *entry, struct slice text)
{
	return phone_names_country(entry->call->request->pool, text);
}

static bool
is_email(const struct entry *entry, struct slice text)
{
	struct email email;
	return email_parse(entry->call->request->pool, text, &email);
}

/* Whether the text is a phone number, or contains none at all, because forms also send such texts. */
static bool
is_phone(const struct entry *entry, struct slice text)
{
	struct pool *pool = entry->call->request->pool;
	const struct slice country = typed_text(entry, SLICE("country_code"));
	struct slice number;
	return phone_parse(pool, text, country, &number) || phone_is_blank(pool, text, country);
}

static bool
is_url(const struct entry *entry UNUSED, struct slice text)
{
	return link_is_web(text);
}

static bool
is_text(const struct entry *entry UNUSED, struct slice text UNUSED)
{
	return true;
}

/* Parameters whose value can be wrong. Such values are left out, unless they decide what a lead gets or whether it is made. */
static const struct check {
	struct slice target;
	bool (*is_good)(const struct entry *entry, struct slice text); /* NULL: it is never left out */
	struct slice instead;                                          /* left out only if this parameter is good */
} checks[] = {
	{ SLICE("email"), is_email, SLICE("phone_number") },
	{ SLICE("phone_number"), is_phone, SLICE("email") },
	{ .target = SLICE("country_code"), .is_good = is_country },
	{ .target = SLICE("redirect_url"), .is_good = is_url },
	{ .target = SLICE("__uid"), .is_good = is_text },
	{ .target = SLICE("points") },
	{ .target = SLICE("must_exist") },
};

/* The check of a parameter, or NULL if any value is good. */
static const struct check *
check_of(struct slice target)
{
	for (size_t i = 0; i < ARRAY_SIZE(checks); i++)
		if (slice_equal(checks[i].target, target))
			return &checks[i];
	return NULL;
}

/* Whether a lead can be made without this field. */
static bool
is_needless(const struct entry *entry, struct slice target)
{
	const struct check *check = check_of(target);
	if (check == NULL || check->is_good == NULL || check->instead.size == 0)
		return check == NULL || check->is_good != NULL;
	const struct slice other = typed_text(entry, check->instead);
	return slice_present(other) && check_of(check->instead)->is_good(entry, other);
}

static bool
is_good(const struct entry *entry, struct slice target, const struct http_value *value)
{
	const struct check *check = check_of(target);
	const struct slice text = typed_text(entry, target);
	if (check == NULL)
		return value->type != HTTP_ARRAY || !is_parameter(target);
	if (check->is_good == NULL || value->type == HTTP_NULL || (value->type == HTTP_STRING && value->text.size == 0))
		return true;
	return (value->type == HTTP_STRING || value->type == HTTP_NUMBER) && slice_present(text) && check->is_good(entry, text);
}

static void
note(struct entry *entry, struct slice text)
{
	struct pool *pool = entry->call->request->pool;
	if (text.size > 0)
		entry->notes = entry->notes.size == 0 ? text : POOL_JOIN(pool, entry->notes, SLICE("; "), text);
}

/* Adds a field to the parameters of the call. False: it cannot be a parameter. */
static bool
put_field(struct entry *entry, const struct mapped_field *field, struct http_problem *problem)
{
	const struct http_value value = value_of(entry->call->request->pool, field);
	if (slice_is_one_of(field->target, (const struct slice[]){ MAPPING_TEXT, MAPPING_RESET, MAPPING_OPT_OUT }, 3))
		return true;
	if (is_needless(entry, field->target) && !is_good(entry, field->target, &value))
		return false;
	return http_params_put(entry->call->params, field->target, &value, problem);
}

/* Makes the parameters of the call. False: the call has failed. */
static bool
put_fields(struct entry *entry)
{
	struct call *call = entry->call;
	struct inbound_result *result = entry->result;
	struct pool *pool = call->request->pool;
	const struct http_names names = param_names(call->route);
	struct http_problem problem;
	call->params = http_params_new(pool, &call->api->options->caps, &names);
	entry->typed = http_params_new(pool, &call->api->options->caps, &names);
	for (size_t i = 0; i < entry->count; i++) {
		const struct http_value value = value_of(pool, &entry->fields[i]);
		if (is_parameter(entry->fields[i].target))
			(void)!http_params_put(entry->typed, entry->fields[i].target, &value, &problem);
	}
	result->field_count = entry->count;
	result->fields = POOL_ARRAY(pool, entry->count, struct inbound_field);
	for (size_t i = 0; i < entry->count; i++) {
		const struct mapped_field *field = &entry->fields[i];
		const bool good = put_field(entry, field, &problem);
		result->fields[i] = (struct inbound_field){ field->target, field->path, json_of(pool, field->value), !good };
		if (good || field->optional)
			continue;
		if (!is_needless(entry, field->target))
			return call_fail_with(call, FAILURE_INVALID_PARAMETER, problem.message);
		note(entry, POOL_JOIN(pool, field->target, SLICE(" is left out: it is no valid value")));
	}
	return true;
}

static bool
put_source(struct call *call)
{
	struct http_problem problem;
	const struct slice source = call->inbound.source.size > 0 ? call->inbound.source : call->inbound.name;
	const struct http_value value = { .type = HTTP_STRING, .text = source };
	return http_params_find(call->params, SLICE("__source")) != NULL ||
	       http_params_put(call->params, SLICE("__source"), &value, &problem) ||
	       call_fail_with(call, FAILURE_INVALID_PARAMETER, problem.message);
}

/* The value of a target that is not a parameter, unchanged. */
static struct http_value
sent_value(const struct entry *entry, struct slice target)
{
	for (size_t i = 0; i < entry->count; i++)
		if (slice_equal(entry->fields[i].target, target))
			return value_of(entry->call->request->pool, &entry->fields[i]);
	return (struct http_value){ .type = HTTP_NULL };
}

/* Removes what the request shows about its sender, because the sender is not the lead. */
static void
hide_sender(struct call *call)
{
	call->has_client = false;
	call->request->user_agent = call->request->referer = call->request->accept_language = SLICE_NONE;
}

/* ---- Texts from phones ---- */

static bool
has_rule(const struct payload_map *map, struct slice target)
{
	for (size_t i = 0; i < map->count; i++)
		if (slice_equal(map->rules[i].target, target))
			return true;
	return false;
}

/* Whether it is a number without "+", as gateways send them. */
static bool
is_bare(struct slice typed)
{
	for (size_t i = 0; i < typed.size; i++)
		if (!ascii_is_digit(typed.data[i]))
			return false;
	return typed.size >= GATEWAY_DIGITS_MIN && typed.size <= PHONE_DIGITS_MAX;
}

/* Finds the lead by its number. The number is read with the country, and if that finds no lead, with a "+" before it. */
static bool
find_sender(const struct entry *entry, struct slice *number, uint64_t *lead_id)
{
	struct call *call = entry->call;
	struct pool *pool = call->request->pool;
	const struct slice typed = typed_text(entry, SLICE("phone_number"));
	struct slice country = typed_text(entry, SLICE("country_code")), numbers[2];
	size_t count = 0;
	enum result found = RESULT_NOT_FOUND;
	struct lead lead;
	if (!slice_present(typed))
		return call_fail(call, FAILURE_MISSING_EMAIL_AND_PHONE);
	if (slice_present(country) && !is_country(entry, country))
		country = SLICE_NONE;
	count += phone_parse(pool, typed, country, &numbers[count]);
	if (is_bare(typed))
		count += phone_parse(pool, POOL_JOIN(pool, SLICE("+"), typed), SLICE_NONE, &numbers[count]);
	if (count == 0)
		return call_fail(call, FAILURE_INVALID_PHONE_NUMBER);
	for (size_t i = 0; i < count && found == RESULT_NOT_FOUND; i++) {
		const struct lead_reference reference = { .identity = LEAD_BY_PHONE, .value = numbers[i] };
		*number = numbers[i];
		found = call_find_lead(call, &reference, &lead);
	}
	if (found != RESULT_OK)
		return call_fail_result(call, found, FAILURE_LEAD_NOT_FOUND);
	*lead_id = lead.id;
	return true;
}

static struct command
change_of(enum lead_action action, uint64_t lead_id, struct slice address)
{
	return (struct command){ .kind = COMMAND_CHANGE,
		.as.change = { .action = action, .lead = { .identity = LEAD_BY_ID, .id = lead_id }, .address = address } };
}

/* Makes the command of a text from a phone. A text never makes a lead; if it is not a keyword, it is stored in the log. */
static bool
make_change(struct entry *entry, struct command *command)
{
	static const struct slice refusals[] = {
		[KEYWORD_NONE] = SLICE("__text is no keyword"),
		[KEYWORD_HELP] = SLICE("__text asks for help: nothing is changed"),
	};
	const struct slice text = sent_value(entry, MAPPING_TEXT).text; /* control characters make no difference */
	const enum keyword keyword = slice_present(text) ? keyword_of(entry->call->request->pool, text) : KEYWORD_NONE;
	struct slice number = SLICE_NONE;
	uint64_t lead_id = 0;
	if (keyword != KEYWORD_OPT_OUT && keyword != KEYWORD_OPT_IN)
		return call_fail_with(entry->call, FAILURE_INVALID_PARAMETER, refusals[keyword]);
	if (!find_sender(entry, &number, &lead_id))
		return false;
	*command = change_of(keyword == KEYWORD_OPT_OUT ? LEAD_SMS_OPTOUT : LEAD_SMS_OPTIN, lead_id, number);
	return true;
}

/* ---- Opt-outs that mail services report ---- */

/* The most serious value of a list counts. */
static enum mail_report
report_of(const struct entry *entry)
{
	const struct http_value value = sent_value(entry, MAPPING_OPT_OUT);
	enum mail_report gravest = MAIL_REPORT_OTHER;
	const size_t count = value.type == HTTP_ARRAY ? value.item_count : 1;
	for (size_t i = 0; i < count; i++) {
		struct slice text;
		const bool has = http_value_string(value.type == HTTP_ARRAY ? &value.items[i] : &value, &text) && text.size > 0;
		const enum mail_report report = has ? keyword_report(entry->call->request->pool, text) : MAIL_REPORT_OTHER;
		gravest = report > gravest ? report : gravest;
	}
	return gravest;
}

/* Opts out the lead with this email address. */
static bool
make_opt_out(struct entry *entry, struct command *command)
{
	struct call *call = entry->call;
	const struct slice typed = typed_text(entry, SLICE("email"));
	struct email email;
	struct lead lead;
	if (!slice_present(typed))
		return call_fail(call, FAILURE_MISSING_EMAIL_AND_PHONE);
	if (!email_parse(call->request->pool, typed, &email))
		return call_fail(call, FAILURE_INVALID_EMAIL);
	const struct lead_reference reference = { .identity = LEAD_BY_EMAIL, .value = email.key };
	const enum result found = call_find_lead(call, &reference, &lead);
	if (found != RESULT_OK)
		return call_fail_result(call, found, FAILURE_LEAD_NOT_FOUND);
	*command = change_of(LEAD_OPTOUT, lead.id, email.key);
	return true;
}

/* ---- The command ---- */

/* Only a rule of the map can end an opt-out, because data from another system may have nothing to do with mail. */
static bool
ends_opt_out(const struct entry *entry)
{
	bool ends = false;
	const struct http_value value = sent_value(entry, MAPPING_RESET);
	return http_value_boolean(&value, &ends) && ends;
}

/* Makes the command that POST /v2/{campaign} runs with a key that may sign up and see leads, with the tag in the same
 * command. */
static bool
make_signup(struct entry *entry, struct command *command)
{
	struct call *call = entry->call;
	struct signup_arguments arguments;
	if (!put_source(call) || !signup_read(call, SIGNUP_BY_PAYLOAD, &arguments))
		return false;
	arguments.signup.inbound = true;
	arguments.signup.keep_opt_out = !ends_opt_out(entry);
	*command = (struct command){ .kind = COMMAND_SIGNUP, .view = { .full = true }, .as.signup = arguments.signup };
	if (call->inbound.tag_id == 0)
		return true;
	command->kind = COMMAND_TAGGING;
	command->as.tagging = (struct tagging){ .signup = arguments.signup, .tag_id = call->inbound.tag_id, .update = true };
	return true;
}

/* Only a report that a person has signed up makes a lead. */
static bool
make_reported(struct entry *entry, struct command *command)
{
	const enum mail_report report = report_of(entry);
	if (report == MAIL_REPORT_OTHER)
		return call_fail_with(entry->call, FAILURE_INVALID_PARAMETER,
		    SLICE("__opt_out says neither that the person has left nor that they have signed up: nothing was changed"));
	return report == MAIL_REPORT_END ? make_opt_out(entry, command) : make_signup(entry, command);
}

static bool
make_any(struct entry *entry, const struct payload_map *map, struct command *command)
{
	if (has_rule(map, MAPPING_TEXT))
		return make_change(entry, command);
	return has_rule(map, MAPPING_OPT_OUT) ? make_reported(entry, command) : make_signup(entry, command);
}

bool
inbound_entry_command(struct call *call, const struct inbound_payload *payload, size_t number, struct inbound_result *result,
    struct command *command)
{
	struct pool *pool = call->request->pool;
	struct entry entry = { .call = call, .result = result, .notes = SLICE("") };
	hide_sender(call);
	entry.count = mapping_apply(pool, &payload->map, &payload->list, number, &entry.fields);
	const bool good = put_fields(&entry) && make_any(&entry, &payload->map, command);
	const struct slice notes = mapping_notes(pool, &payload->map, &payload->list, entry.fields, entry.count);
	note(&entry, slice_present(notes) ? notes : SLICE(""));
	result->message = entry.notes.size > 0 ? entry.notes : SLICE_NONE;
	return good;
}
