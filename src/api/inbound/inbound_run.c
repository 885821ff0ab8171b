/* SPDX-License-Identifier: MIT */
#include "api/inbound/inbound_run.h"

#include "api/call/call_answers.h"
#include "api/call/campaign_definitions.h"
#include "api/call/fetch.h"
#include "api/inbound/inbound_entry.h"
#include "base/utf8.h"
#include "engine/visitors.h"
#include "os/clock.h"

enum { ANSWER_MAX_BYTES = 64 * 1024 };

static void
take_failure(const struct call *call, struct inbound_result *result)
{
	const struct slice notes = result->message;
	result->failure = call->failure;
	if (call->failure == FAILURE_NONE)
		return;
	result->error = slice_of(failure_info(call->failure)->code);
	result->message = call->failure_message;
	if (slice_present(notes))
		result->message = POOL_JOIN(call->request->pool, call->failure_message, SLICE(" ("), notes, SLICE(")"));
}

struct inbound_result
inbound_failed(const struct call *call)
{
	struct inbound_result result = { .failure = FAILURE_NONE };
	take_failure(call, &result);
	return result;
}

void
inbound_forget_failure(struct call *call)
{
	call->failure = FAILURE_NONE;
	call->unavailable = false;
	call->response->status = 200;
	buffer_clear(&call->response->body);
}

/* Clears the failure of the previous entry. */
static void
begin_entry(struct call *call, struct inbound_result *result)
{
	inbound_forget_failure(call);
	*result = (struct inbound_result){ .failure = FAILURE_NONE };
}

static struct signup *
signup_of(struct command *command)
{
	return command->kind == COMMAND_TAGGING ? &command->as.tagging.signup : &command->as.signup;
}

static void
note_fields_without_room(struct call *call, const struct signup *signup, struct inbound_result *result)
{
	enum { NAMES_MAX_BYTES = 1000 };
	struct pool *pool = call->request->pool;
	const struct document_node *lead = slice_present(result->body) ? document_read_trusted(pool, result->body) : NULL;
	const struct document_node *stored = lead == NULL ? NULL : document_child(lead, SLICE("custom_fields"));
	struct slice names = SLICE("");
	for (size_t i = 0; stored != NULL && i < signup->custom_field_count; i++)
		if (slice_present(signup->custom_fields[i].json) &&
		    document_child(stored, signup->custom_fields[i].name) == NULL)
			names = POOL_JOIN(pool, names, names.size > 0 ? SLICE(", ") : SLICE(""), signup->custom_fields[i].name);
	if (names.size > 0)
		result->message = POOL_JOIN(pool, slice_present(result->message) ? result->message : SLICE(""),
		    slice_present(result->message) ? SLICE("; ") : SLICE(""), SLICE("no room for the custom fields "),
		    utf8_cut(names, NAMES_MAX_BYTES));
}

/* Custom fields beyond their limits are the only fault that a sign-up can still have. In that case, the fields that do not fit
 * are left out. */
static struct outcome
execute(struct call *call, struct command *command, struct inbound_result *result)
{
	struct outcome outcome = call_execute(call, command);
	const bool retries = call->failure == FAILURE_INVALID_PARAMETER && command->kind != COMMAND_CHANGE;
	if (!retries)
		return outcome;
	signup_of(command)->optional_fields = (uint32_t)signup_of(command)->custom_field_count;
	inbound_forget_failure(call);
	outcome = call_execute(call, command);
	result->body = outcome.body;
	if (call->failure == FAILURE_NONE)
		note_fields_without_room(call, signup_of(command), result);
	return outcome;
}

void
inbound_run_entry(struct call *call, const struct inbound_payload *payload, size_t number, struct inbound_result *result)
{
	struct command command;
	begin_entry(call, result);
	if (inbound_entry_command(call, payload, number, result, &command)) {
		const struct outcome outcome = execute(call, &command, result);
		result->created = outcome.created;
		result->lead_id = outcome.lead_id;
		result->body = outcome.body;
		if (command.kind == COMMAND_CHANGE) { /* the outcome of such a command has no lead */
			result->lead_id = command.as.change.lead.id;
			result->body = SLICE("{\"message\":\"Lead updated\"}");
		}
	}
	take_failure(call, result);
}

struct slice
inbound_body(struct call *call, const struct inbound_payload *payload, size_t number, enum inbound_part part)
{
	enum { GROWTH = 8 }; /* how much longer escapes can make a text */
	const struct payload_list *list = &payload->list;
	const struct document_node *entry = list->entries[number];
	const struct document_entries entries = { list->list, entry, part == INBOUND_ENTRY ? entry->next : NULL };
	struct buffer out;
	struct json_writer writer;
	if (list->list == NULL)
		return call->request->body;
	buffer_init(&out, GROWTH * call->api->options->body_bytes);
	json_writer_init(&writer, &out);
	document_write_entries(list->root, &entries, &writer);
	return buffer_take(&out, call->request->pool);
}

