/* SPDX-License-Identifier: MIT
 * The status page of a lead, for the lead itself and for everyone. */
#ifndef LEADHOOK_PAGE_STATUS_H
#define LEADHOOK_PAGE_STATUS_H

#include "page/frame.h"
#include "page/lead.h"

struct page_reward {
	struct slice name;
	uint64_t points;
	bool reached;
};
enum { PAGE_REWARDS_MAX = 20 };

/* What a lead does for points. */
struct page_action {
	uint64_t id;
	struct slice text, link; /* link: absent: none */
	int64_t points;
	bool done, can_complete; /* can_complete: by a button, which posts `complete` with the id to the same URL */
};

/* What a friend who signs up counts for. */
struct page_credit {
	uint64_t points, more; /* more: when it is verified */
	bool verified;         /* the points come with the verification, too */
};

struct campaign;
struct page_credit page_credit_of(const struct campaign *campaign);

struct page_status {
	const struct page_lead *lead;   /* NULL: nothing of it may be shown, or there is none */
	bool own;                       /* the page was called with the lead's token */
	bool again;                     /* else: the visitor signed up again by an address of the lead */
	struct slice social_id;         /* of the path, valid */
	const struct page_board *board; /* NULL: none */
	const struct page_reward *rewards;
	size_t reward_count;
	const struct page_action *actions;
	size_t action_count;
	struct page_credit credit;
	bool awaits_email, awaits_phone; /* what the lead still has to confirm */
	bool can_resend;                 /* the mail with the link that confirms; a button posts `resend` to the same URL */
	bool has_resent;                 /* it was pressed */
	bool has_mail;                   /* a mail has led the lead to its own page */
	bool can_erase;                  /* it can request the deletion of its data */
	bool has_ended;                  /* new sign-ups are refused */
};

/* Without a lead the page is the same for every social id, but for the link to sign up. */
void page_write_status(const struct page *page, const struct page_status *status);

#endif
