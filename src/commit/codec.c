/* SPDX-License-Identifier: MIT
 * One function for each struct encodes and decodes it, so the two directions cannot differ. */
#include "commit/codec.h"

#include <string.h>

#include "base/panic.h"
#include "os/clock.h"

/* These assertions fail when a struct gets a member that is not in a table of engine/model_fields.h, unless it fits into
 * padding. Add the member to the struct's function below and to tests/commit/test_codec.c. */
#if __SIZEOF_POINTER__ == 8
_Static_assert(sizeof(struct custom_field) == 48, "code_custom_fields");
_Static_assert(sizeof(struct tagging) == 376, "code_tagging");
_Static_assert(sizeof(struct lead_reference) == 40, "code_lead");
_Static_assert(sizeof(struct points_call) == 40, "code_points");
_Static_assert(sizeof(struct completion) == 64, "code_completion");
_Static_assert(sizeof(struct lead_change) == 176, "code_change");
_Static_assert(sizeof(struct command) == 416, "code_command");
_Static_assert(sizeof(struct look_up) == 96, "code_look_up");
_Static_assert(sizeof(struct outcome) == 96, "code_outcome");
_Static_assert(sizeof(struct api_key) == 64 + 8 * KEY_CAMPAIGNS_MAX, "code_key");
#endif

/* The encoded size of the smallest item of an array: a count of more items than fit is an error. */
enum { LEAD_MIN_BYTES = 18, CUSTOM_FIELD_MIN_BYTES = 12 };

#define ABSENT UINT32_MAX

struct coder {
	struct buffer *out; /* NULL: decode */
	struct slice in;    /* the bytes that are not decoded yet */
	struct pool *pool;  /* memory for decoded arrays */
	bool failed;        /* decoding has failed; later values are left unchanged */
};

static struct slice
take(struct coder *coder, size_t size)
{
	const struct slice in = coder->in;
	coder->failed = coder->failed || in.size < size;
	if (coder->failed)
		return SLICE_NONE;
	coder->in = (struct slice){ in.data + size, in.size - size };
	return (struct slice){ in.data, size };
}

static void
code_bytes(struct coder *coder, void *value, size_t size)
{
	if (coder->out != NULL) {
		buffer_add(coder->out, (struct slice){ value, size });
		return;
	}
	struct slice taken = take(coder, size);
	if (slice_present(taken))
		memcpy(value, taken.data, size);
}

#define CODE_NUMBER(coder, number) code_bytes((coder), &(number), sizeof(number))

/* Codes a number from 0 to `last`. */
static unsigned
code_choice(struct coder *coder, unsigned value, unsigned last)
{
	unsigned char byte = (unsigned char)value;
	CODE_NUMBER(coder, byte);
	if (byte <= last)
		return byte;
	coder->failed = true;
	return 0;
}

#define CODE_ENUM(coder, type, value, last) ((value) = (enum type)code_choice((coder), (unsigned)(value), (last)))
#define CODE_BOOL(coder, value) ((value) = code_choice((coder), (value), 1) != 0)

static void
code_slice(struct coder *coder, struct slice *text)
{
	uint32_t size = slice_present(*text) ? (uint32_t)text->size : ABSENT;
	CODE_NUMBER(coder, size);
	if (coder->out != NULL)
		buffer_add(coder->out, *text);
	else
		*text = size == ABSENT ? SLICE_NONE : take(coder, size);
}

/* The types of engine/model_fields.h. */
#define FIELD_CODE_U64(coder, value) CODE_NUMBER(coder, value)
#define FIELD_CODE_U32(coder, value) CODE_NUMBER(coder, value)
#define FIELD_CODE_I32(coder, value) CODE_NUMBER(coder, value)
#define FIELD_CODE_BOOL(coder, value) CODE_BOOL(coder, value)
#define FIELD_CODE_TEXT(coder, value) code_slice(coder, &(value))
#define FIELD_CODE_TIME(coder, value) CODE_NUMBER(coder, value)
#define FIELD_CODE_OPTIONAL_TIME(coder, value) CODE_NUMBER(coder, value)

