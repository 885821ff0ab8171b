/* SPDX-License-Identifier: MIT
 * Where leads come from, in classes and by value, for statistics (docs/statistics.md 2).
 *
 * The class of a lead is decided when it signs up, and stored. For leads from before that column it follows from other stored
 * fields, as far as these show it; LEAD_SOURCE_CLASS of store/statements.h is the same rule. */
#ifndef LEADHOOK_ENGINE_SOURCE_H
#define LEADHOOK_ENGINE_SOURCE_H

#include "engine/command.h"

/* As in `leads.source_class` and `lead_hours.source_class`: new ones are added at the end. */
enum source_class {
	SOURCE_UNKNOWN,  /* of a lead from before */
	SOURCE_DIRECT,   /* none of the others */
	SOURCE_LINK,     /* a page of another host had the link to the form */
	SOURCE_CAMPAIGN, /* utm parameters */
	SOURCE_REFERRAL, /* another lead */
	SOURCE_INBOUND,  /* a payload of an inbound webhook */
	SOURCE_IMPORT,   /* a file */
	SOURCE_CLASSES
};

/* "unknown", "direct", … */
extern const struct slice source_class_names[SOURCE_CLASSES];

/* Of a new lead; its fields are those that are stored. */
enum source_class source_of_signup(struct pool *pool, const struct lead *lead, const struct signup *signup);
/* Of a stored lead. May be a number of a later version, beyond SOURCE_CLASSES. */
enum source_class source_of_lead(const struct lead *lead);

/* As in `lead_sources.kind`: new ones are added at the end. SOURCE_REFUSED has no leads: sign-ups that a limit refused. */
enum source_kind { SOURCE_UTM_SOURCE, SOURCE_UTM_MEDIUM, SOURCE_UTM_CAMPAIGN, SOURCE_SITE, SOURCE_REFUSED, SOURCE_KINDS };
enum { SOURCE_VALUE_MAX = 100 /* bytes */ };

/* "utm_source", … */
extern const struct slice source_kind_names[SOURCE_KINDS];

/* The value of each kind, in UTF-8: absent where the lead has none, empty where it is not counted by itself, because it may
 * be an address of a person. In the pool, or part of the lead. Reads `utm`, `referrer`, `signup_url` and `source_class`. */
void source_values(struct pool *pool, const struct lead *lead, struct slice values[SOURCE_KINDS]);

#endif
