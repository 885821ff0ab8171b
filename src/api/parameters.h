/* SPDX-License-Identifier: MIT
 * The table of parameters: their names, the calls that read them, and the failures of bad values
 * (docs/api.md 4). */
#ifndef LEADHOOK_API_PARAMETERS_H
#define LEADHOOK_API_PARAMETERS_H

#include "api/call.h"
#include "engine/events.h"
#include "identity/email.h"
#include "identity/phone.h"

/* Parameters that are read together. A call reads one or more groups. */
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
	GROUP_TAG = 1 << 9, /* details of bulk calls, as the next two */
	GROUP_CHANNEL = 1 << 10,
	GROUP_REASON = 1 << 11,
	GROUP_FILTER = 1 << 12,
	GROUP_LEADERS = 1 << 13,
	GROUP_WEBHOOK_URL = 1 << 14,
	GROUP_WEBHOOK = 1 << 15,
	GROUP_IGNORED = 1 << 17, /* ignored */
	GROUP_PASSWORD = 1 << 18,
	GROUP_ACTION = 1 << 19,       /* an action of a lead, completed from a page */
	GROUP_INBOUND = 1 << 20,      /* of an inbound webhook */
	GROUP_INBOUND_NAME = 1 << 21, /* which one */
	GROUP_TAGS = 1 << 22,         /* the tags of bulk calls for several */
	GROUP_CODE = 1 << 23,
	GROUP_OWNER = 1 << 24,     /* the token of a lead, which the caller owns */
	GROUP_ANSWER = 1 << 25,    /* how a form is answered */
	GROUP_BOTS = 1 << 26,      /* docs/api.md 8 */
	GROUP_CONFIRM = 1 << 27,   /* the button of a page that a mail links to */
	GROUP_ONE_CLICK = 1 << 28, /* a POST to an opt-out link */
	GROUPS_RESERVED = GROUP_KEY | GROUP_CAMPAIGN | GROUP_CALLBACK | GROUP_SIGNUP | GROUP_SIGNUP_POINTS | GROUP_IGNORED |
			  GROUP_ANSWER | GROUP_BOTS /* not custom fields */
};

/* The events of a webhook, without duplicates, in the given order. */
struct subscription {
	uint32_t events; /* EVENT_BITs */
	enum event_type order[EVENT_TYPES];
	size_t count;
};

/* Filled by call_read. Absent slices were not given. */
struct arguments {
	struct signup signup;
	struct payload_view view;
	struct lead_reference lead;
	struct lead_reference own;      /* the lead whose token was given; its value is absent: none */
	struct http_value *typed_leads; /* up to the setting bulk_items */
	size_t typed_lead_count;        /* including those beyond the setting */
	enum lead_identity identity;    /* of all leads … */
	bool mixed_identities;          /* … unless they have several */
	struct lead_reference *leads;   /* without the malformed ones */
	size_t lead_count;
	struct email email;
	struct slice phone_number, country_code; /* as typed */
	bool strict;                             /* a bad number is an error, also beside an email address */
	enum phone_fault ignored_phone;          /* why the number is left out; PHONE_GOOD: it is not */
	struct slice social_id, url_kid;         /* as typed, in the request and in the query of `__url` */
	bool referrer_only;                      /* the social id was given as `__kid` */
	bool has_points;                         /* signup.points were given */
	struct slice message;
	uint64_t action_id; /* 0: not given */
	uint64_t *tag_ids;  /* each once */
	size_t tag_count;
	struct slice argument;                         /* as in struct bulk_request */
	size_t limit;                                  /* of a list; 0: not given */
	struct slice lead_description, avatar_default; /* as in struct standing_style */
	struct lead_filter filter;
	struct slice code;         /* as typed */
	struct slice proof, stamp; /* docs/api.md 8, as typed */
	bool trapped;              /* the honeypot of the form is filled */
	struct slice url, source, format;
	struct subscription subscription;
	struct inbound_put inbound; /* without campaign, hash and maximum */
	struct slice name;
	uint64_t id;
	bool reject;
	struct slice one_click; /* RFC 8058 3.1, as sent */
};