/* Codes the number of items of an array. When decoding, allocates and returns the items; otherwise returns NULL. */
static void *
code_count(struct coder *coder, size_t *count, size_t item_size, size_t item_min_bytes)
{
	uint32_t number = (uint32_t)*count;
	CODE_NUMBER(coder, number);
	if (coder->out != NULL)
		return NULL;
	coder->failed = coder->failed || number > coder->in.size / item_min_bytes;
	*count = coder->failed ? 0 : number;
	return pool_alloc_array(coder->pool, *count, item_size);
}

static void
code_custom_fields(struct coder *coder, struct signup *signup)
{
	struct custom_field *read = code_count(coder, &signup->custom_field_count, sizeof(*read), CUSTOM_FIELD_MIN_BYTES);
	for (size_t i = 0; i < signup->custom_field_count; i++) {
		struct custom_field field = read == NULL ? signup->custom_fields[i] : read[i];
		code_slice(coder, &field.name);
		code_slice(coder, &field.json);
		code_slice(coder, &field.text);
		if (read != NULL)
			read[i] = field;
	}
	if (read != NULL)
		signup->custom_fields = read;
}

static void
code_signup(struct coder *coder, struct signup *signup)
{
#define CODE(type, member) FIELD_CODE_##type(coder, signup->member);
	SIGNUP_FIELDS(CODE)
#undef CODE
	code_custom_fields(coder, signup);
}

static void
code_tagging(struct coder *coder, struct tagging *tagging)
{
	code_signup(coder, &tagging->signup);
	CODE_NUMBER(coder, tagging->tag_id);
	CODE_BOOL(coder, tagging->update);
}

static void
code_lead(struct coder *coder, struct lead_reference *lead)
{
	CODE_ENUM(coder, lead_identity, lead->identity, LEAD_BY_ID);
	CODE_BOOL(coder, lead->own);
	CODE_NUMBER(coder, lead->epoch);
	code_slice(coder, &lead->value);
	CODE_NUMBER(coder, lead->id);
}

static void
code_points(struct coder *coder, struct points_call *points)
{
	CODE_NUMBER(coder, points->points);
	CODE_NUMBER(coder, points->account_jobs);
	code_slice(coder, &points->message);
	struct lead_reference *read = code_count(coder, &points->lead_count, sizeof(*read), LEAD_MIN_BYTES);
	for (size_t i = 0; i < points->lead_count; i++) {
		struct lead_reference lead = read == NULL ? points->leads[i] : read[i];
		code_lead(coder, &lead);
		if (read != NULL)
			read[i] = lead;
	}
	if (read != NULL)
		points->leads = read;
}

static void
code_completion(struct coder *coder, struct completion *completion)
{
	code_lead(coder, &completion->lead);
	CODE_NUMBER(coder, completion->action_id);
	code_slice(coder, &completion->message);
}

static void
code_change(struct coder *coder, struct lead_change *change)
{
	CODE_ENUM(coder, lead_action, change->action, LEAD_ACTIONS - 1);
	code_lead(coder, &change->lead);
	CODE_NUMBER(coder, change->tag_id);
	code_slice(coder, &change->argument);
	code_slice(coder, &change->address);
	CODE_BOOL(coder, change->by_lead);
	code_slice(coder, &change->ip);
	code_slice(coder, &change->user_agent);
	coder->failed = coder->failed || change->argument.size > LEAD_ARGUMENT_MAX_BYTES;
	CODE_NUMBER(coder, change->job_id);
	CODE_NUMBER(coder, change->job_position);
	CODE_NUMBER(coder, change->points);
	code_slice(coder, &change->message);
	code_slice(coder, &change->made_by);
}

static void
code_view(struct coder *coder, struct payload_view *view)
{
	CODE_BOOL(coder, view->full);
	CODE_BOOL(coder, view->skip_urls);
	CODE_BOOL(coder, view->skip_actions);
	CODE_BOOL(coder, view->url);
	CODE_BOOL(coder, view->own);
}

