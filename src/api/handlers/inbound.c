/* SPDX-License-Identifier: MIT
 * Calls of the URLs of inbound webhooks: payloads of other systems that become leads (docs/inbound.md). */
#include "api/inbound.h"

#include "api/document.h"
#include "api/fetch.h"
#include "api/parameters.h"
#include "base/clock.h"
#include "engine/strangers.h"
#include "identity/api_key.h"
#include "webhook/mapping.h"

/* Of the fields of a form, before they are mapped. */
enum { FORM_FIELDS = 1000, FORM_NAME_BYTES = 255, VALUE_JSON_MAX = 2 * 1024 * 1024 };
enum { CONTENT_TYPE_MAX = 255 }; /* the size of its column */

/* ---- The URL ---- */

static enum result
find_webhook(struct call *call, struct slice token, const struct digest *hash)
{
	uint64_t campaign_id;
	if (!inbound_token_well_formed(token) || !call_campaign_id(call, &campaign_id))
		return RESULT_NOT_FOUND;
	const enum result result =
	    store_find_inbound_of_token(call->api->store, call->request->pool, hash->bytes, &call->inbound);
	return result == RESULT_OK && call->inbound.campaign_id != campaign_id ? RESULT_NOT_FOUND : result;
}

/* An unknown URL looks like any unknown path. */
bool
call_check_inbound(struct call *call)
{
	const struct slice token = call->request->segments[2];
	const struct digest hash = api_key_hash(token);
	if (!call_may_try_key(call, digest_slice(&hash)) || !call_may_wait(call, WAIT_READ))
		return false;
	const enum result result = find_webhook(call, token, &hash);
	if (result == RESULT_NOT_FOUND) {
		call_key_is_bad(call, digest_slice(&hash));
		return false;
	}
	if (result != RESULT_OK)
		return call_fail(call, call_failure(result));
	call_key_is_good(call, digest_slice(&hash));
	call->account_id = call->inbound.account_id;
	call->key.account_per_minute = call->inbound.account_per_minute;
	return call_pass_inbound(call);
}

/* ---- The payload ---- */

static const enum http_type value_types[] = {
	[DOCUMENT_NULL] = HTTP_NULL,
	[DOCUMENT_BOOLEAN] = HTTP_BOOLEAN,
	[DOCUMENT_NUMBER] = HTTP_NUMBER,
	[DOCUMENT_STRING] = HTTP_STRING,
	[DOCUMENT_ARRAY] = HTTP_ARRAY,
};
/* No name of a payload has a meaning before it is mapped. */
static enum http_name_kind
kind_in_payload(struct slice name UNUSED)
{
	return HTTP_NAME_FIELD;
}

/* Reads a form, or reports that the body is neither form nor JSON. False: the call has failed. */
static bool
read_form(struct call *call, struct document_node **root)
{
	static const enum failure failures[] = {
		[HTTP_INVALID_PARAMETER] = FAILURE_INVALID_PARAMETER,
		[HTTP_TOO_MANY_ITEMS] = FAILURE_INVALID_PARAMETER,
		[HTTP_INVALID_JSON] = FAILURE_INVALID_JSON,
		[HTTP_UNSUPPORTED_MEDIA_TYPE] = FAILURE_UNSUPPORTED_MEDIA_TYPE,
	};
	static const struct http_names names = { .kind_of = kind_in_payload };
	struct pool *pool = call->request->pool;
	struct http_caps caps = HTTP_CAPS_DEFAULT;
	struct http_params *params;
	struct http_problem problem;
	caps.parameters = FORM_FIELDS;
	caps.name_bytes = FORM_NAME_BYTES;
	caps.value_bytes = call->request->body.size + 1;
	if (!http_params_parse_body(http_params_new(pool, &caps, &names), call->request, &params, &problem))
		return call_fail_with(call, failures[problem.kind], problem.message);
	*root = document_new(pool);
	for (size_t i = 0; i < http_params_count(params); i++)
		document_add_param(pool, *root, http_params_at(params, i));
	return true;
}

static bool
read_document(struct call *call, struct document_node **root)
{
	struct slice json, problem;
	if (!http_body_json(call->request, &json) || json.size == 0)
		return read_form(call, root);
	if (document_read_json(call->request->pool, json, call->api->options->caps.depth, root, &problem))
		return true;
	return call_fail_with(
	    call, FAILURE_INVALID_JSON, POOL_JOIN(call->request->pool, SLICE(HTTP_INVALID_JSON_MESSAGE), problem));
}

