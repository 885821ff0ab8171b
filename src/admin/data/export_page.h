/* SPDX-License-Identifier: MIT
 * Pages of an export, in the order of its list: by sign-up, the latest first, or by score. Leads that sign up after its
 * beginning are not in it. */
#pragma once

#include "operation/operation.h"
#include "store/store.h"

/* Where an export goes on. The names of custom fields are collected in the order of sign-ups, before the records. */
struct export_place {
	bool names_only;
	bool by_score;           /* else by sign-up, the latest first if the filter says so */
	uint32_t after, last;    /* subscription numbers: of the page; the largest one at the beginning */
	struct lead_order order; /* by_score */
};

/* The place of the first record. `names_first`: of the names. */
struct export_place export_begin(const struct lead_filter *filter, bool names_first, bool by_score, uint32_t last);
/* The place of the first record after the names. */
void export_begin_records(const struct lead_filter *filter, struct export_place *place);
/* The place after this record. */
void export_go_on_after(struct export_place *place, const struct lead *lead);

/* Reads a page of at most filter->limit leads into the pool, and moves the place. *more: there may be leads after it. */
MUST_CHECK enum result export_read_page(struct operation_call *call, struct pool *pool, const struct lead_filter *filter,
    struct export_place *place, struct lead_page *page, bool *more);
