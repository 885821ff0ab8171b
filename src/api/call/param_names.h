/* SPDX-License-Identifier: MIT
 * The table of parameters: their names, the calls that read them, and how the parser of requests reads their values
 * (docs/api.md 1.1, 1.6, 4). What a value must be is up to the function that reads it: see param_values.h. */
#pragma once

#include "api/call/api_call.h"

/* The subjects of calls. A call reads the parameters of one or more of them. */
enum param_group {
	GROUP_KEY = 1 << 0,
	GROUP_CAMPAIGN = 1 << 1,
	GROUP_CALLBACK = 1 << 2,
	GROUP_SIGNUP = 1 << 3, /* docs/api.md 4.4 */
	GROUP_SIGNUP_POINTS = 1 << 4,
	GROUP_VIEW = 1 << 5,
	GROUP_LEAD = 1 << 6,  /* one lead */
	GROUP_LEADS = 1 << 7, /* the leads of a bulk call, or of points */
	GROUP_POINTS = 1 << 8,
	GROUP_TAG = 1 << 9, /* details of bulk calls, as the next three */
	GROUP_TAGS = 1 << 10,
	GROUP_CHANNEL = 1 << 11,
	GROUP_REASON = 1 << 12,
	GROUP_FILTER = 1 << 13,
	GROUP_LEADERS = 1 << 14,
	GROUP_WEBHOOK_URL = 1 << 15,
	GROUP_WEBHOOK = 1 << 16,
	GROUP_INBOUND = 1 << 17,      /* the settings of an inbound webhook */
	GROUP_INBOUND_NAME = 1 << 18, /* which inbound webhook */
	GROUP_ACTION = 1 << 19,       /* an action of a lead, completed from a page */
	GROUP_CODE = 1 << 20,
	GROUP_OWNER = 1 << 21,     /* the token that makes the caller the owner of a lead */
	GROUP_ANSWER = 1 << 22,    /* how a form is answered */
	GROUP_BOTS = 1 << 23,      /* docs/api.md 8 */
	GROUP_CONFIRM = 1 << 24,   /* the button of a page that a mail links to */
	GROUP_ONE_CLICK = 1 << 25, /* a POST to an opt-out link */
	GROUP_PASSWORD = 1 << 26,
	GROUP_IGNORED = 1 << 27,
	GROUPS_RESERVED = GROUP_KEY | GROUP_CAMPAIGN | GROUP_CALLBACK | GROUP_SIGNUP | GROUP_SIGNUP_POINTS | GROUP_IGNORED |
			  GROUP_ANSWER | GROUP_BOTS /* never custom fields */
};

enum param_flag {
	PARAM_REPEATABLE = 1 << 0, /* may be given several times: the values make an array */
	PARAM_INFORMS = 1 << 1,    /* never an error: cut and made valid, and what is not text is left out */
	PARAM_STRUCTURED = 1 << 2  /* may be an object: each leaf is a parameter `name[member]` */
};

/* The prefix of sign-up parameters that are not in the table (docs/api.md 4.4). */
#define UTM_PREFIX "utm_"

/* The rows of the table that calls read. */
enum param_id {
	PARAM_KEY,
	PARAM_CAMPAIGN,
	PARAM_CALLBACK,
	PARAM_PASSWORD,
	PARAM_ANSWER,
	PARAM_CODE,
	PARAM_PAGE_URL,
	PARAM_TOKEN,
	PARAM_SOCIAL_ID, /* of one lead */
	PARAM_EMAIL,
	PARAM_STRICT,
	PARAM_PHONE_NUMBER,
	PARAM_COUNTRY_CODE,
	PARAM_MUST_EXIST,
	PARAM_KEEP_OPT_OUT,
	PARAM_SIGNUP_ID, /* a social id: of the lead to update, or of its referrer */
	PARAM_IP,
	PARAM_REFERRER,
	PARAM_SESSION_ID,
	PARAM_USER_AGENT,
	PARAM_LANGUAGE,
	PARAM_SIGNUP_SOURCE,
	PARAM_PROOF,
	PARAM_STAMP,
	PARAM_REQUEST_ID,
	PARAM_UID,
	PARAM_REDIRECT_URL,
	PARAM_SKIP_URLS,
	PARAM_SKIP_ACTIONS,
	PARAM_LIMIT,
	PARAM_LEADER_ID, /* the social id of `me` */
	PARAM_LEAD_DESCRIPTION,
	PARAM_AVATAR_DEFAULT,
	PARAM_CURSOR,
	PARAM_VERIFIED,
	PARAM_WAITLISTED,
	PARAM_FRAUDULENT,
	PARAM_OPTED_OUT,
	PARAM_SINCE,
	PARAM_POINTS,
	PARAM_EMAILS,
	PARAM_PHONE_NUMBERS,
	PARAM_SOCIAL_IDS,
	PARAM_MESSAGE,
	PARAM_ACTION_ID,
	PARAM_DATA,
	PARAM_TAG_ID,
	PARAM_TAG,
	PARAM_TAG_IDS,
	PARAM_CHANNEL,
	PARAM_REASON,
	PARAM_URL,
	PARAM_EVENTS,
	PARAM_SOURCE,
	PARAM_FORMAT,
	PARAM_ID,
	PARAM_NAME,
	PARAM_MAP,
	PARAM_ROTATE,
	PARAM_REJECT,
	PARAM_ONE_CLICK,
	PARAMS_READ, /* the rows from here on are only ignored */
	PARAMS = PARAMS_READ + 6
};

enum { PARAM_NAMES_MAX = 4 };

struct param {
	struct slice names[PARAM_NAMES_MAX]; /* the first with a value is used */
	unsigned groups, flags;
};
extern const struct param param_table[PARAMS];

static inline bool
param_has_name(const struct param *parameter, size_t i)
{
	return i < PARAM_NAMES_MAX && slice_present(parameter->names[i]);
}

/* The name of one that has no others, or its first name. */
static inline struct slice
param_name(enum param_id id)
{
	return param_table[id].names[0];
}

/* How the parser reads the names of a call's parameters. Repeated values of a PARAM_REPEATABLE become an array; of
 * GROUP_LEADS and GROUP_TAGS only in bulk calls (docs/api.md 1.1). In the pool of the request. */
struct http_names param_names(const struct call *call);
/* Whether a name in lower case is one of GROUPS_RESERVED. */
bool param_is_reserved(struct slice lower_name);
/* Whether a name in lower case is one of PARAM_INFORMS. */
bool param_informs(struct slice lower_name);
