/* SPDX-License-Identifier: MIT
 * docs/mail.md 6: which mails are sent next, and how many an hour. */
#include "unit.h"

#include <string.h>

#include "deliver/outbox/send_plan.h"

enum { PLACES_MAX = 64 };

/* Due mails, by campaign and turn; each choice removes the mails that it takes. */
struct due {
	uint64_t campaign_id;
	unsigned turn, rows, sent;
	uint64_t account_id;
	unsigned account_sent, all_sent;
};

static struct due *
find_due(struct due *due, size_t count, uint64_t campaign_id, unsigned turn)
{
	for (size_t i = 0; i < count; i++)
		if (due[i].campaign_id == campaign_id && due[i].turn == turn)
			return &due[i];
	fail_msg("campaign %d has nothing due in turn %u", (int)campaign_id, turn);
	return NULL;
}

/* The id of a mail consists of campaign and turn. */
static uint64_t
id_of(uint64_t campaign_id, unsigned turn)
{
	return campaign_id * 10 + turn;
}

static size_t
choose_within(
    struct send_turns *turns, struct due *due, size_t count, const struct sendings *limits, size_t places, uint64_t *ids)
{
	struct mail_campaign campaigns[PLACES_MAX];
	struct mail_request requests[SEND_REQUESTS];
	struct due_mail found[PLACES_MAX * PLACES_MAX];
	size_t used = 0, found_count = 0;
	for (size_t i = 0; i < count; i++)
		if (due[i].rows > 0)
			campaigns[used++] =
			    (struct mail_campaign){ { due[i].account_id, due[i].campaign_id,
							{ { due[i].all_sent, due[i].account_sent, due[i].sent } } },
				    due[i].turn };
	used = send_plan(turns, campaigns, used, limits, places, requests);
	for (size_t i = 0; i < used; i++) {
		const unsigned rows = find_due(due, count, requests[i].campaign_id, requests[i].turn)->rows;
		for (unsigned k = 0; k < rows && k < requests[i].rows; k++)
			found[found_count++] = (struct due_mail){ i, id_of(requests[i].campaign_id, requests[i].turn) };
	}
	const struct send_choice from = { requests, used, found, found_count };
	const size_t chosen = send_choose(turns, &from, places, ids);
	for (size_t i = 0; i < chosen; i++)
		find_due(due, count, ids[i] / 10, (unsigned)(ids[i] % 10))->rows--;
	return chosen;
}

/* Chooses mails with no limit other than that of campaigns. */
static size_t
choose(struct send_turns *turns, struct due *due, size_t count, unsigned budget, size_t places, uint64_t *ids)
{
	return choose_within(turns, due, count, &(struct sendings){ { 0, 0, budget } }, places, ids);
}

static void
urgent_mails_come_first(void **state UNUSED)
{
	struct send_turns turns = { 0 };
	struct due due[] = { { 1, 1, 10000, 0, 1, 0, 0 }, { 2, 0, 1, 0, 1, 0, 0 }, { 3, 1, 5, 0, 1, 0, 0 } };
	uint64_t ids[PLACES_MAX];
	assert_int_equal(choose(&turns, due, ARRAY_SIZE(due), 0, 4, ids), 4);
	assert_int_equal(ids[0], id_of(2, 0));
	assert_int_equal(due[0].rows + due[2].rows, 10005 - 3); /* the other campaigns use the remaining places */
	send_turns_free(&turns);
}

static void
campaigns_take_turns(void **state UNUSED)
{
	struct send_turns turns = { 0 };
	struct due due[] = { { 1, 0, 10000, 0, 1, 0, 0 }, { 2, 0, 10, 0, 1, 0, 0 }, { 3, 0, 10, 0, 1, 0, 0 } };
	uint64_t ids[PLACES_MAX];
	/* one place at a time: no campaign waits for more than two others */
	for (unsigned round = 0; round < 10; round++)
		for (size_t i = 0; i < ARRAY_SIZE(due); i++)
			assert_int_equal(choose(&turns, due, ARRAY_SIZE(due), 0, 1, ids), 1);
	assert_int_equal(due[1].rows, 0);
	assert_int_equal(due[2].rows, 0);
	assert_int_equal(due[0].rows, 10000 - 10);
	send_turns_free(&turns);
}

static void
a_budget_is_for_both_turns(void **state UNUSED)
{
	struct send_turns turns = { 0 };
	struct due due[] = { { 1, 0, 3, 95, 1, 0, 0 }, { 1, 1, 100, 95, 1, 0, 0 }, { 2, 1, 100, 100, 1, 0, 0 } };
	uint64_t ids[PLACES_MAX];
	assert_int_equal(choose(&turns, due, ARRAY_SIZE(due), 100, 50, ids), 5);
	assert_int_equal(due[0].rows, 0);
	assert_int_equal(due[1].rows, 98);
	assert_int_equal(due[2].rows, 100);
	send_turns_free(&turns);
}

