/* SPDX-License-Identifier: MIT
 * A person whose rows are searched: how the address is written, the person's leads, and what rows are to the person. Internal
 * to src/store/removal. */
#pragma once

#include "identity/address_finder.h"
#include "store/removal/people.h"
#include "store/removal/search.h"
#include "webhook/delivery.h"

/* How a person's address is written, one a line: its key, as the operator wrote it, and as these leads did. */
struct slice store_address_spellings(struct pool *pool, const struct person *person, const struct person_found *found);
struct address_finder *store_address_finder(struct pool *pool, enum lead_channel channel, struct slice spellings);

struct person_lead {
	uint64_t id;
	struct slice social_id;
};
/* One address may have a lead in each of very many campaigns. */
struct wanted {
	enum lead_channel channel;
	const struct address_finder *finder;
	struct pool *pool;         /* of the leads */
	struct person_lead *leads; /* in the order in which they were added */
	size_t count, capacity;
	struct id_set ids;        /* of the leads */
	struct slice *social_ids; /* of the leads, sorted */
};

/* The person with its own of these leads. In the pool. */
struct wanted wanted_of(struct pool *pool, const struct person *person, const struct person_found *found);
/* Adds copies of those that are not among them. Returns false if all are. */
bool wanted_add(struct wanted *wanted, const struct person_lead *leads, size_t count);
/* The same with the person's own of these leads. */
bool wanted_add_own(struct wanted *wanted, const struct person_found *found);
MUST_CHECK bool wanted_has_social_id(const struct wanted *wanted, struct slice social_id);

/* The leads as they are stored, in their order: separated by commas, absent if there are none. In the pool. */
struct slice wanted_ids_text(struct pool *pool, const struct wanted *wanted);
struct slice wanted_social_ids_text(struct pool *pool, const struct wanted *wanted);
/* The reverse, of a person without leads. */
void wanted_read(struct wanted *wanted, struct slice ids, struct slice social_ids);

/* What a row is to a person (docs/operating.md 7.4), for reports and erasures alike. Every visitor can write any address into
 * data of their own: what merely mentions it is not the person's. */
enum relation {
	RELATION_NONE,
	RELATION_OF_LEAD,  /* of a lead of the person: shown with the lead, and deleted */
	RELATION_OWN,      /* for the person's address, or of no lead and with it: shown, and deleted */
	RELATION_NAMED,    /* what a referrer got because the person signed up, which names the person */
	RELATION_MENTIONED /* data of another lead that have the address: it is named, and stays as it is */
};
/* *social_id: of the lead whose the row is, in the pool, where the relation is RELATION_MENTIONED; of an event that is the
 * person's it may be absent: not known. */
MUST_CHECK enum relation wanted_relation(const struct wanted *wanted, struct pool *pool, enum searched_table table,
    const struct db_rows *rows, size_t row, struct slice *social_id);
