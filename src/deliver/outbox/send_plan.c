/* SPDX-License-Identifier: MIT */
#include "deliver/outbox/send_plan.h"

#include <stdlib.h>

#include "base/duration.h"
#include "base/pool.h"
#include "webhook/retry.h"

/* ---- who was served ---- */

/* How many accounts and campaigns are stored. Those that were served longest ago are dropped: they come first anyway. */
enum { SERVED_MAX = 4096 };

void
send_turns_free(struct send_turns *turns)
{
	free(turns->senders);
	*turns = (struct send_turns){ 0 };
}

static struct send_served *
find_served(const struct send_turns *turns, uint64_t account_id, uint64_t campaign_id)
{
	for (size_t i = 0; i < turns->count; i++)
		if (turns->senders[i].account_id == account_id && turns->senders[i].campaign_id == campaign_id)
			return &turns->senders[i];
	return NULL;
}

static struct send_served *
oldest_served(const struct send_turns *turns)
{
	struct send_served *oldest = &turns->senders[0];
	for (size_t i = 1; i < turns->count; i++)
		oldest = turns->senders[i].served < oldest->served ? &turns->senders[i] : oldest;
	return oldest;
}

static void
note_served(struct send_turns *turns, uint64_t account_id, uint64_t campaign_id)
{
	struct send_served *place = find_served(turns, account_id, campaign_id);
	if (place == NULL && turns->count == SERVED_MAX)
		place = oldest_served(turns);
	if (place == NULL) {
		if (turns->senders == NULL)
			turns->senders = memory_alloc(SERVED_MAX * sizeof(*turns->senders));
		place = &turns->senders[turns->count++];
	}
	*place = (struct send_served){ account_id, campaign_id, ++turns->last };
}

static uint64_t
served(const struct send_turns *turns, uint64_t account_id, uint64_t campaign_id)
{
	const struct send_served *found = find_served(turns, account_id, campaign_id);
	return found == NULL ? 0 : found->served;
}

/* ---- campaigns ---- */

/* A campaign that may send more, and its place in the order. */
struct candidate {
	const struct mail_campaign *campaign;
	uint64_t account_served, served;
	size_t account_planned; /* how many campaigns of its account and turn are planned */
	bool is_planned;
};

static bool
comes_before(const struct candidate *a, const struct candidate *b)
{
	if (a->account_planned != b->account_planned)
		return a->account_planned < b->account_planned;
	if (a->account_served != b->account_served)
		return a->account_served < b->account_served;
	return a->served < b->served;
}

/* NULL: no campaign of this turn is left. */
static struct candidate *
next_candidate(struct candidate *candidates, size_t count, unsigned turn)
{
	struct candidate *next = NULL;
	for (size_t i = 0; i < count; i++)
		if (candidates[i].campaign->turn == turn && !candidates[i].is_planned &&
		    (next == NULL || comes_before(&candidates[i], next)))
			next = &candidates[i];
	return next;
}

static void
note_planned(struct candidate *candidates, size_t count, struct candidate *planned)
{
	planned->is_planned = true;
	for (size_t i = 0; i < count; i++)
		if (candidates[i].campaign->turn == planned->campaign->turn &&
		    candidates[i].campaign->sender.account_id == planned->campaign->sender.account_id)
			candidates[i].account_planned++;
}

static unsigned
lesser(unsigned a, size_t b)
{
	return a < b ? a : (unsigned)b;
}

static struct mail_request
request_of(const struct mail_campaign *campaign, const struct sendings *limits, size_t places)
{
	const struct sender_count *sender = &campaign->sender;
	const unsigned all = lesser(sendings_left(limits, &sender->sent, SENDINGS_OF_ALL), places);
	const unsigned account = lesser(sendings_left(limits, &sender->sent, SENDINGS_OF_ACCOUNT), all);
	return (struct mail_request){ .campaign_id = sender->campaign_id,
		.account_id = sender->account_id,
		.turn = campaign->turn,
		.rows = lesser(sendings_left(limits, &sender->sent, SENDINGS_OF_CAMPAIGN), account),
		.account_rows = account,
		.all_rows = all };
}

size_t
send_plan(const struct send_turns *turns, const struct mail_campaign *campaigns, size_t count, const struct sendings *limits,
    size_t places, struct mail_request *requests)
{
	struct candidate *candidates = memory_alloc((count + 1) * sizeof(*candidates)), *next;
	size_t left = 0, used = 0;
	for (size_t i = 0; i < count; i++) {
		const struct sender_count *sender = &campaigns[i].sender;
		if (sendings_reached(limits, &sender->sent) == SENDING_SCOPES)
			candidates[left++] = (struct candidate){ .campaign = &campaigns[i],
				.account_served = served(turns, sender->account_id, 0),
				.served = served(turns, sender->account_id, sender->campaign_id) };
	}
	for (unsigned turn = 0; turn < MESSAGE_TURNS; turn++)
		for (size_t i = 0; i < SEND_CAMPAIGNS && (next = next_candidate(candidates, left, turn)) != NULL; i++) {
			note_planned(candidates, left, next);
			requests[used++] = request_of(next->campaign, limits, places);
		}
	free(candidates);
	return used;
}

