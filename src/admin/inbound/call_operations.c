/* SPDX-License-Identifier: MIT
 * Calls of inbound webhooks: the log, one call, its replay, and a test of a payload (docs/inbound.md 5). */
#include <errno.h>
#include <string.h>

#include "admin/leads/named_lead.h"
#include "api/inbound/inbound_run.h"
#include "base/utf8.h"
#include "identity/random_secret.h"
#include "operation/operation_wiring.h"
#include "operation/value_types.h"
#include "webhook/mapping.h"

/* Unlike calls of the URL, tests have no content type: it is guessed from the payload. */
static struct slice
type_of(struct slice body)
{
	const struct slice text = slice_trim(body);
	const bool json = slice_starts_with(text, SLICE("{")) || slice_starts_with(text, SLICE("["));
	return json ? SLICE("application/json") : SLICE("application/x-www-form-urlencoded");
}

/* Reads a whole file, or standard input. Returns 0, or a status after reporting the error. */
static int
read_payload(struct operation_call *call, const char *path, struct slice *payload)
{
	char bytes[16 * 1024];
	size_t got;
	struct buffer text;
	const bool standard = strcmp(path, "-") == 0;
	FILE *file = standard ? stdin : fopen(path, "re");
	if (file == NULL)
		return operation_fail(call, PROBLEM_NO_INPUT, "%s: %s", path, strerror(errno));
	buffer_init(&text, call->conf->limits.body_bytes);
	while ((got = fread(bytes, 1, sizeof(bytes), file)) > 0)
		buffer_add(&text, (struct slice){ bytes, got });
	const bool failed = ferror(file) != 0, fits = buffer_ok(&text);
	if (!standard)
		fclose(file);
	*payload = fits ? pool_copy(call->pool, buffer_slice(&text)) : SLICE_NONE;
	buffer_free(&text);
	if (failed)
		return operation_fail(call, PROBLEM_IO, "%s cannot be read", path);
	return fits ? EX_OK
		    : operation_fail(call, PROBLEM_INVALID, "%s is larger than %zu bytes (limits.body_bytes)", path,
			  call->conf->limits.body_bytes);
}

static struct slice
outcome_of(const struct inbound_result *result)
{
	if (result->failure != FAILURE_NONE)
		return inbound_state_name(INBOUND_REFUSED);
	return inbound_state_name(result->created ? INBOUND_CREATED : INBOUND_UPDATED);
}

static void
add_fields(struct operation_call *call, struct output *output, const struct inbound_result *result)
{
	struct output *fields = output_new(call->pool, OUTPUT_ARRAY);
	output_text(output, "state", outcome_of(result));
	output_text(output, "error", result->error);
	output_text(output, "message", result->message);
	output_u64_or_null(output, "lead_id", result->lead_id);
	for (size_t i = 0; i < result->field_count; i++) {
		const struct inbound_field *field = &result->fields[i];
		output_record(fields);
		output_text(fields, "parameter", utf8_sanitized(call->pool, field->target));
		output_text(fields, "path", utf8_sanitized(call->pool, field->path));
		output_json(fields, "value", field->value);
		output_boolean(fields, "used", !field->left_out);
	}
	output_nested(output, "fields", fields);
}

/* The first entry that is refused, or simply the first one. */
static const struct inbound_result *
main_result(const struct inbound_results *results)
{
	for (size_t i = 0; i < results->count; i++)
		if (results->items[i].failure != FAILURE_NONE)
			return &results->items[i];
	return &results->items[0];
}

/* `entries` lists the results if the payload has several entries. */
static void
add_results(struct operation_call *call, const struct inbound_results *results)
{
	struct output *entries = output_new(call->pool, OUTPUT_ARRAY);
	add_fields(call, call->output, main_result(results));
	for (size_t i = 0; i < results->count && results->count > 1; i++) {
		output_record(entries);
		add_fields(call, entries, &results->items[i]);
	}
	output_nested(call->output, "entries", entries);
}

