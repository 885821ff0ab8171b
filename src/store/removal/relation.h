/* SPDX-License-Identifier: MIT
 * What stored rows are to a person. Internal to src/store/removal. */
#ifndef LEADHOOK_STORE_REMOVAL_RELATION_H
#define LEADHOOK_STORE_REMOVAL_RELATION_H

#include "identity/address_finder.h"
#include "store/removal/people.h"
#include "store/removal/search.h"

/* How a person's address is written, one a line: its key, as the operator wrote it, and as these leads did. */
struct slice store_address_spellings(
    struct pool *pool, const struct person *person, const struct lead *leads, size_t lead_count);

/* A person whose rows are searched. */
struct wanted {
	enum lead_channel channel;
	const struct address_finder *finder; /* of these spellings */
	struct slice lead_ids, social_ids;   /* of the person's leads, separated by commas */
};
struct address_finder *store_address_finder(struct pool *pool, enum lead_channel channel, struct slice spellings);
/* The person with these leads. In the pool. */
struct wanted store_wanted(struct pool *pool, const struct person *person, const struct lead *leads, size_t count);
/* Returns false if the lead is one of them already. */
bool store_wanted_add(struct wanted *wanted, struct pool *pool, uint64_t lead_id, struct slice social_id);

/* What a row is to a person (docs/operating.md 7.4), for reports and erasures alike. Every visitor can write any address into
 * data of their own: what merely mentions it is not the person's. */
enum relation {
	RELATION_NONE,
	RELATION_OWN,      /* of a lead of the person, for its address, or of no lead and with it: it is shown, and deleted */
	RELATION_NAMED,    /* what a referrer got because the person signed up, which names the person */
	RELATION_MENTIONED /* data of another lead that have the address: it is named, and stays as it is */
};
/* *social_id: of the lead whose the row is, in the pool, where the relation is RELATION_MENTIONED; of an event also where it is
 * RELATION_OWN. Absent: not known. */
MUST_CHECK enum relation store_relation(const struct wanted *wanted, struct pool *pool, enum searched_table table,
    const struct db_rows *rows, size_t row, struct slice *social_id);

#endif
