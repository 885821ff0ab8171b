/* SPDX-License-Identifier: MIT
 * Which mails and texts come next: accounts and their campaigns take turns, urgent kinds first; and how many may go (mail.rate,
 * and the limits of an hour).
 * Pure: time is an argument. */
#ifndef LEADHOOK_DELIVER_MAIL_PLAN_H
#define LEADHOOK_DELIVER_MAIL_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "store/messages/mail_queue.h"

/* When accounts and campaigns were last served. Zero-initialized: none was. */
struct mail_turns {
	struct mail_served {
		uint64_t account_id, campaign_id; /* campaign_id 0: the account */
		uint64_t served;
	} * senders;
	size_t count;
	uint64_t last;
};
void mail_turns_free(struct mail_turns *turns);

/* Chooses the campaigns whose due messages are searched for: all of turn 0 before those of turn 1, of a turn those first whose
 * account was served longest ago, of an account those that were, PLAN_CAMPAIGNS at most. None gets more than the limits leave
 * to it, its account and the installation, nor than `places`. `requests` has room for PLAN_REQUESTS. Returns their number. */
enum { PLAN_CAMPAIGNS = 32, PLAN_REQUESTS = MESSAGE_TURNS * PLAN_CAMPAIGNS };
size_t mail_plan(const struct mail_turns *turns, const struct mail_campaign *campaigns, size_t count,
    const struct sendings *limits, size_t places, struct mail_request *requests);
/* Chooses up to `places` of the messages that were found: all of turn 0 come before any of turn 1; of one turn, each account
 * gets one before any gets two, and so do the campaigns of an account. `ids` has room for them. Returns their number. */
size_t mail_choose(struct mail_turns *turns, const struct mail_request *requests, size_t request_count,
    const struct due_mail *found, size_t found_count, size_t places, uint64_t *ids);

/* Mails an hour. Zero-initialized but for `per_hour` (0: any number). */
struct mail_rate {
	unsigned per_hour;
	int64_t parts; /* of a mail, in 1/3,600,000, that may be sent now */
	int64_t at_ms;
	bool has_begun;
};
/* Takes one mail, if it may be sent now. After a pause those of a minute may go at once, or one. */
MUST_CHECK bool mail_rate_take(struct mail_rate *rate, int64_t now_ms);
/* How many mails may be sent now; at most `most`. */
size_t mail_rate_left(const struct mail_rate *rate, int64_t now_ms, size_t most);
/* Milliseconds until one may be sent. */
int64_t mail_rate_wait_ms(const struct mail_rate *rate, int64_t now_ms);

#endif
