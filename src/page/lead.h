/* SPDX-License-Identifier: MIT
 * What pages show of a lead, and the page to which its sign-up form leads. Both are read from the lead's payload (docs/api.md
 * 4.5) and from the answer of the leaderboard (docs/api.md 4.1.2), so that pages and webhooks cannot differ. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

/* Texts are in the pool; absent if they are null, or not in this view of the lead. */
struct page_lead {
	struct slice social_id, first_name, email, phone_number;
	struct slice social_url; /* its link to share */
	struct slice status_url, thankyou_url, redirect_url;
	uint64_t rank, leads, score, referrals;
	bool verified, verified_email, verified_phone_number, opted_out;
	bool check_mail;  /* a mail is on its way to the address of the sign-up (docs/api.md 4.1.11) */
	bool shares_rank; /* with other leads; not in the payload */
};
/* Returns false when the text is not a payload, or has no social id. */
MUST_CHECK bool page_lead_read(struct pool *pool, struct slice payload, struct page_lead *lead);

struct page_leader {
	uint64_t rank, score;
	struct slice social_id, name;
};
enum { PAGE_LEADERS_MAX = 10 };
struct page_board {
	struct page_leader leaders[PAGE_LEADERS_MAX + 1]; /* the last may be the lead itself */
	size_t count;
};
/* Reads at most PAGE_LEADERS_MAX leaders, and `me` if it is not one of them. Returns false when the text is not a
 * leaderboard. */
MUST_CHECK bool page_board_read(struct pool *pool, struct slice json, struct page_board *board);