static struct http_value
value_of(struct pool *pool, const struct document_node *node)
{
	struct http_value value = { .type = value_types[node->type], .text = node->text, .boolean = node->boolean };
	if (node->type != DOCUMENT_ARRAY)
		return value;
	value.items = POOL_ARRAY(pool, node->count, struct http_value);
	for (const struct document_node *item = node->first; item != NULL; item = item->next)
		value.items[value.item_count++] =
		    (struct http_value){ .type = value_types[item->type], .text = item->text, .boolean = item->boolean };
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
	const struct slice json = pool_copy(pool, buffer_slice(&out));
	buffer_free(&out);
	return json;
}

/* Makes the parameters of the call. False: it has failed. */
static bool
map_payload(struct call *call, const struct document_node *root, struct inbound_result *result)
{
	const struct http_names names = call_names(call);
	struct pool *pool = call->request->pool;
	struct payload_map mapping;
	struct mapped_field *fields;
	struct http_problem problem;
	if (!mapping_parse(pool, call->inbound.map, &mapping))
		return call_fail(call, FAILURE_INTERNAL);
	call->params = http_params_new(pool, &call->api->options->caps, &names);
	result->field_count = mapping_apply(pool, &mapping, root, &fields);
	result->fields = POOL_ARRAY(pool, result->field_count, struct inbound_field);
	for (size_t i = 0; i < result->field_count; i++) {
		const struct http_value value = value_of(pool, fields[i].value);
		const bool good = http_params_put(call->params, fields[i].target, &value, &problem);
		result->fields[i] =
		    (struct inbound_field){ fields[i].target, fields[i].path, json_of(pool, fields[i].value), !good };
		if (!good && !fields[i].optional)
			return call_fail_with(call, FAILURE_INVALID_PARAMETER, problem.message);
	}
	if (http_params_find(call->params, SLICE("__source")) != NULL)
		return true;
	const struct slice source = call->inbound.source.size > 0 ? call->inbound.source : call->inbound.name;
	const struct http_value value = { .type = HTTP_STRING, .text = source };
	return http_params_put(call->params, SLICE("__source"), &value, &problem) ||
	       call_fail_with(call, FAILURE_INVALID_PARAMETER, problem.message);
}

/* What the request shows of its sender is not the lead's. */
static void
hide_sender(struct call *call)
{
	call->has_client = false;
	call->request->user_agent = call->request->referer = SLICE_NONE;
}

/* The usual keywords of carriers, and a German one. */
static const struct {
	struct slice word;
	enum lead_action action;
} keywords[] = {
	{ SLICE("STOP"), LEAD_SMS_OPTOUT },
	{ SLICE("STOPALL"), LEAD_SMS_OPTOUT },
	{ SLICE("UNSUBSCRIBE"), LEAD_SMS_OPTOUT },
	{ SLICE("CANCEL"), LEAD_SMS_OPTOUT },
	{ SLICE("END"), LEAD_SMS_OPTOUT },
	{ SLICE("QUIT"), LEAD_SMS_OPTOUT },
	{ SLICE("STOPP"), LEAD_SMS_OPTOUT },
	{ SLICE("START"), LEAD_SMS_OPTIN },
	{ SLICE("UNSTOP"), LEAD_SMS_OPTIN },
	{ SLICE("YES"), LEAD_SMS_OPTIN },
};

/* The text of a phone, if one is mapped, without the quotes of its JSON. */
static bool
find_text(const struct inbound_result *result, struct slice *text)
{
	for (size_t i = 0; i < result->field_count; i++)
		if (slice_equal(result->fields[i].target, MAPPING_TEXT)) {
			const struct slice json = result->fields[i].value;
			const bool quoted = json.size >= 2 && json.data[0] == '"';
			*text = slice_trim(quoted ? slice_sub(json, 1, json.size - 1) : json);
			return true;
		}
	return false;
}

/* No lead is made of a text; one that is no keyword is stored in the log. */
static bool
make_change(struct call *call, struct slice text, struct slice phone, struct command *command)
{
	struct lead lead;
	const struct lead_reference reference = { .identity = LEAD_BY_PHONE, .value = phone };
	size_t i = 0;
	while (i < ARRAY_SIZE(keywords) && !slice_equal_nocase(keywords[i].word, text))
		i++;
	if (i == ARRAY_SIZE(keywords))
		return call_fail_with(call, FAILURE_INVALID_PARAMETER, SLICE("__text is no keyword"));
	if (!slice_present(phone))
		return call_fail(call, FAILURE_MISSING_EMAIL_AND_PHONE);
	const enum result found = store_find_lead(call->api->store, call->request->pool, call->campaign.id, &reference, &lead);
	if (found != RESULT_OK)
		return call_fail(call, found == RESULT_NOT_FOUND ? FAILURE_LEAD_NOT_FOUND : call_failure(found));
	*command = (struct command){
		.kind = COMMAND_CHANGE,
		.as.change = { .action = keywords[i].action,
		    .lead = { .identity = LEAD_BY_ID, .id = lead.id },
		    .address = phone },
	};
	return true;
}

