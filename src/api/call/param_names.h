/* SPDX-License-Identifier: MIT
 * The table of parameters: their names, the calls that read them, and how the parser of requests reads their values
 * (docs/api.md 1.1, 1.6, 4). The functions that read values check them: see param_values.h. */
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
	GROUP_TAG = 1 << 9, /* this and the next three: details of bulk calls */
	GROUP_TAGS = 1 << 10,
	GROUP_CHANNEL = 1 << 11,
	GROUP_REASON = 1 << 12,
	GROUP_FILTER = 1 << 13,
	GROUP_LEADERS = 1 << 14,
	GROUP_WEBHOOK_URL = 1 << 15,
	GROUP_WEBHOOK = 1 << 16,
	GROUP_INBOUND = 1 << 17,      /* the settings of an inbound webhook */
	GROUP_INBOUND_NAME = 1 << 18, /* the inbound webhook that a call is about */
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
	PARAM_INFORMS = 1 << 1,    /* never an error: cut and made valid; anything but text is left out */
	PARAM_STRUCTURED = 1 << 2  /* may be an object: each leaf is a parameter `name[member]` */
};

/* The prefix of sign-up parameters that are not in the table (docs/api.md 4.4). */
#define UTM_PREFIX "utm_"

/* The id, groups, flags and names of each parameter; the first name with a value is used. Those of GROUP_IGNORED are never
 * read. X(id, groups, flags, names …) */
