/* SPDX-License-Identifier: MIT
 * A command changes leads. It is completely parsed and validated, and refers to no connection and no request, so it can be
 * queued, sent to another process and run again. Its result is an outcome. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "engine/custom_fields.h"
#include "engine/failure.h"
#include "engine/model.h"
#include "identity/rights.h"

/* Which parts of a lead are shown (docs/api.md 4.5). */
struct payload_view {
	bool full; /* with a key, and in webhooks; otherwise the public view */
	bool skip_urls, skip_actions;
	bool url; /* repeats social_url as `url` */
	bool own; /* shown to the lead itself: status_url contains its token; together with `full`: on its page */
};

/* How entries of a leaderboard are shown (docs/api.md 4.1.2). A member whose text is absent here is left out. */
struct standing_style {
	struct slice description;    /* lead_description: STANDING_… or the name of a custom field */
	struct slice avatar_default; /* a URL, or a keyword */
	bool personal;               /* custom fields are shown */
};
#define STANDING_FIRST_NAME SLICE("first_name")
#define STANDING_FULL_NAME SLICE("full_name")
#define STANDING_SOCIAL_ID SLICE("social_id")

/* POST /v2/{cid} and its aliases (docs/api.md 4.3, 4.4). Fields that were not given are absent. */
struct signup {
	SIGNUP_FIELDS(FIELD_MEMBER)
	const struct custom_field *custom_fields; /* changes; a field without JSON is removed */
	size_t custom_field_count;
};

/* POST /v2/{cid}/tags/{tag_id}/lead: signs up a new lead. An existing lead is only tagged, unless `update` is set. */
struct tagging {
	struct signup signup;
	uint64_t tag_id;
	bool update;
};

/* POST /v2/{cid}/points. Leads that do not exist are skipped. */
struct points_call {
	const struct lead_reference *leads;
	size_t lead_count;
	int32_t points;
	uint32_t account_jobs; /* limit of queued jobs of the account, if the call becomes a job; 0: no limit */
	struct slice message;  /* may be absent */
};

/* POST /v2/{cid}/actions/{action_id}, and /action/{cid}. Without RIGHT_CHANGE: public actions only. */
struct completion {
	struct lead_reference lead;
	uint64_t action_id;
	struct slice message; /* may be absent */
};

/* The changes of bulk calls (docs/api.md 4.1), and points of calls that became jobs: X(action, word of the path). The order is
 * that of the schema's enum. */
#define LEAD_ACTION_LIST(X)         \
	X(OPTOUT, "optout")         \
	X(SMS_OPTOUT, "sms_optout") \
	X(VERIFY, "verify")         \
	X(APPROVE, "approve")       \
	X(BLOCK, "block")           \
	X(WAITLIST, "waitlist")     \
	X(UNWAITLIST, "unwaitlist") \
	X(TAG, "tag")               \
	X(DELETE, "delete")         \
	X(POINTS, "points")         \
	X(SMS_OPTIN, "sms_optin")   \
	X(UNVERIFY, "unverify")
#define LEAD_ACTION(action, word) LEAD_##action,
enum lead_action { LEAD_ACTION_LIST(LEAD_ACTION) LEAD_ACTIONS };
#undef LEAD_ACTION
struct slice lead_action_name(enum lead_action action);
MUST_CHECK bool lead_action_parse(struct slice name, enum lead_action *action);

/* How a lead can be verified. The numbers are stored. */
enum lead_channel { CHANNEL_EMAIL, CHANNEL_PHONE };
/* "email", "phone" */
struct slice lead_channel_name(enum lead_channel channel);
/* The name of the channel that is verified when a call names leads in this way (docs/api.md 4.1.4); absent unless it is an
 * address. */
struct slice lead_named_channel(enum lead_identity identity);

/* A bit of `proven` in struct lead: the person verified the address of this channel with a code or a link (docs/api.md 4.1.11,
 * Another owner). Verification by a key proves nothing. */
#define CHANNEL_BIT(channel) (UINT32_C(1) << (channel))

/* Whether the lead's address of this channel is a claim, verified or not (docs/api.md 4.1.11). */
bool lead_claims(const struct lead *lead, enum lead_channel channel);
/* Whether the owner of that address must not get the lead's data or have it deleted (docs/operating.md 7.4): the address is a
 * claim, or no claim is known but only the other address is verified. */
bool lead_only_claims(const struct lead *lead, enum lead_channel channel);

