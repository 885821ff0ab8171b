/* SPDX-License-Identifier: MIT
 * Reads that several files of the store share: leads by an identity, definitions.
 *
 * Rows, and what is made of them, are in the caller's pool. The reads return the result of the connection. */
#pragma once

#include "db/db.h"
#include "engine/command.h"
#include "engine/model.h"
#include "store/store.h"

/* Definitions of several campaigns, without descriptions; and those of one campaign from the rows, each kind by id. */
MUST_CHECK enum result store_query_definitions(
    struct store *store, struct pool *pool, struct db_list campaigns, struct db_rows *rows);
struct definitions store_definitions_from_rows(struct pool *pool, const struct db_rows *rows, uint64_t campaign_id);

/* Leads by that identity, with values from store_reference_value. */
MUST_CHECK enum result store_query_leads(
    struct store *store, struct pool *pool, enum lead_identity identity, struct db_list list, struct db_rows *rows);
