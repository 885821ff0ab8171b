/* SPDX-License-Identifier: MIT
 * What a column of CSV, or a member of a lead in NDJSON, means by its name (leadhook(1), lead import). */
#pragma once

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"
#include "transfer/consent.h"

enum lead_field {
	LEAD_EMAIL,
	LEAD_PHONE,
	LEAD_COUNTRY_CODE,
	LEAD_SOCIAL_ID,
	LEAD_REFERRED_BY, /* social id or email address */
	LEAD_CREATED,
	LEAD_NUMBER,
	LEAD_VERIFIED,
	LEAD_VERIFIED_EMAIL,
	LEAD_VERIFIED_PHONE,
	LEAD_CLAIMED,
	LEAD_OPTED_OUT,
	LEAD_SMS_OPTED_OUT,
	LEAD_WAITLISTED,
	LEAD_FRAUDULENT,
	LEAD_SCORE,
	LEAD_IP,
	LEAD_SOURCE,
	LEAD_USER_AGENT,
	LEAD_UID,
	LEAD_PAGE_REFERRER,
	LEAD_SIGNUP_URL,
	LEAD_LANGUAGE,         /* a tag; any other text is a custom field */
	LEAD_TEXTS,            /* how many fields there are above */
	LEAD_UTM = LEAD_TEXTS, /* one of the utm parameters */
	LEAD_UTM_OBJECT,       /* NDJSON: all of them */
	LEAD_TAG_NAMES,        /* names of tags, and texts of actions, that the lead has: in CSV one record of them */
	LEAD_ACTION_TEXTS,
	LEAD_CUSTOM,        /* a custom field */
	LEAD_CUSTOM_OBJECT, /* NDJSON: all of them */
	LEAD_OTHER_FIELDS,  /* CSV: utm parameters and custom fields as members of NDJSON */
	LEAD_DERIVED_NAME,  /* NDJSON: a custom field, unless there is an object of them */
	LEAD_IGNORED        /* it is derived from other fields */
};

#define OTHER_FIELDS_NAME "__fields"

/* What a value means, in a column about consent. */
#define VALUE_OTHER "*" /* any value that is not empty and has no rule of its own */
struct value_rule {
	struct slice value; /* as plain words, or VALUE_OTHER */
	enum value_meaning meaning;
};

struct column {
	enum lead_field field;
	struct slice name; /* name of a utm parameter or custom field; present for LEAD_REFERRED_BY if the value may also be
			    * a page; otherwise absent */
	/* The meanings of its values; the values are not used for anything else, and a value without a meaning makes a row
	 * invalid. NULL: none. */
	const struct value_rule *rules;
	size_t rule_count;
	bool is_guess;      /* a custom field only because nothing tells what it is */
	bool may_be_state;  /* likewise, and its name suggests the state of something */
	bool may_be_switch; /* likewise, and it may be about consent if all its values are yes or no */
	bool needs_meaning; /* likewise, and its name or values are about consent: the operator must specify what they mean */
};

/* What the name of a member of NDJSON means, as in column_of_member; LEAD_CUSTOM for a name without a meaning. Allocates
 * nothing. */
enum lead_field lead_field_of_member(struct slice name);
/* Whether a field is only informative: it is cut and cleaned rather than refused (docs/api.md 1.6). */
bool lead_field_informs(enum lead_field field);
/* The column of a name in a heading. Case, spaces and hyphens do not matter for fields of leads. The result is in the pool. */
struct column column_of(struct pool *pool, struct slice name);
/* Likewise for a member of NDJSON, named as in payloads, where `referrer` is a URL. */
struct column column_of_member(struct pool *pool, struct slice name);
/* The column of a heading of CSV, including the names that common exports use. */
struct column column_of_heading(struct pool *pool, struct slice heading);
/* The column that an operator names: a name as above, or `-` for LEAD_IGNORED. */
struct column column_mapped(struct pool *pool, struct slice word);
/* The meaning that the rule gives to exactly this value, which is plain words or VALUE_OTHER; MEANS_UNKNOWN if there is
 * none. */
enum value_meaning column_rule(const struct column *column, struct slice value);
/* What a value means by all rules of its column; MEANS_UNKNOWN if they do not say. VALUE_OTHER never makes a word such as
 * "unsubscribed" mean an active lead. */
enum value_meaning column_meaning(struct pool *pool, const struct column *column, struct slice value);
/* What a value of a column about consent suggests; `plain` is the value as plain words. In a column of refusals, everything
 * except a no is a yes, for example the time or the reason. */
enum value_meaning column_suggest_meaning(struct slice value, struct slice plain, enum consent_column kind);
/* "email", …: for messages. */
struct slice lead_field_name(enum lead_field field);