/* ---- messages ---- */

/* What was chosen so far. */
struct chosen {
	unsigned of[SEND_REQUESTS]; /* how many, by request */
	unsigned all;
};

/* How many messages of this account were chosen. With campaign_id 0, those of all its campaigns; with turn MESSAGE_TURNS, those
 * of all turns. */
static unsigned
chosen_of(const struct send_choice *from, const struct chosen *chosen, uint64_t account_id, uint64_t campaign_id, unsigned turn)
{
	unsigned sum = 0;
	for (size_t i = 0; i < from->request_count; i++) {
		const struct mail_request *r = &from->requests[i];
		if (r->account_id == account_id && (campaign_id == 0 || r->campaign_id == campaign_id) &&
		    (turn == MESSAGE_TURNS || r->turn == turn))
			sum += chosen->of[i];
	}
	return sum;
}

/* The `number`-th message that was found for a request; NULL: there are fewer. */
static const struct due_mail *
found_for(const struct send_choice *from, size_t request, unsigned number)
{
	for (size_t i = 0; i < from->found_count; i++)
		if (from->found[i].request == request && number-- == 0)
			return &from->found[i];
	return NULL;
}

/* The request that is served next; request_count if there is none. */
static size_t
next_request(const struct send_choice *from, const struct chosen *chosen, unsigned turn)
{
	size_t next = from->request_count;
	unsigned next_account = 0;
	for (size_t i = 0; i < from->request_count; i++) {
		const struct mail_request *r = &from->requests[i];
		if (r->turn != turn || chosen->all >= r->all_rows || found_for(from, i, chosen->of[i]) == NULL ||
		    chosen_of(from, chosen, r->account_id, r->campaign_id, MESSAGE_TURNS) >= r->rows ||
		    chosen_of(from, chosen, r->account_id, 0, MESSAGE_TURNS) >= r->account_rows)
			continue;
		const unsigned account = chosen_of(from, chosen, r->account_id, 0, turn);
		if (next == from->request_count || account < next_account ||
		    (account == next_account && chosen->of[i] < chosen->of[next])) {
			next = i;
			next_account = account;
		}
	}
	return next;
}

size_t
send_choose(struct send_turns *turns, const struct send_choice *from, size_t places, uint64_t *ids)
{
	struct chosen chosen = { .all = 0 };
	for (unsigned turn = 0; turn < MESSAGE_TURNS; turn++) {
		size_t next;
		while (chosen.all < places && (next = next_request(from, &chosen, turn)) < from->request_count) {
			const struct mail_request *r = &from->requests[next];
			ids[chosen.all++] = found_for(from, next, chosen.of[next]++)->id;
			note_served(turns, r->account_id, 0);
			note_served(turns, r->account_id, r->campaign_id);
		}
	}
	return chosen.all;
}

/* ---- rate ---- */

enum { MINUTES = 60 };

static int64_t
parts_at(const struct send_rate *rate, int64_t now_ms)
{
	const int64_t most = HOUR_MS * (rate->per_hour < MINUTES ? 1 : rate->per_hour / MINUTES);
	const int64_t passed = now_ms - rate->at_ms < HOUR_MS ? now_ms - rate->at_ms : HOUR_MS;
	const int64_t parts = rate->has_begun ? rate->parts + passed * (int64_t)rate->per_hour : most;
	return parts < most ? parts : most;
}

bool
send_rate_take(struct send_rate *rate, int64_t now_ms)
{
	if (rate->per_hour == 0)
		return true;
	const int64_t parts = parts_at(rate, now_ms);
	const bool may = parts >= HOUR_MS;
	*rate = (struct send_rate){ rate->per_hour, may ? parts - HOUR_MS : parts, now_ms, true };
	return may;
}

size_t
send_rate_left(const struct send_rate *rate, int64_t now_ms, size_t most)
{
	const size_t left = rate->per_hour == 0 ? most : (size_t)(parts_at(rate, now_ms) / HOUR_MS);
	return left < most ? left : most;
}

int64_t
send_rate_wait_ms(const struct send_rate *rate, int64_t now_ms)
{
	const int64_t missing = rate->per_hour == 0 ? 0 : HOUR_MS - parts_at(rate, now_ms);
	return missing <= 0 ? 0 : (missing + (int64_t)rate->per_hour - 1) / (int64_t)rate->per_hour;
}

/* ---- holds ---- */

int64_t
send_hold_ms(unsigned failures, uint64_t random)
{
	enum { FIRST_MS = 5 * SECOND_MS, DOUBLED_MAX = 7, LONGEST_MS = 10 * MINUTE_MS };
	const unsigned doubled = failures < 1 ? 0 : failures - 1 < DOUBLED_MAX ? failures - 1 : DOUBLED_MAX;
	const int64_t ms = (int64_t)FIRST_MS << doubled;
	return retry_jitter_ms(ms < LONGEST_MS ? ms : LONGEST_MS, random);
}
