/* SPDX-License-Identifier: MIT
 * What a lead has reached, and how it gets on: the rewards and the actions of its status page. */
#ifndef LEADHOOK_PAGE_REWARDS_H
#define LEADHOOK_PAGE_REWARDS_H

#include "page/status.h"

/* "1 point", "1,204 points". */
struct slice page_points(const struct page *page, uint64_t points);
/* What everyone that signs up by the lead's link counts for. */
struct slice page_credit_text(const struct page *page, const struct page_credit *credit);
/* All rewards, and how far the next one is. Nothing without rewards. */
void page_write_rewards(const struct page *page, const struct page_status *status);
/* Nothing without actions. */
void page_write_actions(const struct page *page, const struct page_status *status);

#endif
