/* SPDX-License-Identifier: MIT
 * Transactions that are repeated after conflicts, the order of locks, and the locks that changes of a campaign begin with.
 *
 * A transaction owns the pool of each of its runs. It can end with any result of db/db.h: RESULT_CONFLICT after the last
 * attempt, RESULT_UNKNOWN when the answer of a COMMIT was lost, RESULT_FAILED, logged, when the schema is not that of this
 * program. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"
#include "base/result.h"
#include "store/store.h"

/* The order of locks. A transaction that locks rows of several tables does so in this order, and rows of one table in the order
 * of their primary key:
 *
 *   accounts
 *   campaign_counters
 *   campaigns, tags, actions, reward_levels, campaign_texts
 *   bulk_jobs
 *   leads, lead_hours, score_histogram, ip_leads, score_entries, deleted_leads, referral_links, lead_sources
 *   bulk_schedule
 *   dispatch_shards
 *   due
 *   webhooks
 *   webhook_status
 *   deliveries
 *   webhook_hours
 *   inbound_status
 *   inbound_calls
 *   erasures, removed_campaigns
 *   users
 *   operator_jobs
 *
 * The lock of campaign_counters comes before everything else of a campaign: two transactions that change it wait there and
 * not later. Only these run without it: changes of the dispatcher's rows, from dispatch_shards on; the log of inbound
 * calls; jobs of operators; delaying and skipping bulk jobs (bulk_jobs, bulk_schedule); recording end times (campaigns);
 * removing the rows of deleted leads (score_entries, deleted_leads, inbound_calls), and of those of removed campaigns and
 * webhooks (lead_hours, lead_sources, webhook_hours).
 *
 * Sessions, invitations, recovery codes and failed logins of a user are locked, in any order, while the user's row is locked,
 * or alone in a transaction of their own.
 *
 * Codes of leads are locked in a transaction of their own, one row at a time; expired ones are removed without other locks,
 * those of deleted leads after score_entries, inbound_calls and messages.
 *
 * Sendings of mails are locked after the message that was sent, those of texts after the row of their channel and before the
 * message; the installation's row always first. A heartbeat is locked by itself.
 *
 * New rows with an id or a random key of their own are inserted at any point: events, due, attempts, commit_tokens, audit.
 * id_blocks is locked in a transaction of its own, or after all others, before an insert.
 *
 * store_fail_pending locks rows of due in the order of their times, but only of removed webhooks; a conflict
 * is repeated.
 *
 * The secret of the installation is locked for reading before a secret is written, at any point: the transaction that changes
 * it locks no row of these tables.
 *
 * A change that needs an earlier table afterwards uses a transaction of its own (store_deactivate_webhook after
 * store_record_outcomes). tests/store/test_lock_order.c tests the order. */

enum repeat {
	REPEAT_CONFLICT, /* repeated only while it is certain that nothing was committed; otherwise RESULT_UNKNOWN */
	REPEAT_UNKNOWN,  /* always repeated: the body is idempotent or detects an earlier commit */
	REPEAT_NOTHING   /* not repeated here: the caller repeats it */
};

/* A transaction on this program's schema, as a loop: its body is run again after a conflict, STORE_ATTEMPTS times in all. Do
 * not leave it by break or return. */
struct transaction {
	struct store *store;
	enum repeat repeat;
	struct pool *pool; /* belongs to this run */
	/* set by the loop's body: RESULT_OK commits, anything else rolls back. After the loop: the result of the last run,
	 * which may be RESULT_CONFLICT */
	enum result result;
	unsigned attempt;
	bool unknown; /* a run may have been committed */
};
struct transaction store_transaction(struct store *store, enum repeat repeat);
/* Ends the last run and begins the next one. Returns false when there is no next one. */
bool store_runs(struct transaction *txn);

/* Ends a transaction without repeating it, for batches, which repeat by their own rules. Commits when `so_far` is RESULT_OK,
 * otherwise rolls back. Returns the result of the transaction. */
MUST_CHECK enum result store_finish(struct store *store, enum result so_far);
/* Waits before the `attempt`-th repetition (from 1) after a conflict: a random time, longer with each attempt. */
void store_back_off(unsigned attempt);
enum { STORE_ATTEMPTS = 5 };

/* Locks the campaign's counters until the transaction ends. Batches take the same lock: those already running end first, later
 * ones wait. RESULT_NOT_FOUND: no such campaign. */
MUST_CHECK enum result store_lock_counters(struct store *store, struct pool *pool, uint64_t campaign_id);

/* Locks the campaign's counters for a change of what its sign-ups depend on: settings, webhooks, definitions. Processes cache
 * these while their version stays the same (campaign_cache.c), so every change of them begins with this call. RESULT_OUTDATED:
 * the precondition does not hold. */
MUST_CHECK enum result store_lock_settings(struct store *store, uint64_t campaign_id, const struct precondition *precondition);
