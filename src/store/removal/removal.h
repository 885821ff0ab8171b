/* SPDX-License-Identifier: MIT
 * Erases people and removes campaigns, in short transactions (docs/operating.md 7.4, 7.5).
 *
 * Each begins with a row that says what is to be done, and ends when that row is gone. A process that dies in between loses
 * nothing: the dispatcher goes on. Two processes may work on the same one: every step can be repeated.
 *
 * Functions fail as store.h says. */
#pragma once

#include "store/removal/people.h"

enum { REMOVAL_ID_SIZE = 16 };

/* What a removal has deleted so far. */
struct removal_counts {
	uint64_t leads;
	uint64_t claims;                 /* leads of others that no longer claim the address; of an erasure */
	uint64_t events, pending, ended; /* events, and their deliveries */
	uint64_t messages, calls;        /* messages to leads, logged calls of inbound webhooks */
	uint64_t confirmations, jobs;    /* those that have the address, besides what the leads have; of an erasure */
};

struct erase_request {
	struct person person;
	bool importable; /* imports may bring the person back */
	size_t most;     /* of an account at a time; 0: no maximum */
};

/* Finds the leads of the person and begins to erase them. *leads: their number; without leads there may be other data.
 * RESULT_TOO_MANY: that many of the account have not ended. */
MUST_CHECK enum result store_begin_erasure(
    struct store *store, const struct erase_request *request, unsigned char id[REMOVAL_ID_SIZE], size_t *leads);
/* Does a part of it, less than a second's work, and adds to the counts. *done: all is erased, now or before. */
MUST_CHECK enum result store_continue_erasure(
    struct store *store, const unsigned char id[REMOVAL_ID_SIZE], struct removal_counts *counts, bool *done);

/* Removes a campaign, or an account with its keys and campaigns: no call finds them any more. Their rows are left.
 * RESULT_NOT_FOUND: no such campaign, or account. */
MUST_CHECK enum result store_remove_campaign(struct store *store, uint64_t campaign_id);
MUST_CHECK enum result store_remove_account(struct store *store, uint64_t account_id);
/* Deletes some rows of a removed campaign, as store_continue_erasure. */
MUST_CHECK enum result store_continue_removal(
    struct store *store, uint64_t campaign_id, struct removal_counts *counts, bool *done);

/* What names it in logs: of a removal the campaign's id, of an erasure the first bytes of its id. */
uint64_t removal_number(const unsigned char id[REMOVAL_ID_SIZE]);
/* Leaves it for a minute, and for `more_ms`, after a failure. */
MUST_CHECK enum result store_postpone_erasure(struct store *store, uint64_t number, int64_t more_ms);
MUST_CHECK enum result store_postpone_removal(struct store *store, uint64_t campaign_id, int64_t more_ms);

/* An erasure, a removed campaign with rows left: one that no process has worked on for that long. */
MUST_CHECK enum result store_find_erasure(struct store *store, int64_t idle_ms, unsigned char id[REMOVAL_ID_SIZE], bool *found);
MUST_CHECK enum result store_find_removal(struct store *store, int64_t idle_ms, uint64_t *campaign_id, bool *found);

/* What the dispatcher is working on, in turns: erasures, removals. Zero-initialized: nothing. RESUMED_MAX turns
 * pass before the next one of the same work, with other maintenance in between: less than the minute after which another
 * process would take it. */
enum { RESUMED_KINDS = 2, RESUMED_MAX = 8 };
struct resumed_removals {
	struct resumed_kind {
		struct resumed_work {
			unsigned char id[REMOVAL_ID_SIZE];
			struct removal_counts counts;
		} works[RESUMED_MAX];
		size_t count, next;
	} kinds[RESUMED_KINDS];
};
/* Goes on with what no process has worked on for a minute, a turn of each kind. *more: call again soon. The current work
 * (os/log.h) is `removal` or `erasure`, with its number. */
MUST_CHECK enum result store_resume_removals(struct store *store, struct resumed_removals *resumed, bool *more);
