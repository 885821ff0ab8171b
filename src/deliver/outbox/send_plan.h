/* SPDX-License-Identifier: MIT
 * Decides which messages are sent next (urgent kinds first, accounts and their campaigns in rotation) and how many (hourly
 * limits, and mail.rate). Pure: time is an argument. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "store/message_requests.h"
#include "store/messages/mail_lease.h"

/* When accounts and campaigns were last served. Zero-initialized: none was. */
struct send_turns {
	struct send_served {
		uint64_t account_id, campaign_id; /* campaign_id 0: the account */
		uint64_t served;
	} * senders;
	size_t count;
	uint64_t last;
};
void send_turns_free(struct send_turns *turns);

/* Chooses the campaigns whose due messages are searched for, at most SEND_CAMPAIGNS for each turn (message_turn): those of turn
 * 0 come first; within a turn, those of the account that was served longest ago; within an account, the campaign that was
 * served longest ago. No campaign gets more messages than its own limit, that of its account and that of the installation
 * allow, or more than `places`. `requests` has room for SEND_REQUESTS. Returns how many campaigns it has chosen. */
enum { SEND_CAMPAIGNS = 32, SEND_REQUESTS = MESSAGE_TURNS * SEND_CAMPAIGNS };
size_t send_plan(const struct send_turns *turns, const struct mail_campaign *campaigns, size_t count,
    const struct sendings *limits, size_t places, struct mail_request *requests);

/* Requests, and the due messages that were found for them. */
struct send_choice {
	const struct mail_request *requests;
	size_t request_count;
	const struct due_mail *found;
	size_t found_count;
};
/* Chooses at most `places` of the messages: all of turn 0 come before any of turn 1; within a turn, each account gets one
 * before any gets two, and so do the campaigns of an account. `ids` has room for them. Returns how many it has chosen. */
size_t send_choose(struct send_turns *turns, const struct send_choice *from, size_t places, uint64_t *ids);

/* How many messages this process may send per hour. Zero-initialized except for `per_hour` (0: no limit). */
struct send_rate {
	unsigned per_hour;
	int64_t parts; /* what may be sent now, in 1/3,600,000 of a message */
	int64_t at_ms;
	bool has_begun;
};
/* Returns true when a message may be sent now, and counts it. After a pause, as many messages may be sent at once as are
 * allowed in a minute, and at least one. */
MUST_CHECK bool send_rate_take(struct send_rate *rate, int64_t now_ms);
/* How many messages may be sent now; at most `most`. */
size_t send_rate_left(const struct send_rate *rate, int64_t now_ms, size_t most);
/* Milliseconds until one may be sent. */
int64_t send_rate_wait_ms(const struct send_rate *rate, int64_t now_ms);

/* How long a channel is held after the `failures`-th failure of its server in a row, from 1. `random`: any 64 bits, for the
 * jitter. */
int64_t send_hold_ms(unsigned failures, uint64_t random);
