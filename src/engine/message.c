/* SPDX-License-Identifier: MIT */
#include "engine/message.h"

#define KIND_NAME(kind, name) [MESSAGE_##kind] = SLICE(name),
static const struct slice names[] = { MESSAGE_KIND_LIST(KIND_NAME) };
#undef KIND_NAME

static const struct {
	bool ignores_opt_out, is_urgent;
} kinds[MESSAGE_KINDS] = {
	[MESSAGE_VERIFY] = { true, true },
	[MESSAGE_STATUS_LINK] = { false, true },
	[MESSAGE_ERASE_CONFIRM] = { true, true },
	[MESSAGE_CODE] = { false, true },
};

struct slice
message_kind_name(enum message_kind kind)
{
	return (size_t)kind < MESSAGE_KINDS ? names[kind] : SLICE_NONE;
}

bool
message_kind_parse(struct slice name, enum message_kind *kind)
{
	for (size_t i = 0; i < MESSAGE_KINDS; i++)
		if (slice_equal(name, names[i])) {
			*kind = (enum message_kind)i;
			return true;
		}
	return false;
}

bool
message_ignores_opt_out(enum message_kind kind)
{
	return (size_t)kind < MESSAGE_KINDS && kinds[kind].ignores_opt_out;
}

bool
message_is_urgent(enum message_kind kind)
{
	return (size_t)kind < MESSAGE_KINDS && kinds[kind].is_urgent;
}