/* clang-format off */
#define PARAM_LIST(X) \
	X(PARAM_KEY, GROUP_KEY, 0, SLICE("api_key")) \
	X(PARAM_CAMPAIGN, GROUP_CAMPAIGN, 0, SLICE("campaign_id"), SLICE("campaignId"), SLICE("list_id"), SLICE("__lid")) \
	X(PARAM_CALLBACK, GROUP_CALLBACK, 0, SLICE("jsonp")) \
	X(PARAM_PASSWORD, GROUP_PASSWORD, 0, SLICE("password")) \
	X(PARAM_ANSWER, GROUP_ANSWER, PARAM_INFORMS, SLICE("__answer")) \
	X(PARAM_CODE, GROUP_CODE, 0, SLICE("code")) \
	X(PARAM_PAGE_URL, GROUP_SIGNUP, PARAM_INFORMS, SLICE("__url")) \
	X(PARAM_TOKEN, GROUP_LEAD | GROUP_ACTION | GROUP_LEADERS | GROUP_OWNER, 0, SLICE("__token")) \
	X(PARAM_SOCIAL_ID, GROUP_LEAD | GROUP_ACTION, 0, SLICE("social_id"), SLICE("kid")) /* the id of one lead */ \
	X(PARAM_EMAIL, GROUP_SIGNUP | GROUP_LEAD, 0, SLICE("email")) \
	X(PARAM_STRICT, GROUP_SIGNUP, 0, SLICE("__strict")) \
	X(PARAM_PHONE_NUMBER, GROUP_SIGNUP | GROUP_LEAD, 0, SLICE("phone_number")) \
	X(PARAM_COUNTRY_CODE, GROUP_SIGNUP | GROUP_LEAD | GROUP_LEADS, 0, SLICE("country_code")) \
	X(PARAM_MUST_EXIST, GROUP_SIGNUP, 0, SLICE("must_exist")) \
	X(PARAM_KEEP_OPT_OUT, GROUP_SIGNUP, 0, SLICE("__do_not_reset_opt_out")) \
	X(PARAM_SIGNUP_ID, GROUP_SIGNUP, 0, SLICE("social_id"), SLICE("kid"), SLICE("__kid")) /* the lead to update, or its referrer */ \
	X(PARAM_IP, GROUP_SIGNUP, PARAM_INFORMS, SLICE("ip")) \
	X(PARAM_REFERRER, GROUP_SIGNUP, PARAM_INFORMS, SLICE("__referrer"), SLICE("__ref"), SLICE("referrer")) \
	X(PARAM_SESSION_ID, GROUP_SIGNUP, PARAM_INFORMS, SLICE("__sid"), SLICE("__session_id")) \
	X(PARAM_USER_AGENT, GROUP_SIGNUP, PARAM_INFORMS, SLICE("__user_agent")) \
	X(PARAM_LANGUAGE, GROUP_SIGNUP, PARAM_INFORMS, SLICE("__language")) \
	X(PARAM_SIGNUP_SOURCE, GROUP_SIGNUP, PARAM_INFORMS, SLICE("__source")) \
	X(PARAM_PROOF, GROUP_BOTS, 0, SLICE("altcha")) \
	X(PARAM_STAMP, GROUP_BOTS | GROUP_CONFIRM | GROUP_ONE_CLICK, PARAM_INFORMS, SLICE("__stamp")) \
	X(PARAM_REQUEST_ID, GROUP_SIGNUP, PARAM_INFORMS, SLICE("__rid")) \
	X(PARAM_UID, GROUP_SIGNUP, 0, SLICE("__uid")) \
	X(PARAM_REDIRECT_URL, GROUP_SIGNUP, 0, SLICE("redirect_url")) \
	X(PARAM_SKIP_URLS, GROUP_VIEW, 0, SLICE("__skip_urls")) \
	X(PARAM_SKIP_ACTIONS, GROUP_VIEW, 0, SLICE("__skip_actions")) \
	X(PARAM_LIMIT, GROUP_LEADERS | GROUP_FILTER, 0, SLICE("limit")) \
	X(PARAM_LEADER_ID, GROUP_LEADERS, 0, SLICE("social_id")) /* the social id of `me` */ \
	X(PARAM_LEAD_DESCRIPTION, GROUP_LEADERS, 0, SLICE("lead_description")) \
	X(PARAM_AVATAR_DEFAULT, GROUP_LEADERS, 0, SLICE("avatar_default")) \
	X(PARAM_CURSOR, GROUP_FILTER, 0, SLICE("cursor")) \
	X(PARAM_VERIFIED, GROUP_FILTER, 0, SLICE("verified")) \
	X(PARAM_WAITLISTED, GROUP_FILTER, 0, SLICE("waitlisted")) \
	X(PARAM_FRAUDULENT, GROUP_FILTER, 0, SLICE("fraudulent")) \
	X(PARAM_OPTED_OUT, GROUP_FILTER, 0, SLICE("opted_out")) \
	X(PARAM_SINCE, GROUP_FILTER, 0, SLICE("since")) \
	X(PARAM_POINTS, GROUP_SIGNUP_POINTS | GROUP_POINTS, 0, SLICE("points")) \
	X(PARAM_EMAILS, GROUP_LEADS, PARAM_REPEATABLE, SLICE("email"), SLICE("emails")) \
	X(PARAM_PHONE_NUMBERS, GROUP_LEADS, PARAM_REPEATABLE, SLICE("phone_number"), SLICE("phone_numbers")) \
	X(PARAM_SOCIAL_IDS, GROUP_LEADS, PARAM_REPEATABLE, SLICE("social_id"), SLICE("social_ids"), SLICE("kid")) \
	X(PARAM_MESSAGE, GROUP_POINTS, 0, SLICE("message")) \
	X(PARAM_ACTION_ID, GROUP_ACTION, 0, SLICE("aid")) \
	X(PARAM_DATA, GROUP_ACTION, PARAM_STRUCTURED, SLICE("data")) \
	X(PARAM_TAG_ID, GROUP_TAG | GROUP_INBOUND, 0, SLICE("tag_id")) \
	X(PARAM_TAG, GROUP_TAG | GROUP_FILTER, 0, SLICE("tag")) \
	X(PARAM_TAG_IDS, GROUP_TAGS, PARAM_REPEATABLE, SLICE("tag_ids")) \
	X(PARAM_CHANNEL, GROUP_CHANNEL, 0, SLICE("channel")) \
	X(PARAM_REASON, GROUP_REASON, 0, SLICE("reason")) \
	X(PARAM_URL, GROUP_WEBHOOK_URL | GROUP_INBOUND_NAME, 0, SLICE("url")) \
	X(PARAM_EVENTS, GROUP_WEBHOOK, PARAM_REPEATABLE, SLICE("event"), SLICE("events")) \
	X(PARAM_SOURCE, GROUP_WEBHOOK | GROUP_INBOUND, 0, SLICE("source")) \
	X(PARAM_FORMAT, GROUP_WEBHOOK, 0, SLICE("format")) \
	X(PARAM_ID, GROUP_INBOUND_NAME, 0, SLICE("id")) \
	X(PARAM_NAME, GROUP_INBOUND | GROUP_INBOUND_NAME, 0, SLICE("name")) \
	X(PARAM_MAP, GROUP_INBOUND, PARAM_STRUCTURED, SLICE("map")) \
	X(PARAM_ROTATE, GROUP_INBOUND, 0, SLICE("rotate")) \
	X(PARAM_REJECT, GROUP_CONFIRM, 0, SLICE("reject")) \
	X(PARAM_ONE_CLICK, GROUP_ONE_CLICK, PARAM_INFORMS, SLICE("List-Unsubscribe")) \
	X(PARAM_ACTION, GROUP_IGNORED, 0, SLICE("action")) \
	X(PARAM_CONTROLLER, GROUP_IGNORED, 0, SLICE("controller")) \
	X(PARAM_IP_ADDRESS, GROUP_IGNORED, 0, SLICE("ip_address")) \
	X(PARAM_KOLID, GROUP_IGNORED, 0, SLICE("kolid")) \
	X(PARAM_LANDING_PAGE_ID, GROUP_IGNORED, 0, SLICE("landing_page_id")) \
	X(PARAM_SKIP_AR, GROUP_IGNORED, 0, SLICE("skip_ar"))
/* clang-format on */

#define PARAM_ID(id, ...) id,
enum param_id { PARAM_LIST(PARAM_ID) PARAMS };
#undef PARAM_ID

enum { PARAM_NAMES_MAX = 4 };

struct param {
	struct slice names[PARAM_NAMES_MAX];
	unsigned groups, flags;
};
extern const struct param param_table[PARAMS];

static inline bool
param_has_name(const struct param *parameter, size_t i)
{
	return i < PARAM_NAMES_MAX && slice_present(parameter->names[i]);
}

/* Its only name, or its first one. */
static inline struct slice
param_name(enum param_id id)
{
	return param_table[id].names[0];
}

/* How the parser reads the names of parameters on this route. Repeated values of a PARAM_REPEATABLE become an array; those of
 * GROUP_LEADS and GROUP_TAGS only in bulk calls (docs/api.md 1.1). */
struct http_names param_names(const struct route *route);
/* Whether a name, in upper or lower case, is one of GROUPS_RESERVED. */
bool param_is_reserved(struct slice name);
/* Whether a name in lower case is one of PARAM_INFORMS. */
bool param_informs(struct slice lower_name);