/* Warns of paths in the map that the payload does not have. A wrong path is no error. */
static void
report_missing(struct operation_call *call, const struct inbound_webhook *webhook, const struct inbound_result *result)
{
	struct payload_map map = { .count = 0 };
	const bool read = result->failure == FAILURE_NONE || result->failure == FAILURE_MISSING_EMAIL_AND_PHONE;
	if (!read || !mapping_parse(call->pool, webhook->map, &map))
		return;
	for (size_t i = 0; i < map.count; i++) {
		bool found = slice_equal(map.rules[i].target, SLICE("*"));
		for (size_t k = 0; k < result->field_count; k++)
			found = found || slice_equal(result->fields[k].path, map.rules[i].path);
		if (!found)
			operation_warn(call, "the payload has no value at %.*s, the path of %.*s",
			    SLICE_ARGS(map.rules[i].path), SLICE_ARGS(map.rules[i].target));
	}
}

static int
show_example(struct operation_call *call, uint64_t campaign_id)
{
	const struct slice url = inbound_url(call->pool, slice_of(call->conf->server.base_url), campaign_id, SLICE("in_..."));
	output_record(call->output);
	output_text(call->output, "example",
	    pool_printf(call->pool, "curl -H 'Content-Type: application/json' -d '{\"email\":\"ada@example.org\"}' '%.*s'",
		SLICE_ARGS(url)));
	return EX_OK;
}

static const struct parameter test_parameters[] = { OPTIONAL_OPERAND("payload", value_content, 0) };

static int
run_inbound_test(struct operation_call *call)
{
	struct inbound_webhook webhook;
	struct inbound_results outcomes;
	struct inbound_call payload = { .id = 0 };
	const enum result result = store_find_inbound(call->store, call->pool, call->id, &webhook);
	if (result != RESULT_OK)
		return operation_answer(call, result);
	const struct value_content *given = ARGUMENTS(call, struct value_content);
	if (!parameter_is_given(call, "payload"))
		return show_example(call, webhook.campaign_id);
	payload.body = given->text;
	const int status = given->path != NULL ? read_payload(call, given->path, &payload.body) : EX_OK;
	if (status != EX_OK)
		return status;
	payload.content_type = type_of(payload.body);
	inbound_run(call->wiring->api, call->pool, &webhook, &payload, INBOUND_TRY, &outcomes);
	output_record(call->output);
	add_results(call, &outcomes);
	report_missing(call, &webhook, main_result(&outcomes));
	return main_result(&outcomes)->failure == FAILURE_NONE ? EX_OK : EX_DATAERR;
}

static void
add_call(struct operation_call *call, const struct inbound_call *entry)
{
	output_record(call->output);
	output_u64(call->output, "id", entry->id);
	output_u64(call->output, "inbound", entry->inbound_id);
	output_time(call->output, "received_at", entry->received_ms);
	output_text(call->output, "state", inbound_state_name(entry->state));
	output_text(call->output, "error", entry->error);
	output_u64_or_null(call->output, "lead_id", entry->lead_id);
	output_u64(call->output, "size", entry->size);
	output_u64(call->output, "times", entry->times);
	output_u64(call->output, "replays", entry->replays);
}

struct inbound_log {
	enum inbound_state state; /* INBOUND_STATES: all */
	size_t limit;
};

static bool
parse_state(struct value_reading *reading, struct slice text, void *place)
{
	reading->expected =
	    pool_string(reading->pool, pool_printf(reading->pool, "created, updated or refused, not %.*s", SLICE_ARGS(text)));
	return inbound_state_parse(text, place);
}
static const struct value_type value_state = { .parse = parse_state };
static const struct parameter log_parameters[] = {
	OPTION("state", value_state, offsetof(struct inbound_log, state)),
	OPTION("limit", value_limit, offsetof(struct inbound_log, limit)),
};
static const struct inbound_log log_defaults = { INBOUND_STATES, VALUE_LIMIT_DEFAULT };

