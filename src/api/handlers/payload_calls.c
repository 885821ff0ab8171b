/* SPDX-License-Identifier: MIT */
#include "api/handlers/payload_calls.h"

#include "api/call/call_answers.h"
#include "api/inbound/inbound_payload.h"
#include "api/inbound/inbound_run.h"
#include "base/utf8.h"
#include "os/clock.h"

enum { CONTENT_TYPE_MAX = 255 /* the size of its column */, ENTRIES_MAX_BYTES = 64 * 1024 };

/* ---- The call ---- */

/* Whether the payload is not stored: the sender will repeat its call, or is not allowed to call. */
static bool
is_not_stored(enum failure failure)
{
	return failure == FAILURE_UNAVAILABLE || failure == FAILURE_CAMPAIGN_NOT_FOUND ||
	       failure == FAILURE_ACCOUNT_SUSPENDED || failure == FAILURE_BODY_TOO_LARGE;
}

/* Whether the sender has to see the failure even though the payload is stored: the campaign has ended, the service has a
 * defect, or the encoding cannot be read later either. Other failures are answered with 202, because many senders stop calling
 * after errors. */
static bool
is_shown(const struct call *call, enum failure failure)
{
	return failure_info(failure)->status >= 500 || failure == FAILURE_CAMPAIGN_ENDED ||
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

/* Refuses a payload for which there is no room. It may take an hour until the dispatcher has removed others. */
static void
refuse_payload(struct call *call)
{
	call_add_header(call, "Retry-After", SLICE("3600"));
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

/* Stores a refused payload. RESULT_TOO_MANY: there is no room for it. With any other failure, the call has failed. */
static enum result
store_refused(struct call *call, const struct inbound_result *result, struct slice body, uint64_t *id)
{
	const struct inbound_call entry = log_entry(call, result, body);
	const enum result stored = store_note_inbound_call(call->api->store, &entry, id);
	if (stored != RESULT_OK && stored != RESULT_TOO_MANY)
		call_fail(call, stored == RESULT_NOT_FOUND ? FAILURE_NOT_FOUND : call_failure(stored));
	return stored;
}

/* Stores the result in the log of calls. If that fails, the call still succeeds: the sender must not repeat it. */
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
	inbound_run_entry(call, payload, 0, &result);
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

/* Runs an entry, or stores the rest of the list and sets *rest. False: nothing was stored, and the call has failed. */
static bool
take_entry(struct call *call, const struct inbound_payload *payload, size_t number, struct list_answer *answer, bool *rest)
{
	const int64_t half_ms = call->begun_ms + (call->deadline_ms - call->begun_ms) / 2;
	struct inbound_result result;
	enum result stored = RESULT_OK;
	uint64_t id = 0;
	*rest = number >= INBOUND_ENTRIES_MAX || (number > 0 && clock_monotonic_ms() > half_ms);
	if (*rest)
		result = inbound_postponed(call, number, payload->list.count);
	else
		inbound_run_entry(call, payload, number, &result);
	const struct slice body = inbound_body(call, payload, number, *rest ? INBOUND_REST : INBOUND_ENTRY);
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

/* Each entry becomes a lead, or is stored with the reason why it did not, so the sender need not repeat the list because of one
 * entry. If there is no room to store an entry, the others, which may be opt-outs, are still processed, and the sender has to
 * repeat the list. */
static void
handle_list(struct call *call, const struct inbound_payload *payload)
{
	struct buffer entries;
	struct json_writer writer;
	struct list_answer answer = { .writer = &writer };
	bool good = true, rest = false;
	buffer_init(&entries, ENTRIES_MAX_BYTES);
	json_writer_init(&writer, &entries);
	json_begin_array(&writer);
	for (size_t i = 0; i < payload->list.count && good && !rest; i++)
		good = take_entry(call, payload, i, &answer, &rest);
	json_end_array(&writer);
	if (good && answer.full) {
		inbound_forget_failure(call);
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

/* Answers a sender that expects a text and sends no data of a person. Returns false if the payload is of another kind. */
static bool
answers_challenge(struct call *call, const struct inbound_payload *payload)
{
	const struct slice challenge = inbound_payload_challenge(payload);
	if (!slice_present(challenge) || inbound_payload_has_person(call, payload))
		return false;
	call->response->content = HTTP_TEXT;
	call_answer(call, challenge);
	return true;
}

/* Reads the payload. False: it cannot be read, so it was stored, and the call is answered. */
static bool
read_payload(struct call *call, struct inbound_payload *payload)
{
	if (inbound_payload_read(call, payload))
		return true;
	const struct inbound_result result = inbound_failed(call);
	refuse_call(call, &result);
	return false;
}

void
handle_inbound(struct call *call)
{
	struct inbound_payload payload;
	call->sender = ip_address_format(call->request->pool, call_client(call));
	if (read_payload(call, &payload) && !answers_challenge(call, &payload))
		handle_payload(call, &payload);
}

/* Logs a query without data of a person, for whoever made the map. */
static void
log_unmapped(struct call *call)
{
	const struct inbound_result result = {
		.failure = FAILURE_MISSING_EMAIL_AND_PHONE,
		.error = slice_of(failure_info(FAILURE_MISSING_EMAIL_AND_PHONE)->code),
		.message = SLICE("The query has no value that the map names as email, phone_number or __text"),
	};
	log_result(call, &result, call->request->body);
}

/* Some gateways send payloads with GET. Others call a URL with GET or HEAD before they use it, and so does anyone who opens a
 * URL seen in a text. A call without data of a person changes nothing. */
void
handle_inbound_check(struct call *call)
{
	struct inbound_payload payload;
	const bool has_query = call->request->method == HTTP_GET && call->request->query.size > 0;
	call->sender = ip_address_format(call->request->pool, call_client(call));
	if (has_query && !read_payload(call, &payload))
		return;
	if (has_query && inbound_payload_has_person(call, &payload)) {
		handle_payload(call, &payload);
	} else if (!has_query || !answers_challenge(call, &payload)) {
		if (has_query)
			log_unmapped(call);
		call_answer(call, SLICE("{\"message\":\"Inbound Webhook is ready\"}"));
	}
}