/* The number of an account's campaigns does not matter. */
static void
accounts_take_turns(void **state UNUSED)
{
	enum { CAMPAIGNS = 2 * SEND_CAMPAIGNS };
	struct send_turns turns = { 0 };
	struct due due[CAMPAIGNS];
	uint64_t ids[PLACES_MAX];
	for (size_t i = 0; i < CAMPAIGNS; i++)
		due[i] = (struct due){ 1 + i, 1, 100, 0, i < CAMPAIGNS - 2 ? 1 : 2 + (CAMPAIGNS - 1 - i), 0, 0 };
	for (unsigned round = 0; round < 10; round++)
		assert_int_equal(choose(&turns, due, CAMPAIGNS, 0, 3, ids), 3);
	assert_int_equal(due[CAMPAIGNS - 1].rows, 90);
	assert_int_equal(due[CAMPAIGNS - 2].rows, 90);
	for (size_t i = 0; i < CAMPAIGNS - 2; i++) /* the campaigns of an account take turns, too */
		assert_in_range(due[i].rows, 99, 100);
	/* thirty places at once have the same result as one after another */
	assert_int_equal(choose(&turns, due, CAMPAIGNS, 0, 30, ids), 30);
	assert_int_equal(due[CAMPAIGNS - 1].rows, 80);
	assert_int_equal(due[CAMPAIGNS - 2].rows, 80);
	send_turns_free(&turns);
}

static void
an_account_at_its_limit_stops_no_other(void **state UNUSED)
{
	const struct sendings limits = { { 1000, 50, 40 } };
	struct send_turns turns = { 0 };
	struct due due[] = { { 1, 0, 30, 20, 1, 45, 600 }, { 2, 1, 30, 25, 1, 45, 600 }, { 3, 1, 30, 0, 2, 50, 600 },
		{ 4, 1, 30, 35, 3, 35, 600 } };
	uint64_t ids[PLACES_MAX];
	assert_int_equal(choose_within(&turns, due, ARRAY_SIZE(due), &limits, 50, ids), 10);
	assert_int_equal(due[0].rows, 25); /* what the account's limit leaves, urgent mails first */
	assert_int_equal(due[1].rows, 30);
	assert_int_equal(due[2].rows, 30);
	assert_int_equal(due[3].rows, 25); /* what the campaign's limit leaves */
	send_turns_free(&turns);
}

static void
the_installation_has_a_limit(void **state UNUSED)
{
	const struct sendings limits = { { 1000, 0, 0 } };
	struct send_turns turns = { 0 };
	struct due due[] = { { 1, 0, 30, 0, 1, 0, 997 }, { 2, 0, 30, 0, 2, 0, 997 } };
	uint64_t ids[PLACES_MAX];
	assert_int_equal(choose_within(&turns, due, ARRAY_SIZE(due), &limits, 50, ids), 3);
	due[0].all_sent = due[1].all_sent = 1000;
	assert_int_equal(choose_within(&turns, due, ARRAY_SIZE(due), &limits, 50, ids), 0);
	send_turns_free(&turns);
}

static void
more_campaigns_than_are_searched_at_a_time(void **state UNUSED)
{
	enum { CAMPAIGNS = SEND_CAMPAIGNS + 10 };
	struct send_turns turns = { 0 };
	struct due due[CAMPAIGNS];
	uint64_t ids[PLACES_MAX];
	for (size_t i = 0; i < CAMPAIGNS; i++)
		due[i] = (struct due){ 1 + i, 0, 100, 0, 1, 0, 0 };
	for (size_t i = 0; i < 2 * CAMPAIGNS; i++)
		assert_int_equal(choose(&turns, due, CAMPAIGNS, 0, 1, ids), 1);
	for (size_t i = 0; i < CAMPAIGNS; i++)
		assert_int_equal(due[i].rows, 98);
	send_turns_free(&turns);
}

/* Sends whenever it is allowed to, for `ms`. Returns how many were sent. */
static unsigned
sent_in(struct send_rate *rate, int64_t begin_ms, int64_t ms)
{
	unsigned sent = 0;
	for (int64_t now = begin_ms; now < begin_ms + ms;) {
		const int64_t wait_ms = send_rate_wait_ms(rate, now);
		assert_true((send_rate_left(rate, now, PLACES_MAX) > 0) == (wait_ms == 0));
		if (send_rate_take(rate, now))
			sent++;
		else
			now += wait_ms;
	}
	return sent;
}

static void
mails_an_hour(void **state UNUSED)
{
	struct send_rate slow = { .per_hour = 10 }, fast = { .per_hour = 6000 }, any = { .per_hour = 0 };
	assert_int_equal(sent_in(&slow, 5, 3600 * 1000), 10);
	assert_int_equal(sent_in(&slow, 5 + 3600 * 1000, 3600 * 1000), 10);
	/* a minute's number is sent at once; after a pause, again a minute's number, not that of the whole pause */
	assert_int_equal(sent_in(&fast, 0, 1), 100);
	assert_in_range(sent_in(&fast, 1, 60 * 1000), 99, 101);
	assert_int_equal(sent_in(&fast, 10 * 3600 * 1000, 1), 100);
	for (unsigned i = 0; i < 100000; i++)
		assert_true(send_rate_take(&any, 0));
	assert_int_equal(send_rate_left(&any, 0, 7), 7);
}

static void
holds_grow(void **state UNUSED)
{
	for (uint64_t random = 0; random < 1000000; random += 9973) {
		assert_true(send_hold_ms(1, random) >= 4000 && send_hold_ms(1, random) <= 6000);
		assert_true(send_hold_ms(2, random) >= 8000 && send_hold_ms(2, random) <= 12000);
		assert_true(send_hold_ms(1000, random) >= 480000 && send_hold_ms(1000, random) <= 720000);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(urgent_mails_come_first),
		cmocka_unit_test(campaigns_take_turns),
		cmocka_unit_test(a_budget_is_for_both_turns),
		cmocka_unit_test(accounts_take_turns),
		cmocka_unit_test(an_account_at_its_limit_stops_no_other),
		cmocka_unit_test(the_installation_has_a_limit),
		cmocka_unit_test(more_campaigns_than_are_searched_at_a_time),
		cmocka_unit_test(mails_an_hour),
		cmocka_unit_test(holds_grow),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