/* As POST /v2/{campaign} with a key that signs up and sees leads, and the tag in the same command. */
static bool
make_command(struct call *call, struct inbound_result *result, struct command *command)
{
	struct document_node *root;
	struct arguments arguments;
	struct slice text;
	hide_sender(call);
	if (!read_document(call, &root) || !map_payload(call, root, result) ||
	    !call_read(call, GROUP_SIGNUP | GROUP_SIGNUP_POINTS, &arguments))
		return false;
	arguments.signup.inbound = true;
	if (find_text(result, &text))
		return make_change(call, text, arguments.signup.phone, command);
	*command = (struct command){
		.kind = COMMAND_SIGNUP,
		.view = { .full = true },
		.as.signup = arguments.signup,
	};
	if (call->inbound.tag_id == 0)
		return true;
	command->kind = COMMAND_TAGGING;
	command->as.tagging = (struct tagging){ .signup = arguments.signup, .tag_id = call->inbound.tag_id, .update = true };
	return true;
}

/* ---- The call ---- */

static void
take_failure(const struct call *call, struct inbound_result *result)
{
	result->failure = call->failure;
	if (call->failure == FAILURE_NONE)
		return;
	result->error = slice_of(failure_text(call->failure)->code);
	result->message = call->failure_message;
}

static void
run_payload(struct call *call, struct inbound_result *result)
{
	struct command command;
	*result = (struct inbound_result){ .failure = FAILURE_NONE };
	if (make_command(call, result, &command)) {
		const struct outcome outcome = call_execute(call, &command);
		result->created = outcome.created;
		result->lead_id = outcome.lead_id;
		result->body = outcome.body;
		if (command.kind == COMMAND_CHANGE) { /* it has no lead to show */
			result->lead_id = command.as.change.lead.id;
			result->body = SLICE("{\"message\":\"Lead updated\"}");
		}
	}
	take_failure(call, result);
}

/* Whether nothing can be stored, or need be: the sender repeats its call, or has no business here. */
static bool
is_not_stored(enum failure failure)
{
	return failure == FAILURE_UNAVAILABLE || failure == FAILURE_CAMPAIGN_NOT_FOUND || failure == FAILURE_ACCOUNT_SUSPENDED;
}

/* 202, because senders that get an error stop calling; an ended campaign and a defect show theirs. */
static void
answer_stored(struct call *call, const struct inbound_result *result, uint64_t id)
{
	const bool unmapped = failure_text(result->failure)->status < 500 && result->failure != FAILURE_CAMPAIGN_ENDED;
	buffer_clear(&call->response->body);
	struct json_writer writer = call_begin(call);
	if (unmapped)
		call->response->status = 202;
	json_begin_object(&writer);
	json_put_text(&writer, SLICE("message"), unmapped ? SLICE("Payload stored, not mapped") : result->message);
	json_put_text(&writer, SLICE("error"), result->error);
	if (unmapped)
		json_put_text(&writer, SLICE("reason"), result->message);
	json_put_u64(&writer, SLICE("id"), id);
	json_end_object(&writer);
}

/* It may be an hour until the dispatcher has removed some. */
static void
refuse_payload(struct call *call)
{
	if (!http_response_header(call->response, "Retry-After", SLICE("3600")))
		log_error("header_refused", LOG_STR("name", "Retry-After"));
	call_fail(call, FAILURE_TOO_MANY_PAYLOADS);
}

static void
store_refused(struct call *call, struct inbound_call *entry, const struct inbound_result *result)
{
	uint64_t id;
	entry->state = INBOUND_REFUSED;
	entry->error = result->error;
	entry->message = result->message;
	const enum result stored = store_note_inbound_call(call->api->store, entry, &id);
	if (stored == RESULT_OK)
		answer_stored(call, result, id);
	else if (stored == RESULT_TOO_MANY)
		refuse_payload(call);
	else
		call_fail(call, stored == RESULT_NOT_FOUND ? FAILURE_NOT_FOUND : call_failure(stored));
}

