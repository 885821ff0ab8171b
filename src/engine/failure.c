/* SPDX-License-Identifier: MIT */
#include "engine/failure.h"

#include "base/panic.h"

#define TEXT(name, status, code, message) [FAILURE_##name] = { status, code, message },
static const struct failure_info texts[] = { FAILURE_LIST(TEXT) };
#undef TEXT

const struct failure_info *
failure_info(enum failure failure)
{
	require(failure > FAILURE_NONE && failure < FAILURE_COUNT);
	return &texts[failure];
}
