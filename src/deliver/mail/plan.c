/* SPDX-License-Identifier: MIT */
#include "deliver/mail/plan.h"

#include <stdlib.h>

#include "base/pool.h"

/* ---- turns ---- */

/* Campaigns that are stored at a time. Those that were served longest ago are dropped: they come first anyway. */
enum { SERVED_MAX = 4096 };

void
mail_turns_free(struct mail_turns *turns)
{
	free(turns->campaigns);
	*turns = (struct mail_turns){ 0 };
}

static struct mail_served *
find_served(const struct mail_turns *turns, uint64_t campaign_id)
{
	for (size_t i = 0; i < turns->count; i++)
		if (turns->campaigns[i].campaign_id == campaign_id)
			return &turns->campaigns[i];
	return NULL;
}

static struct mail_served *
oldest_served(const struct mail_turns *turns)
{
	struct mail_served *oldest = &turns->campaigns[0];
	for (size_t i = 1; i < turns->count; i++)
		oldest = turns->campaigns[i].served < oldest->served ? &turns->campaigns[i] : oldest;
	return oldest;
}

static void
note_served(struct mail_turns *turns, uint64_t campaign_id)
{
	struct mail_served *place = find_served(turns, campaign_id);
	if (place == NULL && turns->count == SERVED_MAX)
		place = oldest_served(turns);
	if (place == NULL) {
		if (turns->campaigns == NULL)
			turns->campaigns = memory_alloc(SERVED_MAX * sizeof(*turns->campaigns));
		place = &turns->campaigns[turns->count++];
	}
	*place = (struct mail_served){ campaign_id, ++turns->last };
}

static uint64_t
served(const struct mail_turns *turns, uint64_t campaign_id)
{
	const struct mail_served *found = find_served(turns, campaign_id);
	return found == NULL ? 0 : found->served;
}

static bool
is_planned(const struct mail_request *requests, size_t count, const struct mail_campaign *campaign)
{
	for (size_t i = 0; i < count; i++)
		if (requests[i].turn == campaign->turn && requests[i].campaign_id == campaign->campaign_id)
			return true;
	return false;
}

/* The campaign of this turn that was served longest ago and has something left of its budget; NULL: none. */
static const struct mail_campaign *
next_campaign(const struct mail_turns *turns, const struct mail_campaign *campaigns, size_t count, unsigned turn,
    unsigned budget, const struct mail_request *requests, size_t request_count)
{
	const struct mail_campaign *next = NULL;
	for (size_t i = 0; i < count; i++) {
		const struct mail_campaign *c = &campaigns[i];
		if (c->turn != turn || (budget > 0 && c->sent >= budget) || is_planned(requests, request_count, c))
			continue;
		if (next == NULL || served(turns, c->campaign_id) < served(turns, next->campaign_id))
			next = c;
	}
	return next;
}

size_t
mail_plan(const struct mail_turns *turns, const struct mail_campaign *campaigns, size_t count, unsigned budget, size_t places,
    struct mail_request *requests)
{
	size_t used = 0;
	for (unsigned turn = 0; turn < MAIL_TURNS; turn++) {
		const struct mail_campaign *next;
		for (size_t i = 0; i < PLAN_CAMPAIGNS &&
				   (next = next_campaign(turns, campaigns, count, turn, budget, requests, used)) != NULL;
		     i++) {
			const size_t left = budget == 0 ? places : budget - next->sent;
			requests[used++] =
			    (struct mail_request){ next->campaign_id, turn, (unsigned)(left < places ? left : places) };
		}
	}
	return used;
}

/* How many of the campaign's were chosen: those of both turns share its budget. */
static unsigned
chosen_of(const struct mail_request *requests, size_t request_count, const unsigned *chosen, uint64_t campaign_id)
{
	unsigned sum = 0;
	for (size_t i = 0; i < request_count; i++)
		sum += requests[i].campaign_id == campaign_id ? chosen[i] : 0;
	return sum;
}

/* The `number`-th mail that was found of a request; NULL: there are fewer. */
static const struct due_mail *
found_of(const struct due_mail *found, size_t count, size_t request, unsigned number)
{
	for (size_t i = 0; i < count; i++)
		if (found[i].request == request && number-- == 0)
			return &found[i];
	return NULL;
}

size_t
mail_choose(struct mail_turns *turns, const struct mail_request *requests, size_t request_count, const struct due_mail *found,
    size_t found_count, size_t places, uint64_t *ids)
{
	unsigned chosen[PLAN_REQUESTS] = { 0 };
	size_t used = 0;
	for (unsigned turn = 0; turn < MAIL_TURNS; turn++) {
		for (bool more = true; more;) {
			more = false;
			for (size_t i = 0; i < request_count && used < places; i++) {
				const struct due_mail *next = found_of(found, found_count, i, chosen[i]);
				if (requests[i].turn != turn || next == NULL ||
				    chosen_of(requests, request_count, chosen, requests[i].campaign_id) >= requests[i].rows)
					continue;
				ids[used++] = next->id;
				chosen[i]++;
				note_served(turns, requests[i].campaign_id);
				more = true;
			}
		}
	}
	return used;
}

/* ---- rate ---- */

enum { HOUR_MS = 3600 * 1000, MINUTES = 60 };

static int64_t
parts_at(const struct mail_rate *rate, int64_t now_ms)
{
	const int64_t most = (int64_t)HOUR_MS * (rate->per_hour < MINUTES ? 1 : rate->per_hour / MINUTES);
	const int64_t passed = now_ms - rate->at_ms < HOUR_MS ? now_ms - rate->at_ms : HOUR_MS;
	const int64_t parts = rate->has_begun ? rate->parts + passed * (int64_t)rate->per_hour : most;
	return parts < most ? parts : most;
}

bool
mail_rate_take(struct mail_rate *rate, int64_t now_ms)
{
	if (rate->per_hour == 0)
		return true;
	const int64_t parts = parts_at(rate, now_ms);
	const bool may = parts >= HOUR_MS;
	*rate = (struct mail_rate){ rate->per_hour, may ? parts - HOUR_MS : parts, now_ms, true };
	return may;
}

size_t
mail_rate_left(const struct mail_rate *rate, int64_t now_ms, size_t most)
{
	const size_t left = rate->per_hour == 0 ? most : (size_t)(parts_at(rate, now_ms) / HOUR_MS);
	return left < most ? left : most;
}

int64_t
mail_rate_wait_ms(const struct mail_rate *rate, int64_t now_ms)
{
	const int64_t missing = rate->per_hour == 0 ? 0 : HOUR_MS - parts_at(rate, now_ms);
	return missing <= 0 ? 0 : (missing + (int64_t)rate->per_hour - 1) / (int64_t)rate->per_hour;
}