static void
code_look_up(struct coder *coder, struct look_up *look_up)
{
	CODE_NUMBER(coder, look_up->campaign_id);
	code_lead(coder, &look_up->reference);
	code_view(coder, &look_up->view);
	CODE_BOOL(coder, look_up->standing);
	code_slice(coder, &look_up->style.description);
	code_slice(coder, &look_up->style.avatar_default);
	CODE_BOOL(coder, look_up->style.personal);
}

static void
code_command(struct coder *coder, struct command *command)
{
	CODE_ENUM(coder, command_kind, command->kind, COMMAND_CHANGE);
	CODE_NUMBER(coder, command->rights);
	CODE_NUMBER(coder, command->campaign_id);
	CODE_NUMBER(coder, command->account_id);
	CODE_NUMBER(coder, command->owner_id);
	code_view(coder, &command->view);
	switch (command->kind) {
	case COMMAND_SIGNUP:
		code_signup(coder, &command->as.signup);
		break;
	case COMMAND_TAGGING:
		code_tagging(coder, &command->as.tagging);
		break;
	case COMMAND_POINTS:
		code_points(coder, &command->as.points);
		break;
	case COMMAND_COMPLETION:
		code_completion(coder, &command->as.completion);
		break;
	case COMMAND_CHANGE:
		code_change(coder, &command->as.change);
		break;
	case COMMAND_IMPORT: /* an import does not use the committer */
		coder->failed = true;
		break;
	}
}

/* Without `work`, which only the committer uses. */
static void
code_outcome(struct coder *coder, struct outcome *outcome)
{
	CODE_ENUM(coder, failure, outcome->failure, FAILURE_COUNT - 1);
	CODE_BOOL(coder, outcome->created);
	CODE_BOOL(coder, outcome->claim_alone);
	CODE_ENUM(coder, lead_showing, outcome->showing, WITHHELD);
	CODE_NUMBER(coder, outcome->lead_id);
	code_slice(coder, &outcome->detail);
	code_slice(coder, &outcome->body);
	CODE_NUMBER(coder, outcome->versions.settings);
	CODE_NUMBER(coder, outcome->versions.leads);
	CODE_NUMBER(coder, outcome->place.score);
	CODE_NUMBER(coder, outcome->place.subscription_number);
	CODE_BOOL(coder, outcome->place.fraudulent);
	CODE_NUMBER(coder, outcome->queued);
}

static void
code_key(struct coder *coder, struct api_key *key)
{
	CODE_NUMBER(coder, key->id);
	CODE_NUMBER(coder, key->account_id);
	CODE_BOOL(coder, key->account_suspended);
	CODE_NUMBER(coder, key->account_per_minute);
	CODE_NUMBER(coder, key->expires_ms);
	CODE_NUMBER(coder, key->last_used_ms);
	CODE_NUMBER(coder, key->now_ms);
	CODE_NUMBER(coder, key->rights);
	CODE_NUMBER(coder, key->campaign_count);
	CODE_NUMBER(coder, key->campaigns);
}

static void
code_campaign(struct coder *coder, struct campaign *campaign)
{
#define CODE(type, member) FIELD_CODE_##type(coder, campaign->member);
#define CODE_COUNTER(type, column, member) FIELD_CODE_##type(coder, campaign->counters.member);
	CAMPAIGN_FIELDS(CODE)
	CAMPAIGN_SETTINGS(CODE)
	CAMPAIGN_PROGRESS(CODE)
	CAMPAIGN_COUNTERS(CODE_COUNTER)
#undef CODE
#undef CODE_COUNTER
	CODE_BOOL(coder, campaign->account_suspended);
}

static void
code_found(struct coder *coder, struct commit_answer *answer)
{
	CODE_ENUM(coder, result, answer->result, RESULT_FAILED);
	CODE_NUMBER(coder, answer->read_ms);
}

