/* SPDX-License-Identifier: MIT
 * Finishes erasures and removals whose process has died. Works on several in turns: none waits for one that takes long or
 * fails. */
#pragma once

#include "store/removal/erase.h"

/* What the dispatcher is working on, in turns: erasures, removals. Zero-initialized: nothing. RESUMED_MAX turns, and other
 * maintenance, pass before the next turn of the same work: less than the minute after which another process would take it
 * over. */
enum { RESUMED_KINDS = 2, RESUMED_MAX = 8 };
struct resumed_removals {
	struct resumed_kind {
		struct resumed_work {
			unsigned char id[ERASURE_ID_SIZE]; /* of a removal: the campaign's id, in the first bytes */
			struct removal_counts counts;
		} works[RESUMED_MAX];
		size_t count, next;
	} kinds[RESUMED_KINDS];
};
/* Continues erasures and removals that no process has worked on for a minute, one turn of each kind. *more: call again soon.
 * The current work (os/log.h) is `removal` or `erasure`, with its number. */
MUST_CHECK enum result store_resume_removals(struct store *store, struct resumed_removals *resumed, bool *more);