void
handle_inbound(struct call *call)
{
	struct pool *pool = call->request->pool;
	struct inbound_result result;
	struct inbound_call entry = {
		.inbound_id = call->inbound.id,
		.campaign_id = call->campaign.id,
		.ip = call->has_client ? ip_address_format(pool, &call->client) : SLICE_NONE,
		.content_type = slice_sub(call->request->content_type, 0, CONTENT_TYPE_MAX),
		.body = call->request->body,
		.size = call->request->body.size,
	};
	uint64_t id;
	run_payload(call, &result);
	if (result.failure != FAILURE_NONE) {
		if (!is_not_stored(result.failure))
			store_refused(call, &entry, &result);
		return;
	}
	entry.state = result.created ? INBOUND_CREATED : INBOUND_UPDATED;
	entry.lead_id = result.lead_id;
	/* the lead is stored: without the entry, which is logged, the sender must not repeat the call */
	if (store_note_inbound_call(call->api->store, &entry, &id) != RESULT_OK)
		log_info("inbound_call_unlogged", LOG_UINT("inbound", call->inbound.id));
	call->response->status = 201;
	call_answer(call, result.body);
}

/* Some senders call a URL by GET before they use it. */
void
handle_inbound_check(struct call *call)
{
	call_answer(call, SLICE("{\"message\":\"Inbound Webhook is ready\"}"));
}

/* ---- The operator's command ---- */

/* What the command would meet; a failure is the call's. */
static void
try_command(struct call *call, const struct command *command, struct inbound_result *result)
{
	const struct signup *signup = command->kind == COMMAND_TAGGING ? &command->as.tagging.signup : &command->as.signup;
	const struct lead_reference names[] = { { .identity = LEAD_BY_EMAIL, .value = signup->email_key },
		{ .identity = LEAD_BY_PHONE, .value = signup->phone } };
	const bool has_email = slice_present(signup->email_key);
	struct pool *pool = call->request->pool;
	if (command->kind == COMMAND_CHANGE) {
		result->lead_id = command->as.change.lead.id;
		return;
	}
	struct slice tag = pool_printf(pool, "%llu", (unsigned long long)call->inbound.tag_id);
	uint64_t tag_id;
	if (command->kind == COMMAND_TAGGING && !call_find_tag(call, tag, TAG_BY_ID, &tag_id))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(names) && result->lead_id == 0; i++) { /* the email decides, if its lead exists */
		struct lead lead;
		if (!slice_present(names[i].value))
			continue;
		const enum result found = store_find_lead(call->api->store, pool, call->campaign.id, &names[i], &lead);
		if (found != RESULT_OK && found != RESULT_NOT_FOUND) {
			call_fail(call, call_failure(found));
			return;
		}
		if (found == RESULT_NOT_FOUND ||
		    (has_email && !stranger_matches_number(&call->campaign, &lead, signup->email_key, false)))
			continue;
		result->lead_id = lead.id;
	}
	result->created = result->lead_id == 0;
	if (result->created && signup->must_exist)
		call_fail(call, FAILURE_LEAD_NOT_FOUND);
	if (campaign_has_ended(&call->campaign, call->now_ms))
		call_fail(call, FAILURE_CAMPAIGN_ENDED);
}

static const struct route *
inbound_route(void)
{
	size_t count, i = 0;
	const struct route *routes = api_routes(&count);
	while (routes[i].handle != handle_inbound)
		i++;
	return &routes[i];
}

void
api_run_inbound(struct api *api, struct pool *pool, const struct inbound_webhook *webhook, struct slice content_type,
    struct slice body, bool only_try, struct inbound_result *result)
{
	enum { ANSWER_MAX_BYTES = 64 * 1024 };
	struct http_request request = { .pool = pool, .method = HTTP_POST, .content_type = content_type, .body = body };
	struct http_response response;
	struct command command;
	http_response_init(&response, pool, ANSWER_MAX_BYTES);
	struct call call = {
		.api = api,
		.route = inbound_route(),
		.request = &request,
		.response = &response,
		.inbound = *webhook,
		.account_id = webhook->account_id,
		.begun_ms = clock_monotonic_ms(),
	};
	call.deadline_ms = call.begun_ms + api->options->backend_timeout_ms;
	*result = (struct inbound_result){ .failure = FAILURE_NONE };
	const enum result found = fetch_campaign(&call, webhook->campaign_id);
	if (found != RESULT_OK)
		call_fail(&call, found == RESULT_NOT_FOUND ? FAILURE_CAMPAIGN_NOT_FOUND : call_failure(found));
	else if (!only_try)
		run_payload(&call, result);
	else if (make_command(&call, result, &command))
		try_command(&call, &command, result);
	take_failure(&call, result);
	http_response_free(&response);
}
