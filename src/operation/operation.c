/* SPDX-License-Identifier: MIT */
#include "operation/operation.h"

#include <inttypes.h>

#include "store/schema.h"

const struct subject subject_account = { "account", "account", OWNED_ACCOUNT };
const struct subject subject_key = { "key", "key", OWNED_KEY };
const struct subject subject_campaign = { "campaign", "campaign", OWNED_CAMPAIGN };
const struct subject subject_tag = { "tag", "tag", OWNED_TAG };
const struct subject subject_action = { "action", "action", OWNED_ACTION };
const struct subject subject_reward = { "reward", "reward level", OWNED_REWARD };
const struct subject subject_webhook = { "webhook", "webhook", OWNED_WEBHOOK };
const struct subject subject_delivery = { "delivery", "delivery", OWNED_DELIVERY };
const struct subject subject_inbound = { "inbound", "inbound webhook", OWNED_INBOUND };
const struct subject subject_call = { "call", "call", OWNED_CALL };
const struct subject subject_mail = { "mail", "mail", OWNED_MAIL };
const struct subject subject_user = { "user", "user", OWNED_USER };
const struct subject subject_job = { "job", "job", OWNED_JOB };

void
operation_next_id(struct operation_call *call, uint64_t id)
{
	call->next = pool_printf(call->pool, "%" PRIu64, id);
}

bool
operation_is_repeatable(const struct operation *operation)
{
	return operation->effect == CREATES || operation->effect == QUEUES || operation->effect == ADDS;
}

uint64_t
operation_maximum(const struct operation_call *call, unsigned setting)
{
	return caller_is_operator(call->caller) ? INT64_MAX : setting;
}

int
operation_answer(struct operation_call *call, enum result result)
{
	const struct subject *subject = call->operation->subject;
	switch (result) {
	case RESULT_OK:
		return EX_OK;
	case RESULT_UNAVAILABLE:
		if (call->is_remote)
			return operation_fail(call, PROBLEM_UNAVAILABLE, "the database is out of reach; try again later");
		return operation_fail(
		    call, PROBLEM_UNAVAILABLE, "the database is out of reach: %s", store_error_text(call->store));
	case RESULT_OUTDATED:
		return operation_fail(call, PROBLEM_CHANGED, "the campaign was changed since; read it again");
	case RESULT_REPEATED: /* the caller shows the object that exists */
	case RESULT_CONFLICT:
		return operation_fail(call, PROBLEM_BUSY, "another change was made at the same time; try again");
	case RESULT_UNKNOWN:
		return operation_fail(
		    call, PROBLEM_UNCERTAIN, "the connection was lost: check whether the change was made before you try again");
	case RESULT_NOT_FOUND:
		if (subject != NULL)
			return operation_fail(call, PROBLEM_NOT_FOUND, "there is no such %s", subject->noun);
		break;
	case RESULT_WRONG_SCHEMA:
	case RESULT_REFUSED:
	case RESULT_TOO_MANY:
	case RESULT_FAILED:
		break;
	}
	const char *text = call->is_remote ? "" : store_error_text(call->store);
	return text[0] == '\0' ? operation_fail(call, PROBLEM_INTERNAL, "the command failed; see the log for the reason")
			       : operation_fail(call, PROBLEM_INTERNAL, "the database refused: %s", text);
}

int
operation_answer_number(struct operation_call *call, enum result result, const char *key, uint64_t number)
{
	if (result == RESULT_OK) {
		output_record(call->output);
		output_u64(call->output, key, number);
	}
	return operation_answer(call, result);
}

int
operation_answer_id(struct operation_call *call, enum result result, uint64_t id)
{
	return operation_answer_number(call, result, "id", id);
}

enum result
operation_find_campaign(struct operation_call *call, struct campaign *campaign)
{
	struct campaign ignored;
	int64_t now_ms;
	return store_find_campaign(call->store, call->pool, call->id, campaign != NULL ? campaign : &ignored, &now_ms);
}

int
operation_fail_schema(struct operation_call *call, uint32_t found)
{
	return operation_fail(call, PROBLEM_CONFIG, "the schema has version %" PRIu32 ", this program needs %" PRIu32 ": %s",
	    found, store_schema_wanted(), store_schema_hint(found));
}
