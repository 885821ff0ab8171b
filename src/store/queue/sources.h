/* SPDX-License-Identifier: MIT
 * Leads are counted by the values of their sources some time after their sign-up, in the order of their numbers
 * (docs/architecture.md 9.3). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/result.h"

struct store;

/* Where the dispatcher is in the list of campaigns. Zero-initialized: at the beginning. */
struct source_pass {
	uint64_t campaign_id; /* campaigns up to this one had their turn */
	bool more;            /* one of them has more leads than it had in its turn */
};

/* Counts the leads of the next campaigns, a piece of each, in at most twenty transactions. *left: call again at once. May be
 * killed, and run by several dispatchers: each lead is counted once. */
MUST_CHECK enum result store_count_sources(struct store *store, struct source_pass *pass, bool *left);
