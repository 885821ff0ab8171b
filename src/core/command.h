/* SPDX-License-Identifier: MIT
 * A command: something that changes leads, parsed and validated completely. It holds no connection and no request, so it can
 * wait in a queue, travel to another process and be run again.
 *
 * And what becomes of it: its outcome. */
#ifndef LEADHOOK_CORE_COMMAND_H
#define LEADHOOK_CORE_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "core/custom_fields.h"
#include "core/failure.h"

/* Which parts of a lead its reader sees (contract.md 4.5). */
struct payload_view {
	bool full; /* with a key, and in webhooks; else the public view */
	bool skip_urls, skip_actions;
};

/* POST /v2/{cid} and its other spellings (contract.md 4.3, 4.4). Absent slices were not given. */
struct signup {
	struct slice email, email_key; /* as typed; identity */
	struct slice phone;            /* E.164 */
	struct slice subject;          /* social id of the lead to update */
	struct slice referrer_id;      /* social id of the lead that referred a new one */
	bool must_exist;
	bool keep_opt_out;
	const struct custom_field *custom_fields; /* changes: absent json removes */
	size_t custom_field_count;
	struct slice utm; /* a JSON object */
	struct slice uid, redirect_url;
	struct slice ip, user_agent;
	bool replace_ip, replace_user_agent; /* given with a key: also on an existing lead */
	struct slice referrer, source;
	uint64_t source_id;
	struct slice signup_url, session_id, request_id;
};

enum command_kind { COMMAND_SIGNUP };

struct command {
	enum command_kind kind;
	uint64_t campaign_id;
	uint64_t account_id; /* whose key came with it; 0: none */
	struct payload_view view;
	union {
		struct signup signup;
	} as;
};

struct outcome {
	enum failure failure;
	struct slice detail; /* with a failure whose message is completed: what is added */
	struct slice body;   /* without one: the answer's JSON */
};

#endif
