/* SPDX-License-Identifier: MIT
 * What stored rows are to a person. Internal to src/store/removal. */
#pragma once

#include "store/removal/search.h"
#include "store/removal/wanted.h"

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
MUST_CHECK enum relation store_relation(const struct wanted *wanted, struct pool *pool, enum searched_table table,
    const struct db_rows *rows, size_t row, struct slice *social_id);
