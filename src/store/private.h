/* SPDX-License-Identifier: MIT
 * What the files of this folder share. Nobody else includes it. */
#ifndef LEADHOOK_STORE_PRIVATE_H
#define LEADHOOK_STORE_PRIVATE_H

#include "core/decide.h"
#include "db/db.h"
#include "store/statements.h"
#include "store/store.h"

/* Where blocks of ids come from; the order of id_names. */
enum id_kind { ID_ACCOUNT, ID_API_KEY, ID_CAMPAIGN, ID_WEBHOOK, ID_LEAD, ID_EVENT, ID_DELIVERY, ID_ATTEMPT, ID_KINDS };

struct store {
	struct store_options options;
	struct db_options db_options;
	struct db *db;
	struct id_range ids[ID_KINDS];
	/* from the database, read once */
	struct pool *facts;
	bool has_facts;
	bool told_schema; /* that it is another one */
	struct slice installation_id;
	struct payload_settings payload;
};

/* Makes sure that at least `count` ids of the kind are at hand, in a transaction of its own: not to be called inside one.
 * RESULT_UNAVAILABLE also when others were faster every time. */
MUST_CHECK enum result store_reserve_ids(struct store *store, enum id_kind kind, uint64_t count);
/* One id inside a transaction, where it is not worth a block. */
MUST_CHECK enum result store_next_id(struct store *store, struct pool *pool, enum id_kind kind, uint64_t *id);

/* Makes sure of the schema, reads installation id and secret; once. RESULT_FAILED, logged, when they are not as they must
 * be. */
MUST_CHECK enum result store_read_facts(struct store *store);

/* A statement that must change exactly one row; otherwise RESULT_NOT_FOUND. */
MUST_CHECK enum result store_change_one(
    struct store *store, enum statement statement, const struct db_value *values, size_t count);
/* Whether a statement answers a row. RESULT_NOT_FOUND otherwise. */
MUST_CHECK enum result store_exists(struct store *store, enum statement statement, const struct db_value *values, size_t count);

/* What happens between BEGIN and the end of a transaction. It may be run several times; `pool` is of this time alone. */
typedef enum result transaction_body(struct store *store, struct pool *pool, void *context);

enum repeat {
	REPEAT_CONFLICT, /* once it may have been done it is left at that: RESULT_UNKNOWN */
	REPEAT_UNKNOWN   /* doing it twice is the same as doing it once, or the body notices */
};

/* Runs a transaction on the schema of this program, and again when it lost against others, STORE_ATTEMPTS times in all. Commits
 * when the body answers RESULT_OK, else rolls back. Answers what the last time came to: also RESULT_CONFLICT. */
MUST_CHECK enum result store_transact(struct store *store, transaction_body *body, void *context, enum repeat repeat);

/* The parts of it, for batches, which go by the time that the request has left.
 * Commits when all went well so far, else rolls back. Answers what the transaction came to. */
MUST_CHECK enum result store_finish(struct store *store, enum result so_far);
/* Waits before the `attempt`-th repetition (from 1) of a transaction that lost against others: a random moment that grows. */
void store_back_off(unsigned attempt);
enum { STORE_ATTEMPTS = 5 };

struct lead store_lead_from_row(const struct db_rows *rows, size_t row);
struct campaign store_campaign_from_row(const struct db_rows *rows, size_t row);
enum webhook_state store_webhook_state(struct slice name);
bool store_is_form(struct slice format);

#endif
