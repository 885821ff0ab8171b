/* SPDX-License-Identifier: MIT
 * Erases a person, in short transactions (docs/operating.md 7.4).
 *
 * An erasure begins with a row that describes what to do, and ends when that row is gone. If the process dies in between,
 * nothing is lost: the dispatcher continues. Two processes may work on the same erasure: every step can be repeated.
 *
 * Functions fail as described in store.h. */
#pragma once

#include "store/removal/people.h"
#include "store/removal/removed_rows.h"

enum { ERASURE_ID_SIZE = 16 };

struct erase_request {
	struct person person;
	bool importable; /* imports may bring the person back */
	size_t most;     /* erasures of an account at a time; 0: no maximum */
};

/* Finds the leads of the person and begins to erase them. *leads: how many; even without leads there may be other data.
 * RESULT_TOO_MANY: `most` erasures of the account have not ended. */
MUST_CHECK enum result store_begin_erasure(
    struct store *store, const struct erase_request *request, unsigned char id[ERASURE_ID_SIZE], size_t *leads);
/* Does a part of an erasure, in less than a second, and adds to the counts. *done: everything is erased, now or earlier. */
MUST_CHECK enum result store_continue_erasure(
    struct store *store, const unsigned char id[ERASURE_ID_SIZE], struct removal_counts *counts, bool *done);

/* The name of an erasure in logs: the first bytes of its id. */
uint64_t erasure_number(const unsigned char id[ERASURE_ID_SIZE]);
/* After a failure: leaves the erasure alone for a minute plus `more_ms`. */
MUST_CHECK enum result store_postpone_erasure(struct store *store, uint64_t number, int64_t more_ms);
/* Finds an erasure that no process has worked on for `idle_ms`. */
MUST_CHECK enum result store_find_erasure(struct store *store, int64_t idle_ms, unsigned char id[ERASURE_ID_SIZE], bool *found);
