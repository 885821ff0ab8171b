/* SPDX-License-Identifier: MIT
 * The table of parameters: their names, the calls that read them, and how the parser of requests reads their values
 * (docs/api.md 1.1, 1.6, 4). What a value must be is up to the function that reads it: see parameter_values.h. */
#ifndef LEADHOOK_API_PARAMETERS_H
#define LEADHOOK_API_PARAMETERS_H

#include "api/call.h"

/* The subjects of calls. A call reads the parameters of one or more of them. */
enum parameter_group {
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

enum parameter_flag {
	PARAMETER_REPEATABLE = 1 << 0, /* may be given several times: the values make an array */
	PARAMETER_INFORMS = 1 << 1,    /* never an error: cut and made valid, and what is not text is left out */
	PARAMETER_STRUCTURED = 1 << 2  /* may be an object: each leaf is a parameter `name[member]` */
};

/* The prefix of sign-up parameters that are not in the table (docs/api.md 4.4). */
#define UTM_PREFIX "utm_"

/* The rows of the table that calls read. */
enum parameter_id {
	PARAMETER_KEY,
	PARAMETER_CAMPAIGN,
	PARAMETER_CALLBACK,
	PARAMETER_PASSWORD,
	PARAMETER_ANSWER,
	PARAMETER_CODE,
	PARAMETER_PAGE_URL,
	PARAMETER_TOKEN,
	PARAMETER_SOCIAL_ID, /* of one lead */
	PARAMETER_EMAIL,
	PARAMETER_STRICT,
	PARAMETER_PHONE_NUMBER,
	PARAMETER_COUNTRY_CODE,
	PARAMETER_MUST_EXIST,
	PARAMETER_KEEP_OPT_OUT,
	PARAMETER_SIGNUP_ID, /* a social id: of the lead to update, or of its referrer */
	PARAMETER_IP,
	PARAMETER_REFERRER,
	PARAMETER_SESSION_ID,
	PARAMETER_USER_AGENT,
	PARAMETER_LANGUAGE,
	PARAMETER_SIGNUP_SOURCE,
	PARAMETER_PROOF,
	PARAMETER_STAMP,
	PARAMETER_REQUEST_ID,
	PARAMETER_UID,
	PARAMETER_REDIRECT_URL,
	PARAMETER_SKIP_URLS,
	PARAMETER_SKIP_ACTIONS,
	PARAMETER_LIMIT,
	PARAMETER_LEADER_ID, /* the social id of `me` */
	PARAMETER_LEAD_DESCRIPTION,
	PARAMETER_AVATAR_DEFAULT,
	PARAMETER_CURSOR,
	PARAMETER_VERIFIED,
	PARAMETER_WAITLISTED,
	PARAMETER_FRAUDULENT,
	PARAMETER_OPTED_OUT,
	PARAMETER_SINCE,
	PARAMETER_POINTS,
	PARAMETER_EMAILS,
	PARAMETER_PHONE_NUMBERS,
	PARAMETER_SOCIAL_IDS,
	PARAMETER_MESSAGE,
	PARAMETER_ACTION_ID,
	PARAMETER_DATA,
	PARAMETER_TAG_ID,
	PARAMETER_TAG,
	PARAMETER_TAG_IDS,
	PARAMETER_CHANNEL,
	PARAMETER_REASON,
	PARAMETER_URL,
	PARAMETER_EVENTS,
	PARAMETER_SOURCE,
	PARAMETER_FORMAT,
	PARAMETER_ID,
	PARAMETER_NAME,
	PARAMETER_MAP,
	PARAMETER_ROTATE,
	PARAMETER_REJECT,
	PARAMETER_ONE_CLICK,
	PARAMETERS_READ, /* the rows from here on are only ignored */
	PARAMETERS = PARAMETERS_READ + 6
};

enum { PARAMETER_NAMES_MAX = 4 };

struct parameter {
	struct slice names[PARAMETER_NAMES_MAX]; /* the first with a value is used */
	unsigned groups, flags;
};
extern const struct parameter parameter_table[PARAMETERS];

static inline bool
parameter_has_name(const struct parameter *parameter, size_t i)
{
	return i < PARAMETER_NAMES_MAX && slice_present(parameter->names[i]);
}

/* How the parser reads the names of a call's parameters. Repeated values of a PARAMETER_REPEATABLE become an array; of
 * GROUP_LEADS and GROUP_TAGS only in bulk calls (docs/api.md 1.1). In the pool of the request. */
struct http_names parameter_names(const struct call *call);
/* Whether a name in lower case is one of GROUPS_RESERVED. */
bool parameter_is_reserved(struct slice lower_name);
/* Whether a name in lower case is one of PARAMETER_INFORMS. */
bool parameter_informs(struct slice lower_name);

#endif
