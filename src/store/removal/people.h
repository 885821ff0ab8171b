/* SPDX-License-Identifier: MIT
 * Finds what is stored about a person (docs/operating.md 7.4): the leads with an address, and what else has it.
 *
 * Results are in the caller's pool. Functions fail as store.h says. */
#ifndef LEADHOOK_STORE_REMOVAL_PEOPLE_H
#define LEADHOOK_STORE_REMOVAL_PEOPLE_H

#include "store/removal/pattern.h"
#include "store/store.h"

struct person {
	uint64_t campaign_id; /* 0: in every campaign */
	enum lead_channel channel;
	struct slice address; /* email key or number (docs/api.md 4.2) */
	struct slice typed;   /* the same as the operator wrote it */
};

/* All leads with the address. */
MUST_CHECK enum result store_find_leads_of(
    struct store *store, struct pool *pool, const struct person *person, struct lead **leads, size_t *count);
/* Patterns of the address: of its key, as the operator wrote it, and as these leads did. */
struct address_patterns store_address_patterns(
    struct pool *pool, const struct person *person, const struct lead *leads, size_t lead_count);

/* Leads of others whose own data have the address, such as a custom field. They stay as they are. */
struct mention {
	uint64_t campaign_id;
	struct slice social_id;
};
enum { MENTIONS_MAX = 100 };
/* Reads all leads. *mentions: at most MENTIONS_MAX. */
MUST_CHECK enum result store_find_mentions(
    struct store *store, struct pool *pool, const struct person *person, struct mention **mentions, size_t *count);

/* A part of what is stored about a lead: JSON objects. */
struct report_section {
	const char *name;
	struct slice *items;
	size_t count;
};
enum { REPORT_SECTIONS = 7 };
/* What has the address and is of none of these leads: events, messages, logged calls and jobs. Reads these tables. */
enum { REPORT_FOUND_SECTIONS = 4 };
MUST_CHECK enum result store_report_found(struct store *store, struct pool *pool, const struct person *person,
    const struct lead *leads, size_t lead_count, struct report_section report[REPORT_FOUND_SECTIONS]);
MUST_CHECK enum result store_report_lead(
    struct store *store, struct pool *pool, uint64_t lead_id, struct report_section report[REPORT_SECTIONS]);

#endif