static void
code_request(struct coder *coder, struct commit_request *request)
{
	CODE_ENUM(coder, commit_request_kind, request->kind, REQUEST_READINESS);
	CODE_NUMBER(coder, request->deadline_ms);
	code_slice(coder, &request->id);
	switch (request->kind) {
	case REQUEST_COMMAND:
		code_command(coder, &request->as.command);
		break;
	case REQUEST_KEY:
		CODE_NUMBER(coder, request->as.key.bytes);
		break;
	case REQUEST_CAMPAIGN:
		CODE_NUMBER(coder, request->as.campaign_id);
		break;
	case REQUEST_LOOK_UP:
		code_look_up(coder, &request->as.look_up);
		break;
	case REQUEST_READINESS:
		break;
	}
}

static void
code_answer(struct coder *coder, struct commit_answer *answer)
{
	CODE_ENUM(coder, commit_answer_kind, answer->kind, ANSWER_READINESS);
	switch (answer->kind) {
	case ANSWER_REFUSED:
		break;
	case ANSWER_OUTCOME:
		code_outcome(coder, &answer->as.outcome);
		break;
	case ANSWER_KEY:
		code_found(coder, answer);
		code_key(coder, &answer->as.key);
		break;
	case ANSWER_CAMPAIGN:
		code_found(coder, answer);
		code_campaign(coder, &answer->as.found.campaign);
		CODE_NUMBER(coder, answer->as.found.now_ms);
		break;
	case ANSWER_READINESS:
		code_found(coder, answer);
		break;
	}
}

void
commit_encode_request(struct buffer *out, const struct commit_request *request)
{
	struct commit_request copy = *request;
	code_request(&(struct coder){ .out = out }, &copy);
}

void
commit_encode_answer(struct buffer *out, const struct commit_answer *answer)
{
	struct commit_answer copy = *answer;
	code_answer(&(struct coder){ .out = out }, &copy);
}

bool
commit_decode_request(struct pool *pool, struct slice bytes, struct commit_request *request)
{
	struct coder coder = { .in = bytes, .pool = pool };
	memset(request, 0, sizeof(*request));
	code_request(&coder, request);
	return !coder.failed && coder.in.size == 0;
}

bool
commit_decode_answer(struct pool *pool, struct slice bytes, struct commit_answer *answer)
{
	struct coder coder = { .in = bytes, .pool = pool };
	memset(answer, 0, sizeof(*answer));
	code_answer(&coder, answer);
	return !coder.failed && coder.in.size == 0;
}

const struct commit_answer commit_refused = { .kind = ANSWER_REFUSED };

struct commit_answer
commit_failed_answer(const struct commit_request *request, enum failure failure, enum result result)
{
	static const enum commit_answer_kind kinds[] = {
		[REQUEST_KEY] = ANSWER_KEY, [REQUEST_CAMPAIGN] = ANSWER_CAMPAIGN, [REQUEST_READINESS] = ANSWER_READINESS
	};
	if (request->kind == REQUEST_COMMAND || request->kind == REQUEST_LOOK_UP)
		return (struct commit_answer){ .kind = ANSWER_OUTCOME, .as.outcome.failure = failure };
	return (struct commit_answer){ .kind = kinds[request->kind], .result = result };
}

struct slice
commit_directory_name(const struct commit_request *request)
{
	require(request->kind != REQUEST_COMMAND && request->kind != REQUEST_LOOK_UP);
	if (request->kind == REQUEST_KEY)
		return (struct slice){ (const char *)request->as.key.bytes, sizeof(request->as.key.bytes) };
	if (request->kind == REQUEST_READINESS)
		return SLICE("");
	return (struct slice){ (const char *)&request->as.campaign_id, sizeof(request->as.campaign_id) };
}

int64_t
commit_answer_now_ms(const struct commit_answer *answer)
{
	require(answer->kind == ANSWER_CAMPAIGN && answer->result == RESULT_OK);
	return answer->as.found.now_ms + (clock_monotonic_ms() - answer->read_ms);
}

const struct cache_limits commit_cache_limits = { COMMIT_CACHE_ENTRIES, COMMIT_CACHE_BYTES, COMMIT_CACHE_BYTES,
	COMMIT_CACHE_AGE_MS };
