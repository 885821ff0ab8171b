/* SPDX-License-Identifier: MIT
 * A person whose rows are searched for: the spellings of the address, the person's leads, and how rows relate to the person.
 * Internal to src/store/removal. */
#pragma once

#include "identity/address_finder.h"
#include "store/removal/address_search.h"
#include "store/removal/people.h"
#include "webhook/delivery.h"

/* The spellings of a person's address, one per line: its key, the address as the operator wrote it, and as these leads wrote
 * it. */
struct slice store_address_spellings(struct pool *pool, const struct person *person, const struct person_found *found);
struct address_finder *store_address_finder(struct pool *pool, enum lead_channel channel, struct slice spellings);

struct person_lead {
	uint64_t id;
	struct slice social_id;
};
/* One address may belong to a lead in each of very many campaigns. */
struct wanted {
	enum lead_channel channel;
	const struct address_finder *finder;
	struct pool *pool;         /* of the leads */
	struct person_lead *leads; /* in the order in which they were added */
	size_t count, capacity;
	struct id_set ids;        /* ids of the leads */
	struct slice *social_ids; /* social ids of the leads, sorted */
};

/* The person, with those of these leads that are the person's own. In the pool. */
struct wanted wanted_of(struct pool *pool, const struct person *person, const struct person_found *found);
/* Adds copies of the leads that are new. Returns false if there are none. */
bool wanted_add(struct wanted *wanted, const struct person_lead *leads, size_t count);
/* As above, with those of these leads that are the person's own. */
bool wanted_add_own(struct wanted *wanted, const struct person_found *found);

/* The leads in their stored form, in order: separated by commas, absent if there are none. In the pool. */
struct slice wanted_ids_text(struct pool *pool, const struct wanted *wanted);
struct slice wanted_social_ids_text(struct pool *pool, const struct wanted *wanted);
/* The reverse: adds stored leads to a person without leads. */
void wanted_read(struct wanted *wanted, struct slice ids, struct slice social_ids);

/* How a row relates to a person (docs/operating.md 7.4), for reports and erasures alike. Any visitor can write any address into
 * their own data: a row that merely mentions it does not belong to the person. */
enum relation {
	RELATION_NONE,
	RELATION_OF_LEAD,  /* belongs to a lead of the person: shown with the lead, and deleted */
	RELATION_OWN,      /* was for the person's address, or contains it and belongs to no lead: shown, and deleted */
	RELATION_NAMED,    /* what a referrer got because the person signed up; it names the person */
	RELATION_MENTIONED /* data of another lead that contain the address: reports name the lead, the row stays as it is */
};
/* *social_id is set to that of the row's lead, in the pool, if the relation is RELATION_MENTIONED; for an event of the person
 * it may be absent: not known. */
MUST_CHECK enum relation wanted_relation(const struct wanted *wanted, struct pool *pool, enum searched_table table,
    const struct db_rows *rows, size_t row, struct slice *social_id);
