/* SPDX-License-Identifier: MIT */
#include "commit/turns.h"

#include <stdlib.h>
#include <string.h>

#include "base/panic.h"

enum {
	ESTIMATES = 256,     /* a power of two */
	FIRST_ESTIMATE = 25, /* work per lead if nothing is known yet */
	BYTES_OF_WORK = 1024 /* bytes that cost as much as a row */
};

/* The work per lead that commands of one kind and campaign caused. The estimate for another kind or campaign may take its
 * place. */
struct estimate {
	uint64_t campaign_id;
	enum command_kind kind;
	uint32_t work; /* 0: no estimate yet */
};

/* An account with waiting commands. */
struct account {
	uint64_t id;
	int64_t deficit; /* work that it may add to a batch */
	/* during one choice */
	size_t first, last; /* its first and last command, as indices of `struct entry`; NONE: none left */
};

#define NONE SIZE_MAX

struct turns {
	struct estimate estimates[ESTIMATES];
	struct account *accounts; /* in the order of their turns */
	size_t count, capacity;
};

/* A waiting command. */
struct entry {
	const struct turn *turn;
	size_t place, next; /* `next`: the next one of the same account */
	uint32_t work;
};

/* A batch while it is being chosen. */
struct choice {
	struct entry *entries;
	struct turns_limits limits;
	size_t *chosen, count, leads;
	uint64_t work;
	bool is_large; /* the batch is a single large command */
};

struct turn
turn_of(const struct command *command, uint64_t arrival)
{
	return (struct turn){ command->owner_id, command->campaign_id, command->kind, (uint32_t)command_lead_count(command),
		arrival };
}

struct turns *
turns_new(void)
{
	return memory_alloc(sizeof(struct turns));
}

void
turns_free(struct turns **turns)
{
	if (*turns == NULL)
		return;
	free((*turns)->accounts);
	free(*turns);
	*turns = NULL;
}

static size_t
estimate_place(const struct turn *turn)
{
	return (turn->campaign_id * (COMMAND_CHANGE + 1) + turn->kind) % ESTIMATES;
}

static uint32_t
work_of_lead(const struct turns *turns, const struct turn *turn)
{
	const struct estimate *estimate = &turns->estimates[estimate_place(turn)];
	const bool known = estimate->campaign_id == turn->campaign_id && estimate->kind == turn->kind && estimate->work > 0;
	return known ? estimate->work : FIRST_ESTIMATE;
}

uint32_t
turns_expect(const struct turns *turns, const struct turn *turn)
{
	const uint64_t work = (uint64_t)work_of_lead(turns, turn) * (turn->leads > 0 ? turn->leads : 1);
	return work < TURNS_COMMAND_WORK ? (uint32_t)work : TURNS_COMMAND_WORK;
}

/* The estimate rises at once and falls slowly, because a batch that is too large keeps others waiting. */
void
turns_learn(struct turns *turns, const struct turn *turn, struct work work)
{
	const uint32_t leads = turn->leads > 0 ? turn->leads : 1;
	const uint32_t now = (work.rows + work.bytes / BYTES_OF_WORK) / leads + 1, before = work_of_lead(turns, turn);
	turns->estimates[estimate_place(turn)] = (struct estimate){
		.campaign_id = turn->campaign_id,
		.kind = turn->kind,
		.work = now >= before ? now : before - (before - now + 3) / 4,
	};
}

static int
compare(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	return (a->turn->arrival > b->turn->arrival) - (a->turn->arrival < b->turn->arrival);
}

static struct account *
find_account(struct turns *turns, uint64_t id)
{
	for (size_t i = 0; i < turns->count; i++)
		if (turns->accounts[i].id == id)
			return &turns->accounts[i];
	if (turns->count == turns->capacity) {
		turns->capacity = turns->capacity == 0 ? 16 : 2 * turns->capacity;
		turns->accounts = memory_realloc(turns->accounts, turns->capacity * sizeof(*turns->accounts));
	}
	turns->accounts[turns->count] = (struct account){ .id = id, .first = NONE };
	return &turns->accounts[turns->count++];
}

