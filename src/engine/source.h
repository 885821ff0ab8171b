/* SPDX-License-Identifier: MIT
 * Where leads come from, in classes and by value, for statistics (docs/statistics.md 2). */
#pragma once

#include "engine/command.h"

/* As in `leads.source_class` and `lead_hours.source_class`: new ones are added at the end. */
enum source_class {
	SOURCE_UNKNOWN,  /* stands for classes of a later version */
	SOURCE_DIRECT,   /* none of the others */
	SOURCE_LINK,     /* a link to the form on a page of another host */
	SOURCE_CAMPAIGN, /* utm parameters */
	SOURCE_REFERRAL, /* another lead */
	SOURCE_INBOUND,  /* a payload of an inbound webhook */
	SOURCE_IMPORT,   /* a file */
	SOURCE_CLASSES
};

/* "unknown", "direct", … */
extern const struct slice source_class_names[SOURCE_CLASSES];

/* The class of a new lead, from its stored fields and its sign-up. It is stored, and never changes. */
enum source_class source_of_signup(struct pool *pool, const struct lead *lead, const struct signup *signup);

/* As in `lead_sources.kind`: new ones are added at the end. SOURCE_REFUSED counts sign-ups that a limit refused instead of
 * leads. */
enum source_kind { SOURCE_UTM_SOURCE, SOURCE_UTM_MEDIUM, SOURCE_UTM_CAMPAIGN, SOURCE_SITE, SOURCE_REFUSED, SOURCE_KINDS };
enum { SOURCE_VALUE_MAX = 100 /* bytes */ };

/* "utm_source", … */
extern const struct slice source_kind_names[SOURCE_KINDS];

/* Sets `values` to the value of each kind, in UTF-8. A value is absent if the lead has none, and empty if it is not counted by
 * itself because it may be a person's address. In the pool, or part of the lead. Reads `utm`, `referrer`, `signup_url` and
 * `source_class`. */
void source_values(struct pool *pool, const struct lead *lead, struct slice values[SOURCE_KINDS]);
