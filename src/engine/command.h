/* SPDX-License-Identifier: MIT
 * A command: something that changes leads, parsed and validated completely. It holds no connection and no request, so it can
 * wait in a queue, travel to another process and be run again.
 *
 * And what becomes of it: its outcome. */
#ifndef LEADHOOK_ENGINE_COMMAND_H
#define LEADHOOK_ENGINE_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "engine/custom_fields.h"
#include "engine/failure.h"
#include "engine/model.h"

/* Which parts of a lead its reader sees (docs/api.md 4.5). */
struct payload_view {
	bool full; /* with a key, and in webhooks; else the public view */
	bool skip_urls, skip_actions;
};

/* POST /v2/{cid} and its other spellings (docs/api.md 4.3, 4.4). Absent slices were not given. */
struct signup {
	SIGNUP_FIELDS(FIELD_MEMBER)
	const struct custom_field *custom_fields; /* changes: absent json removes */
	size_t custom_field_count;
};

/* POST /v2/{cid}/tags/{tag_id}/lead: signs a new lead up; one that is there already is only tagged. */
struct tagging {
	struct signup signup;
	uint64_t tag_id;
};

/* POST /v2/{cid}/points. Leads that do not exist are passed over. */
struct points_call {
	const struct lead_reference *leads;
	size_t lead_count;
	int32_t points;
	struct slice message; /* may be absent */
};

/* POST /v2/{cid}/actions/{action_id}. */
struct completion {
	struct lead_reference lead;
	uint64_t action_id;
};

/* What bulk calls do to each of their leads (docs/api.md 4.1). As in the schema's enum. */
enum lead_action {
	LEAD_OPTOUT,
	LEAD_SMS_OPTOUT,
	LEAD_VERIFY,
	LEAD_APPROVE,
	LEAD_BLOCK,
	LEAD_WAITLIST,
	LEAD_UNWAITLIST,
	LEAD_TAG,
	LEAD_DELETE,
	LEAD_ACTIONS
};
/* "optout", …: the words of the paths; "delete" is among them. */
struct slice lead_action_name(enum lead_action action);
MUST_CHECK bool lead_action_parse(struct slice name, enum lead_action *action);

enum { LEAD_WORD_MAX_BYTES = 64 };
/* One lead of a bulk call, or of an opt-out link. */
struct lead_change {
	enum lead_action action;
	struct lead_reference lead;
	uint64_t tag_id;   /* LEAD_TAG */
	struct slice word; /* LEAD_BLOCK: the reason, LEAD_VERIFY: "email" or "phone"; absent: the default; LEAD_WORD_MAX_BYTES
			      at most */
	/* Queued work: which item of which job this is. Done only while the job stands there, and moves it on. 0: none. */
	uint64_t job_id;
	uint32_t job_position;
};

enum command_kind { COMMAND_SIGNUP, COMMAND_TAGGING, COMMAND_POINTS, COMMAND_COMPLETION, COMMAND_CHANGE };

struct command {
	enum command_kind kind;
	uint64_t campaign_id;
	uint64_t account_id; /* whose key came with it; 0: none */
	struct payload_view view;
	union {
		struct signup signup;
		struct tagging tagging;
		struct points_call points;
		struct completion completion;
		struct lead_change change;
	} as;
};

/* What says where a lead stands on a leaderboard. A fraudulent one is on none. */
struct lead_place {
	uint32_t score, subscription_number;
	bool fraudulent;
};

struct outcome {
	enum failure failure;
	bool created;                      /* a sign-up or tagging: the lead is new */
	struct slice detail;               /* with a failure whose message is completed: what is added */
	struct slice body;                 /* without one: the answer's JSON; absent where the command has none */
	struct campaign_versions versions; /* of look-ups alone */
	struct lead_place place;           /* of look-ups of a standing alone */
};

#endif
