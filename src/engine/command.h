/* SPDX-License-Identifier: MIT
 * A command changes leads. It is parsed and validated completely, and holds no connection and no request, so it can be queued,
 * sent to another process and run again. Its result is an outcome. */
#ifndef LEADHOOK_ENGINE_COMMAND_H
#define LEADHOOK_ENGINE_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "engine/custom_fields.h"
#include "engine/failure.h"
#include "engine/model.h"

/* Which parts of a lead are shown (docs/api.md 4.5). */
struct payload_view {
	bool full; /* with a key, and in webhooks; else the public view */
	bool skip_urls, skip_actions;
};

/* POST /v2/{cid} and its aliases (docs/api.md 4.3, 4.4). Fields that were not given are absent. */
struct signup {
	SIGNUP_FIELDS(FIELD_MEMBER)
	const struct custom_field *custom_fields; /* changes: absent json removes */
	size_t custom_field_count;
};

/* POST /v2/{cid}/tags/{tag_id}/lead: signs up a new lead; an existing one is only tagged. */
struct tagging {
	struct signup signup;
	uint64_t tag_id;
};

/* POST /v2/{cid}/points. Leads that do not exist are skipped. */
struct points_call {
	const struct lead_reference *leads;
	size_t lead_count;
	int32_t points;
	uint32_t account_jobs; /* if it becomes a job: maximum of jobs queued for the account; 0: any number */
	struct slice message;  /* may be absent */
};

/* POST /v2/{cid}/actions/{action_id}. */
struct completion {
	struct lead_reference lead;
	uint64_t action_id;
};

/* The changes of bulk calls (docs/api.md 4.1), and of calls for points that became jobs, as in the schema's enum. */
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
	LEAD_POINTS,
	LEAD_ACTIONS
};
/* "optout", …: the words of the paths; "delete" and "points" are among them. */
struct slice lead_action_name(enum lead_action action);
MUST_CHECK bool lead_action_parse(struct slice name, enum lead_action *action);

enum { LEAD_ARGUMENT_MAX_BYTES = 64 };
/* One lead of a bulk call, or of an opt-out link. */
struct lead_change {
	enum lead_action action;
	struct lead_reference lead;
	uint64_t tag_id; /* LEAD_TAG */
	/* LEAD_BLOCK: the reason, LEAD_VERIFY: "email" or "phone"; absent: the default. At most LEAD_ARGUMENT_MAX_BYTES. */
	struct slice argument;
	/* The bulk job and its item; 0: none. Made only while the job is at this item, and moves it to the next. */
	uint64_t job_id;
	uint32_t job_position;
	/* LEAD_POINTS, as in struct points_call */
	int32_t points;
	struct slice message;
};

enum command_kind { COMMAND_SIGNUP, COMMAND_TAGGING, COMMAND_POINTS, COMMAND_COMPLETION, COMMAND_CHANGE };

struct command {
	enum command_kind kind;
	uint64_t campaign_id;
	uint64_t account_id; /* of the request's key; 0: none */
	uint64_t owner_id;   /* account of the campaign, in whose turn the committer runs it; 0: without a committer */
	struct payload_view view;
	union {
		struct signup signup;
		struct tagging tagging;
		struct points_call points;
		struct completion completion;
		struct lead_change change;
	} as;
};

/* How many leads a command names; a sign-up counts as one. */
size_t command_lead_count(const struct command *command);

/* What the place of a lead on leaderboards depends on. A fraudulent lead has none. */
struct lead_place {
	uint32_t score, subscription_number;
	bool fraudulent;
};

/* What a command makes its batch write: leads, bookings, links, events and deliveries. A measure of its time in the
 * database. */
struct work {
	uint32_t rows, bytes;
};

struct outcome {
	enum failure failure;
	bool created;                      /* a sign-up or tagging: the lead is new */
	struct slice detail;               /* of a failure: completes its message, or absent */
	struct slice body;                 /* without a failure: the answer's JSON, or absent */
	struct campaign_versions versions; /* of look-ups only */
	struct lead_place place;           /* of look-ups with `standing` only */
	uint32_t queued;                   /* points: the call became a job for so many leads; 0: it is done */
	struct work work;                  /* of commands */
};

#endif