static int
run_inbound_log(struct operation_call *call)
{
	const struct inbound_log *arguments = ARGUMENTS(call, struct inbound_log);
	struct inbound_webhook webhook;
	struct inbound_call *calls;
	size_t count;
	enum result result = store_find_inbound(call->store, call->pool, call->id, &webhook);
	const struct inbound_call_filter filter = { call->id, 0, arguments->state, arguments->limit };
	if (result == RESULT_OK)
		result = store_list_inbound_calls(call->store, call->pool, &filter, &calls, &count);
	for (size_t i = 0; result == RESULT_OK && i < count; i++)
		add_call(call, &calls[i]);
	return operation_answer(call, result);
}

static int
run_inbound_lead(struct operation_call *call)
{
	const struct named_lead *named = ARGUMENTS(call, struct named_lead);
	struct lead lead;
	struct inbound_call *calls;
	size_t count;
	const int status = named_lead_find(call, named, &lead);
	if (status != EX_OK)
		return status;
	const struct inbound_call_filter filter = { 0, lead.id, INBOUND_STATES, VALUE_LIMIT_DEFAULT };
	const enum result result = store_list_inbound_calls(call->store, call->pool, &filter, &calls, &count);
	for (size_t i = 0; result == RESULT_OK && i < count; i++)
		add_call(call, &calls[i]);
	return operation_answer(call, result);
}

static int
run_inbound_call(struct operation_call *call)
{
	struct inbound_call entry;
	const enum result result = store_find_inbound_call(call->store, call->pool, call->id, &entry);
	if (result != RESULT_OK)
		return operation_answer(call, result);
	add_call(call, &entry);
	output_text(call->output, "message", entry.message);
	output_text(call->output, "ip", entry.ip);
	output_text(call->output, "content_type", utf8_sanitized(call->pool, entry.content_type));
	output_time(call->output, "ended_at", entry.ended_ms);
	output_time(call->output, "expires_at", entry.expires_ms);
	output_text(call->output, "body", utf8_sanitized(call->pool, entry.body));
	return EX_OK;
}

/* A call that has made a lead keeps its state if a replay is refused. */
static bool
stays(const struct inbound_call *entry, const struct inbound_result *outcome)
{
	return outcome->failure != FAILURE_NONE && entry->state != INBOUND_REFUSED;
}

static void
take_outcome(struct inbound_call *entry, const struct inbound_result *outcome)
{
	const bool refused = outcome->failure != FAILURE_NONE;
	entry->state = refused ? INBOUND_REFUSED : outcome->created ? INBOUND_CREATED : INBOUND_UPDATED;
	entry->error = outcome->error;
	entry->message = outcome->message;
	entry->lead_id = refused ? 0 : outcome->lead_id;
}

static enum result
note(struct operation_call *call, struct inbound_call *entry, const struct inbound_result *outcome)
{
	if (stays(entry, outcome) || outcome->failure == FAILURE_UNAVAILABLE)
		return RESULT_OK;
	take_outcome(entry, outcome);
	return store_note_inbound_replay(call->store, entry);
}

static bool
is_unavailable(const struct inbound_results *outcomes)
{
	for (size_t i = 0; i < outcomes->count; i++)
		if (outcomes->items[i].failure == FAILURE_UNAVAILABLE)
			return true;
	return false;
}

/* Gives each entry a row of its own, because a row belongs to one person. The stored row, which contains all entries, is
 * changed last: until then, it can be replayed again. */