enum { LEAD_ARGUMENT_MAX_BYTES = 64 };
/* Deletes a lead only if it is not verified. */
#define LEAD_DELETE_UNVERIFIED SLICE("unverified")
/* Deletes a lead without an event, even while its account is suspended. */
#define LEAD_DELETE_ERASED SLICE("erased")
/* One lead of a bulk call, or of an opt-out link. */
struct lead_change {
	enum lead_action action;
	struct lead_reference lead;
	uint64_t tag_id; /* LEAD_TAG */
	/* LEAD_DELETE: LEAD_DELETE_UNVERIFIED, LEAD_DELETE_ERASED, or absent; LEAD_BLOCK: the reason, LEAD_VERIFY and
	 * LEAD_UNVERIFY: "email" or "phone"; absent: the default. At most LEAD_ARGUMENT_MAX_BYTES. */
	struct slice argument;
	/* An email key or a number that the caller has proven to be its own; the change is made only while the lead has this
	 * address. Absent: the lead's addresses do not matter. LEAD_DELETE: if the lead only claims this address, only the
	 * address is removed; LEAD_DELETE_ERASED never removes more than such a claim. */
	struct slice address;
	/* LEAD_DELETE: the lead deletes itself. LEAD_OPTOUT: the person reports not having signed up; an address that the lead
	 * only claims is removed. LEAD_VERIFY: the lead used a code or a link, which is recorded with the next two members. */
	bool by_lead;
	struct slice ip, user_agent; /* may be absent */
	/* The bulk job and its item; 0: none. The change is made only while the job is at this item, and moves the job to the
	 * next one. */
	uint64_t job_id;
	uint32_t job_position;
	/* LEAD_POINTS, as in struct points_call */
	int32_t points;
	struct slice message;
	struct slice made_by; /* who queued the bulk job, for the lead's timeline; absent: no one */
};

/* The largest subscription number that can be imported; later sign-ups continue after it. */
#define IMPORT_NUMBER_MAX UINT32_C(4000000000)
/* A lead of another service or installation (leadhook(1), lead import). Made only by the operator's command, without an
 * account. If the lead already exists, the command does not fail, but its outcome is not `created`. */
struct import {
	struct signup signup;        /* of the new lead; `subject` is the social id to give it, or absent: it gets a new one */
	struct slice referrer_email; /* the key of its referrer, used instead of signup.referrer_id */
	bool drop_unknown_referrer;  /* ignores an unknown referrer; otherwise FAILURE_LEAD_NOT_FOUND */
	bool verified_email, verified_phone, opted_out, sms_opted_out, fraudulent;
	enum lead_claim claimed; /* CLAIM_NONE for a lead with one address */
	int waitlisted;          /* 1: yes, 0: no, -1: as the campaign's setting says */
	bool has_score;          /* books only `score`; otherwise, what a sign-up books */
	uint32_t score;
	struct slice tag_ids, action_ids; /* id lists of definitions of the campaign */
	size_t name_count;                /* of both */
	uint32_t unknown_names;           /* number of tags and actions that the campaign does not have; ignored */
	uint32_t number, last_number;     /* its subscription number (0: the next one); the largest number of all rows to be
					   * imported */
	int64_t created_ms;               /* -1: now */
	bool events;                      /* makes the events of a sign-up */
	bool adds_tags;                   /* adds missing tags to an existing lead, and changes nothing else */
};

enum command_kind { COMMAND_SIGNUP, COMMAND_TAGGING, COMMAND_POINTS, COMMAND_COMPLETION, COMMAND_CHANGE, COMMAND_IMPORT };

struct command {
	enum command_kind kind;
	rights rights; /* the caller's rights; without RIGHT_CHANGE it is a stranger to existing leads (docs/api.md 4.1.11) */
	uint64_t campaign_id;
	uint64_t account_id; /* account of the request's key; 0: none. it gives no rights */
	uint64_t owner_id;   /* the campaign's account: the command runs in its share of a batch; 0: without a committer */
	struct payload_view view;
	bool trial; /* for imports, the same for all commands of a batch: finds the outcomes but stores nothing */
	union {
		struct signup signup;
		struct tagging tagging;
		struct points_call points;
		struct completion completion;
		struct lead_change change;
		const struct import *import;
	} as;
};

/* How many leads a command names; a sign-up counts as one. */
size_t command_lead_count(const struct command *command);

/* What a lead's place on leaderboards depends on. A fraudulent lead has no place. */
struct lead_place {
	uint32_t score, subscription_number;
	bool fraudulent;
};

/* How much a command makes its batch write: leads, bookings, links, events and deliveries. A measure of its time in the
 * database. */
struct work {
	uint32_t rows, bytes;
};

/* How the answer shows the lead (docs/api.md 4.1.11): in the command's view, in the view of the lead itself, or not at all. For
 * LEAD_VERIFY by a lead, SHOWN_TO_OWNER means that the answer has a body, WITHHELD that a mail leads to the page, and
 * SHOWN_BY_VIEW that the address is confirmed but leads to no page. */
enum lead_showing { SHOWN_BY_VIEW, SHOWN_TO_OWNER, WITHHELD };

struct outcome {
	enum failure failure;
	bool created;     /* a sign-up or tagging: the lead is new */
	bool claim_alone; /* LEAD_DELETE, LEAD_OPTOUT: only the address was removed, because it was a claim */
	bool tagged;      /* an import: an existing lead got tags */
	bool opted_out;   /* an import: an existing lead was opted out of mail or texts */
	enum lead_showing showing;
	uint64_t lead_id;    /* the lead of a sign-up or tagging, or of a LEAD_VERIFY that shows it; otherwise 0 */
	struct slice detail; /* for a failure: text that completes its message, or absent */
	struct slice body;   /* without a failure: the answer's JSON, or absent */
	struct campaign_versions versions; /* of look-ups only */
	struct lead_place place;           /* of look-ups with `standing` only */
	uint32_t queued;                   /* points: the call became a job for this many leads; 0: it is done */
	struct work work;                  /* of commands */
};
