/* SPDX-License-Identifier: MIT
 * What the store answered, as an exit status and a sentence. */
#include <sysexits.h>

#include "admin/call.h"
#include "store/admin.h"

int
admin_finish(const struct admin_call *call, enum result result, const char *missing)
{
	switch (result) {
	case RESULT_OK:
		return EX_OK;
	case RESULT_NOT_FOUND:
		return admin_fail(call, EX_DATAERR, "%s", missing);
	case RESULT_UNAVAILABLE:
		return admin_fail(call, EX_UNAVAILABLE, "the database is out of reach: %s", store_error_text(call->store));
	case RESULT_CONFLICT:
		return admin_fail(call, EX_TEMPFAIL, "somebody else was faster, please try again");
	case RESULT_UNKNOWN:
		return admin_fail(call, EX_TEMPFAIL, "the connection broke: look whether it was done before you try again");
	case RESULT_INVALID:
	case RESULT_FAILED:
		break;
	}
	return admin_fail(call, EX_SOFTWARE, "the database refused: %s", store_error_text(call->store));
}