static enum result
note_entries(struct operation_call *call, struct inbound_call *stored, const struct inbound_results *outcomes)
{
	enum result result = RESULT_OK;
	uint64_t id;
	for (size_t i = outcomes->count; i-- > 1 && result == RESULT_OK;) {
		const struct inbound_result *outcome = &outcomes->items[i];
		struct inbound_call entry = *stored;
		entry.content_type = SLICE("application/json");
		entry.body = outcome->entry;
		entry.size = outcome->entry.size;
		take_outcome(&entry, outcome);
		result = store_note_inbound_call(call->store, &entry, &id);
	}
	stored->content_type = SLICE("application/json");
	stored->body = outcomes->items[0].entry;
	stored->size = stored->body.size;
	if (!stays(stored, &outcomes->items[0]))
		take_outcome(stored, &outcomes->items[0]);
	return result == RESULT_OK ? store_note_inbound_replay(call->store, stored) : result;
}

static int
run_inbound_replay(struct operation_call *call)
{
	struct inbound_webhook webhook;
	struct inbound_call entry;
	struct inbound_results outcomes;
	enum result result = store_find_inbound_call(call->store, call->pool, call->id, &entry);
	if (result == RESULT_OK)
		result = store_find_inbound(call->store, call->pool, entry.inbound_id, &webhook);
	if (result != RESULT_OK)
		return operation_answer(call, result);
	if (entry.body.size < entry.size)
		return operation_fail(call, PROBLEM_CONFLICT, "only the beginning of the payload is stored");
	inbound_run(call->wiring->api, call->pool, &webhook, &entry, INBOUND_EXECUTE, &outcomes);
	const enum failure failure = main_result(&outcomes)->failure;
	const bool unavailable = is_unavailable(&outcomes);
	if (outcomes.count == 1)
		result = note(call, &entry, &outcomes.items[0]);
	else if (!unavailable)
		result = note_entries(call, &entry, &outcomes);
	output_record(call->output);
	output_u64(call->output, "id", entry.id);
	add_results(call, &outcomes);
	report_missing(call, &webhook, main_result(&outcomes));
	if (result == RESULT_TOO_MANY)
		return operation_fail(
		    call, PROBLEM_CONFLICT, "there is no room for the refused entries: the call stays as it is");
	if (result != RESULT_OK)
		return operation_answer(call, result);
	return failure == FAILURE_NONE ? EX_OK : unavailable ? EX_UNAVAILABLE : EX_DATAERR;
}

OPERATION(inbound_test, "inbound test", "INBOUND [FILE|-]", "show what would come of a payload", run_inbound_test,
    .subject = &subject_inbound, PARAMETERS(test_parameters, struct value_content),
    HTTP(POST, "inbound/{inbound}/test", RIGHT_HOOKS | RIGHT_LEADS), .all_rights = true, .effect = CHANGES);
OPERATION(inbound_log, "inbound log", "INBOUND [--state STATE] [--limit N]", "list the last calls, latest first",
    run_inbound_log, .subject = &subject_inbound, PARAMETERS(log_parameters, struct inbound_log), .defaults = &log_defaults,
    .shape = OUTPUT_ARRAY, HTTP(GET, "inbound/{inbound}/calls", RIGHT_LEADS));
OPERATION(inbound_lead, "inbound lead", "CAMPAIGN --email|--phone|--social-id VALUE",
    "list the calls that made or changed a lead", run_inbound_lead, .subject = &subject_campaign,
    PARAMETERS(lead_parameters, struct named_lead), .shape = OUTPUT_ARRAY,
    HTTP(GET, "campaigns/{campaign}/leads/{social_id}/calls", RIGHT_LEADS));
OPERATION(inbound_call, "inbound call", "CALL", "show a call and its payload", run_inbound_call, .subject = &subject_call,
    HTTP(GET, "calls/{call}", RIGHT_LEADS));
OPERATION(inbound_replay, "inbound replay", "CALL", "run a payload again", run_inbound_replay, .subject = &subject_call,
    HTTP(POST, "calls/{call}/replay", RIGHT_LEADS | RIGHT_CHANGE), .all_rights = true, .effect = CHANGES);
