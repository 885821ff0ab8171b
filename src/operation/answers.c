/* SPDX-License-Identifier: MIT
 * Converts results of the store to an exit status and a message. */
#include <inttypes.h>
#include <sysexits.h>

#include "operation/operation.h"
#include "store/operator/admin.h"

int
admin_answer(struct admin_call *call, enum result result)
{
	const char *subject = admin_subject(call->command);
	switch (result) {
	case RESULT_OK:
		return EX_OK;
	case RESULT_UNAVAILABLE:
		if (call->is_remote)
			return admin_fail(call, PROBLEM_UNAVAILABLE, "the database is out of reach; try again later");
		return admin_fail(call, PROBLEM_UNAVAILABLE, "the database is out of reach: %s", store_error_text(call->store));
	case RESULT_CONFLICT:
		if (store_found_other_settings(call->store))
			return admin_fail(call, PROBLEM_CHANGED, "the campaign was changed since; read it again");
		return admin_fail(call, PROBLEM_BUSY, "another change was made at the same time; try again");
	case RESULT_UNKNOWN:
		return admin_fail(
		    call, PROBLEM_UNCERTAIN, "the connection was lost: check whether the change was made before you try again");
	case RESULT_NOT_FOUND:
		if (subject != NULL)
			return admin_fail(call, PROBLEM_NOT_FOUND, "there is no such %s", subject);
		break;
	case RESULT_INVALID:
	case RESULT_TOO_MANY:
	case RESULT_FAILED:
		break;
	}
	const char *text = call->is_remote ? "" : store_error_text(call->store);
	return text[0] == '\0' ? admin_fail(call, PROBLEM_INTERNAL, "the command failed; see the log for the reason")
			       : admin_fail(call, PROBLEM_INTERNAL, "the database refused: %s", text);
}

int
admin_answer_id(struct admin_call *call, enum result result, uint64_t id)
{
	if (result == RESULT_OK) {
		output_record(call->output);
		output_u64(call->output, "id", id);
	}
	return admin_answer(call, result);
}

int
admin_wrong_schema(struct admin_call *call, uint32_t found)
{
	return admin_fail(call, PROBLEM_CONFIG, "the schema has version %" PRIu32 ", this program needs %" PRIu32 ": %s", found,
	    store_schema_wanted(), store_schema_hint(found));
}
