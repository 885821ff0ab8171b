/* SPDX-License-Identifier: MIT */
#include "base/result.h"

const char *
result_text(enum result result)
{
	static const char *const texts[] = {
		[RESULT_OK] = "ok",
		[RESULT_NOT_FOUND] = "not found",
		[RESULT_WRONG_SCHEMA] = "wrong schema",
		[RESULT_REFUSED] = "refused",
		[RESULT_TOO_MANY] = "too many",
		[RESULT_OUTDATED] = "outdated",
		[RESULT_REPEATED] = "repeated",
		[RESULT_CONFLICT] = "conflict",
		[RESULT_UNAVAILABLE] = "unavailable",
		[RESULT_UNKNOWN] = "outcome unknown",
		[RESULT_FAILED] = "failed",
	};
	return texts[result];
}