/* Gives each account its commands, in the order of arrival. Accounts without commands are dropped. */
static void
group(struct turns *turns, struct entry *entries, size_t count)
{
	size_t left = 0;
	for (size_t i = 0; i < turns->count; i++)
		turns->accounts[i].first = NONE;
	for (size_t i = 0; i < count; i++) {
		struct account *account = find_account(turns, entries[i].turn->account_id);
		if (account->first == NONE)
			account->first = i;
		else
			entries[account->last].next = i;
		account->last = i;
	}
	for (size_t i = 0; i < turns->count; i++)
		if (turns->accounts[i].first != NONE)
			turns->accounts[left++] = turns->accounts[i];
	turns->count = left;
}

static bool
fits(const struct choice *choice, const struct entry *entry)
{
	if (choice->count == 0)
		return true;
	return !choice->is_large && entry->work <= TURNS_LARGE_WORK &&
	       (choice->count < choice->limits.commands && choice->leads + entry->turn->leads <= choice->limits.leads &&
		   choice->work + entry->work <= TURNS_BATCH_WORK);
}

/* Takes commands of the account that its deficit covers, as long as they fit. */
static void
take(struct choice *choice, struct account *account)
{
	while (account->first != NONE) {
		const struct entry *entry = &choice->entries[account->first];
		if (account->deficit < (int64_t)entry->work || !fits(choice, entry))
			return;
		choice->chosen[choice->count++] = entry->place;
		choice->leads += entry->turn->leads;
		choice->work += entry->work;
		choice->is_large = entry->work > TURNS_LARGE_WORK;
		account->deficit -= entry->work;
		account->first = entry->next;
	}
	account->deficit = 0; /* unused work is not saved up */
}

/* The account at `place` begins the next batch. */
static void
rotate(struct turns *turns, struct pool *pool, size_t place)
{
	struct account *copy = POOL_ARRAY(pool, turns->count, struct account);
	memcpy(copy, turns->accounts, turns->count * sizeof(*copy));
	for (size_t i = 0; i < turns->count; i++)
		turns->accounts[i] = copy[(place + i) % turns->count];
}

/* Whether the deficit covers the account's next command. */
static bool
is_covered(const struct choice *choice, const struct account *account)
{
	return account->first != NONE && account->deficit >= (int64_t)choice->entries[account->first].work;
}

/* One round. If the batch has no room for all that an account may add, that account begins the next batch, without a new
 * quantum. Otherwise, after a large command, the next account begins it. */
static void
run_round(struct turns *turns, struct pool *pool, struct choice *choice)
{
	for (size_t i = 0; i < turns->count; i++) {
		struct account *account = &turns->accounts[i];
		account->deficit += TURNS_QUANTUM;
		take(choice, account);
		const bool more = is_covered(choice, account);
		if (more)
			account->deficit -= TURNS_QUANTUM;
		if (more || choice->is_large) {
			rotate(turns, pool, more ? i : i + 1);
			return;
		}
	}
}

size_t
turns_choose(struct turns *turns, struct pool *pool, const struct turn *const *waiting, size_t count,
    struct turns_limits limits, size_t *chosen)
{
	struct choice choice = { .entries = POOL_ARRAY(pool, count, struct entry), .limits = limits, .chosen = chosen };
	for (size_t i = 0; i < count; i++)
		choice.entries[i] = (struct entry){ waiting[i], i, NONE, turns_expect(turns, waiting[i]) };
	if (count > 1)
		qsort(choice.entries, count, sizeof(*choice.entries), compare);
	group(turns, choice.entries, count);
	if (turns->count == 1) {
		turns->accounts[0].deficit = INT64_MAX; /* no other account waits */
		take(&choice, &turns->accounts[0]);
		turns->accounts[0].deficit = 0;
	}
	while (choice.count == 0 && turns->count > 0)
		run_round(turns, pool, &choice);
	return choice.count;
}