enum parameter_flag {
	PARAMETER_NEEDS_CHANGE = 1 << 0,      /* ignored without RIGHT_CHANGE */
	PARAMETER_ONLY_FROM_URL = 1 << 1,     /* read only from the query of `__url`, from which no other is read */
	PARAMETER_REPEATABLE = 1 << 2,        /* may be given several times: the values make an array */
	PARAMETER_UNLESS_IDENTIFIED = 1 << 3, /* GROUP_LEAD: ignored when a parameter before it identifies the lead */
	PARAMETER_BAD_IS_TRUE = 1 << 4,       /* of booleans: a bad value is true */
	PARAMETER_INFORMS = 1 << 5,           /* never an error: cut and made valid, and what is not text is left out */
	PARAMETER_STRUCTURED = 1 << 6         /* may be an object: each leaf is a parameter `name[member]` */
};

/* The beginning of parameters of the sign-up that are not in the table (docs/api.md 4.4). */
#define UTM_PREFIX "utm_"

struct parameter;
typedef bool parameter_reader(struct call *call, const struct parameter *parameter, struct arguments *arguments);

enum { PARAMETER_NAMES_MAX = 4, BULK_TAGS_MAX = 50 };

/* A parameter, or without a name a function that checks the parameters before it together, or computes values from them. */
struct parameter {
	struct slice names[PARAMETER_NAMES_MAX]; /* the first with a value is used */
	unsigned groups, flags;
	parameter_reader *read; /* NULL: not by call_read */
	size_t member;          /* offset in struct arguments */
	/* For texts: checks or parses the value. With neither, all texts are valid. */
	bool (*is_valid)(struct slice text);
	bool (*parse)(struct call *call, struct slice text, void *member); /* also stores the parsed value */
	/* for a bad value: FAILURE_INVALID_PARAMETER with this text, such as "must be a number"; NULL: `failure` */
	const char *requirement;
	enum failure failure;
	enum lead_identity identity; /* GROUP_LEADS */
};

/* All of them, in the order in which they are read. */
const struct parameter *api_parameters(size_t *count);

/* Reads the parameters of these groups. False: the call has failed, as in all functions below. */
MUST_CHECK bool call_read(struct call *call, unsigned groups, struct arguments *arguments);
/* The lead as JSON, with a member `ignored` if something of the sign-up was left out (docs/api.md 4.4). */
struct slice call_note_ignored(struct call *call, const struct arguments *arguments, struct slice lead);
/* Reads the one parameter of the group. */
MUST_CHECK bool call_read_text(struct call *call, enum parameter_group group, struct slice *text);

/* How the parser reads names, from the table. Several values are collected of names of PARAMETER_REPEATABLE, on bulk calls of
 * those of GROUP_LEADS and GROUP_TAGS, too (docs/api.md 1.1). */
struct http_names call_names(const struct call *call);
/* Whether a name in lower case is one of GROUPS_RESERVED. */
bool parameter_is_reserved(struct slice lower_name);
/* Whether it is one of PARAMETER_INFORMS. */
bool parameter_informs(struct slice lower_name);
/* Whether it is one of PARAMETER_ONLY_FROM_URL. */
bool parameter_is_from_url(struct slice name);

static inline bool
parameter_has_name(const struct parameter *parameter, size_t i)
{
	return i < PARAMETER_NAMES_MAX && slice_present(parameter->names[i]);
}

/* A parameter of the request as a text: strings, and numbers as they were written; empty and null are absent. A boolean or an
 * array is bad. */
MUST_CHECK bool call_param_text(struct call *call, const struct http_param *param, struct slice *text);
/* Reads the first name that has a value; later ones are ignored. */
MUST_CHECK bool call_first_text(
    struct call *call, const struct parameter *parameter, const struct http_param **given, struct slice *text);
/* The part of a header that is valid text; absent: there is none. */
struct slice call_header_text(struct call *call, struct slice header);
/* Returns the items of an array, or a single value; empty and null are none. */
size_t call_values(const struct call *call, struct slice name, const struct http_value **values);

/* Readers, and functions of rows without a name, in identifiers.c, signup_fields.c, and in handlers. */
parameter_reader call_read_owner, call_parse_phone, call_name_lead, call_read_social_id, call_choose_subject, call_read_leads,
    call_check_leads, call_parse_leads;
parameter_reader call_read_signup_url, call_default_signup, call_read_custom_fields;
parameter_reader call_judge_url, call_read_events;
parameter_reader call_read_data;
parameter_reader call_read_inbound_source, call_read_inbound_tag, call_read_map;
parameter_reader call_read_tag_ids;

#endif
