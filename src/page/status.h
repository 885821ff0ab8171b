/* SPDX-License-Identifier: MIT
 * The status page of a lead, as the lead itself and as everyone else sees it. */
#pragma once

#include "page/lead.h"
#include "page/page_frame.h"

struct page_reward {
	struct slice name;
	uint64_t points;
	bool reached;
};
enum { PAGE_REWARDS_MAX = 20 };

/* What a lead can do for points. */
struct page_action {
	uint64_t id;
	struct slice text, link; /* link: absent: none */
	int64_t points;
	bool done;
	bool can_complete; /* by a button, which posts `complete` with the id to the same URL */
};

/* The points that a lead gets for a friend who signs up. */
struct page_credit {
	uint64_t points, more; /* more: added once the friend is verified */
	bool verified;         /* `points` are also added only then */
};

struct campaign;
struct page_credit page_credit_of(const struct campaign *campaign);

struct page_status {
	const struct page_lead *lead;   /* NULL: there is none, or nothing of it may be shown */
	bool own;                       /* the page was opened with the lead's token */
	bool again;                     /* not `own`: the visitor signed up again with an address of the lead */
	struct slice social_id;         /* from the path, valid */
	const struct page_board *board; /* NULL: none */
	const struct page_reward *rewards;
	size_t reward_count;
	const struct page_action *actions;
	size_t action_count;
	struct page_credit credit;
	bool awaits_email, awaits_phone; /* the lead still has to confirm it */
	bool can_resend;                 /* a button posts `resend` to the same URL, to get the confirmation mail again */
	bool has_resent;                 /* that button was pressed */
	bool has_mail;                   /* the lead got the link to its own page by mail */
	bool can_erase;                  /* the lead can request the deletion of its data */
	bool has_ended;                  /* the campaign: sign-ups are refused */
};

/* Without a lead, the page is the same for every social id, except for its link to the sign-up. */
void page_write_status(const struct page *page, const struct page_status *status);
