/* SPDX-License-Identifier: MIT
 * Calls of the URLs of inbound webhooks: payloads of other systems that become leads (docs/inbound.md). */
#include "api/inbound.h"

#include "api/campaign_definitions.h"
#include "api/fetch.h"
#include "api/payloads.h"
#include "base/utf8.h"
#include "engine/strangers.h"
#include "identity/api_key.h"
#include "os/clock.h"

enum { CONTENT_TYPE_MAX = 255 /* the size of its column */, ANSWER_MAX_BYTES = 64 * 1024, INBOUND_ENTRIES_MAX = 100 };

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

/* That of the call is the sender's, not the lead's. */
static void
take_sender(struct call *call)
{
	call->sender = call->has_client ? ip_address_format(call->request->pool, &call->client) : SLICE_NONE;
}

/* ---- The results ---- */

static void
take_failure(const struct call *call, struct inbound_result *result)
{
	const struct slice notes = result->message;
	result->failure = call->failure;
	if (call->failure == FAILURE_NONE)
		return;
	result->error = slice_of(failure_text(call->failure)->code);
	result->message = call->failure_message;
	if (slice_present(notes))
		result->message = POOL_JOIN(call->request->pool, call->failure_message, SLICE(" ("), notes, SLICE(")"));
}

static void
fail_result(const struct call *call, struct inbound_result *result)
{
	*result = (struct inbound_result){ .failure = FAILURE_NONE };
	take_failure(call, result);
}

static void
forget_failure(struct call *call)
{
	call->failure = FAILURE_NONE;
	call->unavailable = false;
	call->response->status = 200;
	buffer_clear(&call->response->body);
}

/* What an entry before it met is no failure of this one. */
static void
begin_entry(struct call *call, struct inbound_result *result)
{
	forget_failure(call);
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
	struct document_node *lead;
	struct slice problem, names = SLICE("");
	if (!slice_present(result->body) ||
	    !document_read_json(pool, result->body, call->api->options->caps.depth, &lead, &problem))
		return;
	const struct document_node *stored = document_child(lead, SLICE("custom_fields"));
	for (size_t i = 0; stored != NULL && i < signup->custom_field_count; i++)
		if (slice_present(signup->custom_fields[i].json) &&
		    document_child(stored, signup->custom_fields[i].name) == NULL)
			names = POOL_JOIN(pool, names, names.size > 0 ? SLICE(", ") : SLICE(""), signup->custom_fields[i].name);
	if (names.size > 0)
		result->message = POOL_JOIN(pool, slice_present(result->message) ? result->message : SLICE(""),
		    slice_present(result->message) ? SLICE("; ") : SLICE(""), SLICE("no room for the custom fields "),
		    utf8_cut(names, NAMES_MAX_BYTES));
}

/* Custom fields beyond their limits are the only fault that a sign-up can still have: those without room are left out then. */
static struct outcome
execute(struct call *call, struct command *command, struct inbound_result *result)
{
	struct outcome outcome = call_execute(call, command);
	const bool retries = call->failure == FAILURE_INVALID_PARAMETER && command->kind != COMMAND_CHANGE;
	if (!retries)
		return outcome;
	signup_of(command)->optional_fields = (uint32_t)signup_of(command)->custom_field_count;
	forget_failure(call);
	outcome = call_execute(call, command);
	result->body = outcome.body;
	if (call->failure == FAILURE_NONE)
		note_fields_without_room(call, signup_of(command), result);
	return outcome;
}