struct inbound_result
inbound_postponed(struct call *call, size_t number, size_t count)
{
	return (struct inbound_result){
		.failure = FAILURE_TOO_MANY_ITEMS,
		.error = slice_of(failure_info(FAILURE_TOO_MANY_ITEMS)->code),
		.message = pool_printf(call->request->pool,
		    "Entries %zu to %zu are stored, to be replayed: a call makes leads of %d at most, and as many as it has "
		    "time and memory for",
		    number + 1, count, INBOUND_ENTRIES_MAX),
	};
}

/* ---- whole payloads, for the operator ---- */

/* Finds out what the command would do. Fails the call if the command would fail. */
static void
try_command(struct call *call, struct command *command, struct inbound_result *result)
{
	const struct signup *signup = signup_of(command);
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
	if (command->kind == COMMAND_TAGGING && !definitions_read_tag(call, tag, TAG_BY_ID, &tag_id))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(names) && result->lead_id == 0; i++) { /* the email address takes precedence */
		struct lead lead;
		if (!slice_present(names[i].value))
			continue;
		const enum result found = call_find_lead(call, &names[i], &lead);
		if (found != RESULT_NOT_FOUND && !call_check_result(call, found))
			return;
		if (found == RESULT_NOT_FOUND ||
		    (has_email && !visitor_matches_number(&call->campaign, &lead, signup->email_key, VISITOR_STRANGER)))
			continue;
		result->lead_id = lead.id;
	}
	result->created = result->lead_id == 0;
	if (result->created && signup->must_exist)
		call_fail(call, FAILURE_LEAD_NOT_FOUND);
	if (campaign_has_ended(&call->campaign, call->now_ms))
		call_fail(call, FAILURE_CAMPAIGN_ENDED);
}

static void
try_entry(struct call *call, const struct inbound_payload *payload, size_t number, struct inbound_result *result)
{
	struct command command;
	begin_entry(call, result);
	if (inbound_entry_command(call, payload, number, result, &command))
		try_command(call, &command, result);
	take_failure(call, result);
}

/* Runs all entries. Only memory limits their number: each has its own copy of what they have in common. */
static void
run_all(struct call *call, enum inbound_way way, struct inbound_results *results)
{
	enum { ENTRIES_MAX_BYTES = 64 * 1024 * 1024 };
	struct inbound_payload payload;
	const bool read = call->failure == FAILURE_NONE && inbound_payload_read(call, &payload);
	const size_t held = memory_held();
	*results = (struct inbound_results){ .count = read ? payload.list.count : 1 };
	results->items = POOL_ARRAY(call->request->pool, results->count, struct inbound_result);
	if (!read)
		results->items[0] = inbound_failed(call);
	for (size_t i = 0; read && i < results->count; i++) {
		struct inbound_result *result = &results->items[i];
		if (i > 0 && memory_held() > held + ENTRIES_MAX_BYTES) {
			*result = inbound_postponed(call, i, results->count);
			result->entry = inbound_body(call, &payload, i, INBOUND_REST);
			results->count = i + 1;
			continue;
		}
		if (way == INBOUND_TRY) {
			try_entry(call, &payload, i, result);
		} else {
			call->deadline_ms = clock_monotonic_ms() + call->api->options->backend_timeout_ms;
			inbound_run_entry(call, &payload, i, result);
		}
		result->entry = inbound_body(call, &payload, i, INBOUND_ENTRY);
	}
}

/* The route of the webhook's URL. */
static const struct route *
inbound_route(void)
{
	const struct route *route = route_table;
	while (route->key != KEY_INBOUND || route->method != HTTP_POST)
		route++;
	return route;
}

void
inbound_run(struct api *api, struct pool *pool, const struct inbound_webhook *webhook, const struct inbound_call *payload,
    enum inbound_way way, struct inbound_results *results)
{
	struct http_request request = {
		.pool = pool, .method = HTTP_POST, .content_type = payload->content_type, .body = payload->body
	};
	struct http_response response;
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
	const enum result found = fetch_campaign(&call, webhook->campaign_id);
	if (found != RESULT_OK)
		call_fail_result(&call, found, FAILURE_CAMPAIGN_NOT_FOUND);
	run_all(&call, way, results);
	http_response_free(&response);
}
