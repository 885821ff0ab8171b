/* SPDX-License-Identifier: MIT */
#include "engine/message.h"

static const struct {
	struct slice name;
	bool ignores_opt_out, is_urgent;
} kinds[MESSAGE_KINDS] = {
	[MESSAGE_VERIFY] = { SLICE("verify"), true, true },
	[MESSAGE_WELCOME] = { SLICE("welcome"), false, false },
	[MESSAGE_REWARD] = { SLICE("reward"), false, false },
	[MESSAGE_REFERRAL] = { SLICE("referral"), false, false },
	[MESSAGE_STATUS_LINK] = { SLICE("status_link"), false, true },
	[MESSAGE_ERASE_CONFIRM] = { SLICE("erase_confirm"), true, true },
	[MESSAGE_CODE] = { SLICE("code"), false, true },
};

struct slice
message_kind_name(enum message_kind kind)
{
	return (size_t)kind < MESSAGE_KINDS ? kinds[kind].name : SLICE_NONE;
}

bool
message_kind_parse(struct slice name, enum message_kind *kind)
{
	for (size_t i = 0; i < MESSAGE_KINDS; i++)
		if (slice_equal(name, kinds[i].name)) {
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
