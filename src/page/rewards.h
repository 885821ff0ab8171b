/* SPDX-License-Identifier: MIT
 * The rewards and the actions of a status page: what the lead has reached, and how it gets further. */
#pragma once

#include "page/status.h"

/* "1 point", "1,204 points". */
struct slice page_points(const struct page *page, uint64_t points);
/* What a referral brings in this campaign. */
struct campaign;
struct page_credit page_credit_of(const struct campaign *campaign);
/* The same in a sentence. */
struct slice page_credit_text(const struct page *page, const struct page_credit *credit);
/* Writes the rewards, and how many points the next one takes; nothing where there are no rewards. */
void page_write_rewards(const struct page *page, const struct page_status *status);
/* Writes the actions; nothing where there are none. */
void page_write_actions(const struct page *page, const struct page_status *status);