static void
run_entry(struct call *call, const struct inbound_payload *payload, size_t number, struct inbound_result *result)
{
	struct command command;
	begin_entry(call, result);
	if (call_make_payload_command(call, payload, number, result, &command)) {
		const struct outcome outcome = execute(call, &command, result);
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

/* The payload with this entry alone of the list, or with it and all after it. */
static struct slice
body_of(struct call *call, const struct inbound_payload *payload, size_t number, bool and_rest)
{
	enum { GROWTH = 8 }; /* of an escaped character */
	const struct payload_list *list = &payload->list;
	const struct document_entries entries = { list->list, list->entries[number],
		and_rest ? NULL : list->entries[number]->next };
	struct buffer out;
	struct json_writer writer;
	if (list->list == NULL)
		return call->request->body;
	buffer_init(&out, GROWTH * call->api->options->body_bytes);
	json_writer_init(&writer, &out);
	document_write_entries(list->root, &entries, &writer);
	const struct slice body = pool_copy(call->request->pool, buffer_slice(&out));
	buffer_free(&out);
	return body;
}

/* ---- The call ---- */

/* Whether nothing can be stored, or need be: the sender repeats its call, or has no business here. */
static bool
is_not_stored(enum failure failure)
{
	return failure == FAILURE_UNAVAILABLE || failure == FAILURE_CAMPAIGN_NOT_FOUND ||
	       failure == FAILURE_ACCOUNT_SUSPENDED || failure == FAILURE_BODY_TOO_LARGE;
}

/* What a sender has to see, though the payload is stored: the end of the campaign, a defect, an encoding that no one can read
 * later. Other failures are 202, because senders that get an error stop calling. */
static bool
is_shown(const struct call *call, enum failure failure)
{
	return failure_text(failure)->status >= 500 || failure == FAILURE_CAMPAIGN_ENDED ||
	       (failure == FAILURE_UNSUPPORTED_MEDIA_TYPE && slice_present(call->request->content_encoding));
}

static void
answer_stored(struct call *call, const struct inbound_result *result, uint64_t id)
{
	const bool shown = is_shown(call, result->failure);
	buffer_clear(&call->response->body);
	struct json_writer writer = call_begin(call);
	if (!shown)
		call->response->status = 202;
	json_begin_object(&writer);
	json_put_text(&writer, SLICE("message"), shown ? result->message : SLICE("Payload stored, not mapped"));
	json_put_text(&writer, SLICE("error"), result->error);
	if (!shown)
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

static enum inbound_state
state_of(const struct inbound_result *result)
{
	if (result->failure != FAILURE_NONE)
		return INBOUND_REFUSED;
	return result->created ? INBOUND_CREATED : INBOUND_UPDATED;
}

static struct inbound_call
log_entry(struct call *call, const struct inbound_result *result, struct slice body)
{
	const bool refused = result->failure != FAILURE_NONE;
	const bool whole = body.data == call->request->body.data;
	return (struct inbound_call){
		.inbound_id = call->inbound.id,
		.campaign_id = call->campaign.id,
		.state = state_of(result),
		.error = result->error,
		.message = result->message,
		.lead_id = refused ? 0 : result->lead_id,
		.ip = call->sender,
		.content_type = whole ? slice_sub(call->request->content_type, 0, CONTENT_TYPE_MAX) : SLICE("application/json"),
		.body = body,
		.size = body.size,
	};
}

/* RESULT_TOO_MANY: there is no room for it. After any other failure the call has failed. */
static enum result
store_refused(struct call *call, const struct inbound_result *result, struct slice body, uint64_t *id)
{
	const struct inbound_call entry = log_entry(call, result, body);
	const enum result stored = store_note_inbound_call(call->api->store, &entry, id);
	if (stored != RESULT_OK && stored != RESULT_TOO_MANY)
		call_fail(call, stored == RESULT_NOT_FOUND ? FAILURE_NOT_FOUND : call_failure(stored));
	return stored;
}

/* Without the entry, which is logged, the sender must not repeat the call. */
static void
log_result(struct call *call, const struct inbound_result *result, struct slice body)
{
	const struct inbound_call entry = log_entry(call, result, body);
	uint64_t id;
	if (store_note_inbound_call(call->api->store, &entry, &id) != RESULT_OK)
		log_info("inbound_call_unlogged", LOG_UINT("inbound", call->inbound.id));
}

static void
refuse_call(struct call *call, const struct inbound_result *result)
{
	uint64_t id;
	if (is_not_stored(result->failure))
		return;
	const enum result stored = store_refused(call, result, call->request->body, &id);
	if (stored == RESULT_OK)
		answer_stored(call, result, id);
	else if (stored == RESULT_TOO_MANY)
		refuse_payload(call);
}

static void
handle_one(struct call *call, const struct inbound_payload *payload)
{
	struct inbound_result result;
	run_entry(call, payload, 0, &result);
	if (result.failure != FAILURE_NONE) {
		refuse_call(call, &result);
		return;
	}
	log_result(call, &result, call->request->body);
	call->response->status = 201;
	call_answer(call, result.body);
}

/* ---- Lists ---- */

struct list_answer {
	size_t made;
	bool full; /* an entry could not be stored */
	struct json_writer *writer;
};

/* The answer has room for all entries with reasons of this length. */
enum { REASON_MAX_BYTES = 200 };

static void
answer_entry(struct list_answer *answer, const struct inbound_result *result, uint64_t call_id)
{
	const bool refused = result->failure != FAILURE_NONE;
	struct json_writer *writer = answer->writer;
	answer->made += !refused;
	json_begin_object(writer);
	json_put_text(writer, SLICE("state"), inbound_state_name(state_of(result)));
	if (refused) {
		json_put_text(writer, SLICE("error"), result->error);
		json_put_text(writer, SLICE("reason"), utf8_cut(result->message, REASON_MAX_BYTES));
		json_put_u64(writer, SLICE("id"), call_id);
	} else {
		json_put_u64(writer, SLICE("lead_id"), result->lead_id);
	}
	json_end_object(writer);
}

/* Those that a call has no time or number for are stored together, to be replayed. */
static void
postpone_rest(struct call *call, size_t number, size_t count, struct inbound_result *result)
{
	*result = (struct inbound_result){ .failure = FAILURE_TOO_MANY_ITEMS };
	result->error = slice_of(failure_text(result->failure)->code);
	result->message = pool_printf(call->request->pool,
	    "Entries %zu to %zu are stored, to be replayed: a call makes leads of %d at most, and as many as it has time and "
	    "memory for",
	    number + 1, count, INBOUND_ENTRIES_MAX);
}

/* Runs an entry, or stores the rest. *rest: it was the rest. False: nothing was stored, and the call has failed. */
static bool
take_entry(struct call *call, const struct inbound_payload *payload, size_t number, struct list_answer *answer, bool *rest)
{
	const int64_t half_ms = call->begun_ms + (call->deadline_ms - call->begun_ms) / 2;
	struct inbound_result result;
	enum result stored = RESULT_OK;
	uint64_t id = 0;
	*rest = number >= INBOUND_ENTRIES_MAX || (number > 0 && clock_monotonic_ms() > half_ms);
	if (*rest)
		postpone_rest(call, number, payload->list.count, &result);
	else
		run_entry(call, payload, number, &result);
	const struct slice body = body_of(call, payload, number, *rest);
	if (result.failure == FAILURE_NONE)
		log_result(call, &result, body);
	else if (is_not_stored(result.failure))
		return false;
	else
		stored = store_refused(call, &result, body, &id);
	if (stored != RESULT_OK && stored != RESULT_TOO_MANY)
		return false;
	answer->full = answer->full || stored == RESULT_TOO_MANY;
	answer_entry(answer, &result, id);
	return true;
}

/* Each entry becomes a lead, or is stored with the reason why it did not, so the sender need not repeat the list for one entry.
 * When there is no room to store one, the others, which may be opt-outs, are still processed, and the sender repeats the list.
 */
static void
handle_list(struct call *call, const struct inbound_payload *payload)
{
	struct buffer entries;
	struct json_writer writer;
	struct list_answer answer = { .writer = &writer };
	bool good = true, rest = false;
	buffer_init(&entries, ANSWER_MAX_BYTES);
	json_writer_init(&writer, &entries);
	json_begin_array(&writer);
	for (size_t i = 0; i < payload->list.count && good && !rest; i++)
		good = take_entry(call, payload, i, &answer, &rest);
	json_end_array(&writer);
	if (good && answer.full) {
		forget_failure(call);
		refuse_payload(call);
	} else if (good) {
		buffer_clear(&call->response->body);
		call->response->status = answer.made > 0 ? 201 : 202;
		struct json_writer out = call_begin(call);
		json_begin_object(&out);
		json_put_text(&out, SLICE("message"),
		    pool_printf(call->request->pool, "%zu of %zu entries are leads", answer.made, payload->list.count));
		json_key(&out, SLICE("entries"));
		json_raw(&out, buffer_slice(&entries));
		json_end_object(&out);
	}
	buffer_free(&entries);
}

static void
handle_payload(struct call *call, const struct inbound_payload *payload)
{
	if (payload->list.count == 1)
		handle_one(call, payload);
	else
		handle_list(call, payload);
}

/* Whether the sender has asked for a text, and brings no person; it is the answer then. */
static bool
answers_challenge(struct call *call, const struct inbound_payload *payload)
{
	const struct slice challenge = payload_challenge(payload);
	if (!slice_present(challenge) || payload_has_person(call, payload))
		return false;
	call->response->content = HTTP_TEXT;
	call_answer(call, challenge);
	return true;
}

/* False: it cannot be read; it is stored, and answered. */
static bool
read_payload(struct call *call, struct inbound_payload *payload)
{
	struct inbound_result result;
	if (call_read_payload(call, payload))
		return true;
	fail_result(call, &result);
	refuse_call(call, &result);
	return false;
}

void
handle_inbound(struct call *call)
{
	struct inbound_payload payload;
	take_sender(call);
	if (read_payload(call, &payload) && !answers_challenge(call, &payload))
		handle_payload(call, &payload);
}

/* A query without a person is logged, for whoever made the map. */
static void
log_unmapped(struct call *call)
{
	const struct inbound_result result = {
		.failure = FAILURE_MISSING_EMAIL_AND_PHONE,
		.error = slice_of(failure_text(FAILURE_MISSING_EMAIL_AND_PHONE)->code),
		.message = SLICE("The query has no value that the map names as email, phone_number or __text"),
	};
	log_result(call, &result, call->request->body);
}

/* Some gateways send by GET. Others call a URL by GET, or HEAD, before they use it, and so does anyone who sees the URL in a
 * text: without the values of a person, that does nothing. */
void
handle_inbound_check(struct call *call)
{
	struct inbound_payload payload;
	const bool has_query = call->request->method == HTTP_GET && call->request->query.size > 0;
	take_sender(call);
	if (has_query && !read_payload(call, &payload))
		return;
	if (has_query && payload_has_person(call, &payload)) {
		handle_payload(call, &payload);
	} else if (!has_query || !answers_challenge(call, &payload)) {
		if (has_query)
			log_unmapped(call);
		call_answer(call, SLICE("{\"message\":\"Inbound Webhook is ready\"}"));
	}
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
	if (command->kind == COMMAND_TAGGING && !definitions_read_tag(call, tag, TAG_BY_ID, &tag_id))
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

static void
run_or_try(
    struct call *call, const struct inbound_payload *payload, size_t number, bool only_try, struct inbound_result *result)
{
	struct command command;
	if (!only_try) {
		call->deadline_ms = clock_monotonic_ms() + call->api->options->backend_timeout_ms;
		run_entry(call, payload, number, result);
		return;
	}
	begin_entry(call, result);
	if (call_make_payload_command(call, payload, number, result, &command))
		try_command(call, &command, result);
	take_failure(call, result);
}

/* Each entry, without a limit of their number but that of memory: each has what all have in common as its own. */
static void
run_all(struct call *call, bool only_try, struct inbound_results *results)
{
	enum { ENTRIES_MAX_BYTES = 64 * 1024 * 1024 };
	struct inbound_payload payload;
	const bool read = call->failure == FAILURE_NONE && call_read_payload(call, &payload);
	const size_t held = memory_held();
	*results = (struct inbound_results){ .count = read ? payload.list.count : 1 };
	results->items = POOL_ARRAY(call->request->pool, results->count, struct inbound_result);
	if (!read)
		fail_result(call, results->items);
	for (size_t i = 0; read && i < results->count; i++) {
		struct inbound_result *result = &results->items[i];
		const bool rest = i > 0 && memory_held() > held + ENTRIES_MAX_BYTES;
		if (rest) {
			postpone_rest(call, i, results->count, result);
			results->count = i + 1;
		} else
			run_or_try(call, &payload, i, only_try, result);
		result->entry = body_of(call, &payload, i, rest);
	}
}

void
api_run_inbound(struct api *api, struct pool *pool, const struct inbound_webhook *webhook, struct slice content_type,
    struct slice body, bool only_try, struct inbound_results *results)
{
	struct http_request request = { .pool = pool, .method = HTTP_POST, .content_type = content_type, .body = body };
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
		call_fail(&call, found == RESULT_NOT_FOUND ? FAILURE_CAMPAIGN_NOT_FOUND : call_failure(found));
	run_all(&call, only_try, results);
	http_response_free(&response);
}
