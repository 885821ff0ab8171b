/* SPDX-License-Identifier: MIT */
#include "limit/limiter.h"

#include <stdlib.h>
#include <string.h>

#include "base/panic.h"
#include "base/pool.h"
#include "crypto/digest.h"
#include "limit/shared.h"
#include "limit/window.h"

enum {
	NAMES = LIMIT_KINDS * LIMIT_REACHES, /* one more table, of rings that have no windows: what was noted */
	TABLES,
	SHARES = 82, /* what the memory is divided into */
	NAME_AGE_MS = 60 * 1000
};

#define TABLE(kind, reach) ((reach)*LIMIT_KINDS + (kind))

/* Of SHARES, all together. */
static const size_t shares[TABLES] = {
	[LIMIT_LOOKUPS] = 18,
	[LIMIT_READINESS] = 2,
	[LIMIT_SIGNUPS] = 18,
	[LIMIT_POSTS] = 8,
	[LIMIT_FAILED_KEYS] = 8,
	[LIMIT_NEW_LEADS] = 2,
	[LIMIT_NEW_LEADS_LOG] = 1,
	[LIMIT_DELETES] = 4,
	[LIMIT_ACCOUNT] = 6,
	[TABLE(LIMIT_LOOKUPS, REACH_SITE)] = 2,
	[TABLE(LIMIT_READINESS, REACH_SITE)] = 1,
	[TABLE(LIMIT_SIGNUPS, REACH_SITE)] = 3,
	[TABLE(LIMIT_POSTS, REACH_SITE)] = 1,
	[TABLE(LIMIT_FAILED_KEYS, REACH_SITE)] = 1,
	[TABLE(LIMIT_LOOKUPS, REACH_PROVIDER)] = 1,
	[TABLE(LIMIT_READINESS, REACH_PROVIDER)] = 1,
	[TABLE(LIMIT_SIGNUPS, REACH_PROVIDER)] = 1,
	[TABLE(LIMIT_POSTS, REACH_PROVIDER)] = 1,
	[TABLE(LIMIT_FAILED_KEYS, REACH_PROVIDER)] = 1,
	[NAMES] = 2,
};

static const uint32_t times[LIMIT_REACHES] = { [REACH_CALLER] = 1, [REACH_SITE] = 4, [REACH_PROVIDER] = 16 };

/* One caller; zeros: nobody. Its rings' counters follow. */
struct entry {
	unsigned char name[LIMITER_WHO_MAX]; /* of the caller, masked */
	uint32_t newest[LIMIT_WINDOWS_MAX];  /* of each ring; of a noted name: when it was noted or asked for, in NAME_AGE_MS */
};

struct table {
	size_t offset, sets, stride; /* bytes from the memory's beginning, sets, bytes of an entry */
	size_t windows;
	uint32_t limits[LIMIT_WINDOWS_MAX];
	struct ring_shape shapes[LIMIT_WINDOWS_MAX];
	size_t counters[LIMIT_WINDOWS_MAX]; /* where they are in an entry */
};

struct limiter {
	struct shared shared;
	struct table tables[TABLES];
	int64_t (*now_ms)(void);
};

/* Where somebody is, or would be. */
struct seat {
	const struct table *table;
	unsigned char name[LIMITER_WHO_MAX];
	unsigned char *set;
	size_t lock;
};

static void
lay_out_entry(struct table *table, const struct limit_rule *rule, uint32_t factor)
{
	size_t size = sizeof(struct entry);
	table->windows = rule->count;
	for (size_t i = 0; i < rule->count; i++) {
		const struct limit_window window = { rule->windows[i].limit * factor, rule->windows[i].ms };
		table->limits[i] = window.limit;
		table->shapes[i] = ring_shape_of(&window);
		table->counters[i] = size;
		size += ring_bytes(&table->shapes[i]);
	}
	table->stride = size;
}

static void
lay_out(struct limiter *limiter, const struct limiter_options *options)
{
	static const struct limit_rule none;
	size_t offset = 0;
	for (size_t i = 0; i < TABLES; i++) {
		struct table *table = &limiter->tables[i];
		const size_t size = options->memory / SHARES * shares[i] / sizeof(uint64_t) * sizeof(uint64_t);
		const bool counts = i != NAMES && size > 0;
		lay_out_entry(table, counts ? &options->rules[i % LIMIT_KINDS] : &none, counts ? times[i / LIMIT_KINDS] : 1);
		table->offset = offset;
		table->sets = size / (table->stride * LIMITER_WAYS);
		offset += size;
	}
	if (offset > options->memory)
		panic("limits need more memory than they have");
}

/* What lies where follows from the memory and the rules. */
static struct digest
layout_of(const struct limiter_options *options)
{
	uint64_t numbers[1 + LIMIT_KINDS * LIMIT_WINDOWS_MAX * 2] = { options->memory };
	uint64_t *next = numbers + 1;
	for (size_t i = 0; i < LIMIT_KINDS; i++, next += (size_t)LIMIT_WINDOWS_MAX * 2)
		for (size_t j = 0; j < options->rules[i].count; j++) {
			next[2 * j] = options->rules[i].windows[j].limit;
			next[2 * j + 1] = (uint64_t)options->rules[i].windows[j].ms;
		}
	return digest_sha256(&(struct slice){ (const char *)numbers, sizeof(numbers) }, 1);
}

struct limiter *
limiter_open(const struct limiter_options *options)
{
	require(options->memory >= LIMITER_MEMORY_MIN);
	struct limiter *limiter = memory_alloc(sizeof(*limiter));
	const struct digest layout = layout_of(options);
	lay_out(limiter, options);
	limiter->now_ms = options->now_ms;
	if (!shared_open(options->folder, "limits", options->memory, layout.bytes, &limiter->shared)) {
		free(limiter);
		return NULL;
	}
	return limiter;
}

void
limiter_close(struct limiter **limiter)
{
	if (*limiter == NULL)
		return;
	shared_close(&(*limiter)->shared);
	free(*limiter);
	*limiter = NULL;
}

/* What a network comes to: where its sets begin, and what its callers' names are masked with, so that no address stands in the
 * memory. */
static struct digest
digest_of(const struct limiter *limiter, struct slice network)
{
	const struct slice pieces[] = { { (const char *)limiter->shared.secret, SHARED_SECRET_SIZE }, network };
	return digest_sha256(pieces, ARRAY_SIZE(pieces));
}

/* Within a network; FNV-1a, its bits mixed once more, for names may be short. Who foresees it gains nothing: they are his own
 * callers that he brings together. */
static uint64_t
place_within(struct slice who)
{
	uint64_t hash = UINT64_C(14695981039346656037);
	for (size_t i = 0; i < who.size; i++)
		hash = (hash ^ (unsigned char)who.data[i]) * UINT64_C(1099511628211);
	hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
	return hash >> 32;
}

static struct seat
seat_of(const struct limiter *limiter, const struct digest *network, size_t spread, size_t table, struct slice who)
{
	require(spread > 0 && spread <= LIMITER_SPREAD);
	struct seat seat = { .table = &limiter->tables[table] };
	uint64_t place;
	memcpy(seat.name, network->bytes + sizeof(place), LIMITER_WHO_MAX);
	for (size_t i = 0; i < who.size && i < LIMITER_WHO_MAX; i++)
		seat.name[i] ^= (unsigned char)who.data[i];
	memcpy(&place, network->bytes, sizeof(place));
	place = (place + place_within(who) % spread) % seat.table->sets;
	seat.set = limiter->shared.memory + seat.table->offset + place * seat.table->stride * LIMITER_WAYS;
	seat.lock = (place * TABLES + table) % SHARED_LOCKS;
	return seat;
}

static struct entry *
entry_at(const struct seat *seat, size_t way)
{
	return (struct entry *)(void *)(seat->set + way * seat->table->stride);
}

static struct ring
ring_of(const struct table *table, struct entry *entry, size_t window)
{
	return (
	    struct ring){ &table->shapes[window], (unsigned char *)entry + table->counters[window], &entry->newest[window] };
}

/* How much of its limit the fullest of its windows holds, in 65536ths; 0 is nothing at all. */
static uint64_t
load_of(const struct table *table, struct entry *entry, int64_t now_ms)
{
	uint64_t load = 0;
	for (size_t i = 0; i < table->windows; i++) {
		const struct ring ring = ring_of(table, entry, i);
		const uint64_t share = (((uint64_t)ring_count(&ring, now_ms) << 16) + table->limits[i] - 1) / table->limits[i];
		load = share > load ? share : load;
	}
	return load;
}

static struct entry *
find_entry(const struct seat *seat)
{
	for (size_t way = 0; way < LIMITER_WAYS; way++) {
		struct entry *entry = entry_at(seat, way);
		if (memcmp(entry->name, seat->name, LIMITER_WHO_MAX) == 0)
			return entry;
	}
	return NULL;
}

/* His own, or the one that he would go on with: the least used, and of those the first. */
static struct entry *
find_or_choose(const struct seat *seat, int64_t now_ms)
{
	struct entry *chosen = find_entry(seat);
	uint64_t least = UINT64_MAX;
	if (chosen != NULL)
		return chosen;
	for (size_t way = 0; way < LIMITER_WAYS; way++) {
		struct entry *entry = entry_at(seat, way);
		const uint64_t load = load_of(seat->table, entry, now_ms);
		if (load >= least)
			continue;
		least = load;
		chosen = entry;
	}
	return chosen;
}

/* What each window of his says; the longest wait is kept. */
static void
judge(const struct seat *seat, struct entry *entry, const struct limit_claim *claim, int64_t now_ms,
    struct limit_verdict *verdict)
{
	for (size_t i = 0; i < seat->table->windows; i++) {
		const uint32_t limit = claim->kind == LIMIT_ACCOUNT ? claim->limit : seat->table->limits[i];
		const struct ring ring = ring_of(seat->table, entry, i);
		const int64_t wait_ms = ring_wait_ms(&ring, limit, now_ms);
		if (wait_ms <= verdict->wait_ms)
			continue;
		verdict->kind = claim->kind;
		verdict->limit = limit;
		verdict->wait_ms = wait_ms;
	}
}

static void
add(const struct seat *seat, struct entry *entry)
{
	memcpy(entry->name, seat->name, LIMITER_WHO_MAX);
	for (size_t i = 0; i < seat->table->windows; i++) {
		const struct ring ring = ring_of(seat->table, entry, i);
		ring_add(&ring);
	}
}

/* Locks are always taken in the order of their numbers. */
static void
sort_by_lock(struct seat *seats, const struct limit_claim **claims, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		const struct seat seat = seats[i];
		const struct limit_claim *claim = claims[i];
		size_t place = i;
		for (; place > 0 && seats[place - 1].lock > seat.lock; place--) {
			seats[place] = seats[place - 1];
			claims[place] = claims[place - 1];
		}
		seats[place] = seat;
		claims[place] = claim;
	}
}

static void
unlock(struct limiter *limiter, const struct seat *seats, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (i == 0 || seats[i].lock != seats[i - 1].lock)
			pthread_mutex_unlock(&limiter->shared.locks[seats[i].lock]);
}

static bool
lock(struct limiter *limiter, const struct seat *seats, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		require(i == 0 || seats[i - 1].lock <= seats[i].lock);
		if ((i > 0 && seats[i].lock == seats[i - 1].lock) || shared_lock(&limiter->shared.locks[seats[i].lock]))
			continue;
		unlock(limiter, seats, i);
		return false;
	}
	return true;
}

/* Without the lock, which a process that was stopped may keep for ever, nobody is counted, and nobody refused. */
static bool
decide(struct limiter *limiter, const struct limit_network *network, const struct limit_claim *claims, size_t count,
    bool counts, struct limit_verdict *verdict)
{
	const struct digest digest = digest_of(limiter, network->name);
	struct seat seats[LIMITER_CLAIMS_MAX];
	const struct limit_claim *made[LIMITER_CLAIMS_MAX];
	struct entry *entries[LIMITER_CLAIMS_MAX];
	size_t used = 0;
	*verdict = (struct limit_verdict){ .wait_ms = 0 };
	if (count > LIMITER_CLAIMS_MAX)
		panic("too many claims");
	for (size_t i = 0; i < count; i++) {
		const size_t table = TABLE(claims[i].kind, claims[i].reach);
		if (limiter->tables[table].windows == 0)
			continue;
		require(claims[i].who.size <= LIMITER_WHO_MAX);
		require(claims[i].kind != LIMIT_ACCOUNT || (claims[i].limit > 0 && claims[i].limit <= LIMIT_MAX));
		made[used] = &claims[i];
		seats[used++] = seat_of(limiter, &digest, network->spread, table, claims[i].who);
	}
	sort_by_lock(seats, made, used);
	if (used == 0 || !lock(limiter, seats, used))
		return true;
	const int64_t now_ms = limiter->now_ms(); /* behind the locks: who comes later, comes later */
	for (size_t i = 0; i < used; i++) {
		entries[i] = find_or_choose(&seats[i], now_ms);
		judge(&seats[i], entries[i], made[i], now_ms, verdict);
	}
	for (size_t i = 0; i < used && counts && verdict->wait_ms == 0; i++)
		add(&seats[i], entries[i]);
	unlock(limiter, seats, used);
	return verdict->wait_ms == 0;
}

bool
limiter_pass(struct limiter *limiter, const struct limit_network *network, const struct limit_claim *claims, size_t count,
    struct limit_verdict *verdict)
{
	return decide(limiter, network, claims, count, true, verdict);
}

bool
limiter_would_pass(struct limiter *limiter, const struct limit_network *network, const struct limit_claim *claims, size_t count,
    struct limit_verdict *verdict)
{
	return decide(limiter, network, claims, count, false, verdict);
}

/* ---- names ---- */

static struct seat
seat_of_name(const struct limiter *limiter, struct slice name)
{
	const struct digest digest = digest_of(limiter, name);
	return seat_of(limiter, &digest, 1, NAMES, name);
}

static uint32_t
name_age(const struct limiter *limiter)
{
	return (uint32_t)(limiter->now_ms() / NAME_AGE_MS);
}

static struct entry *
oldest_entry(const struct seat *seat)
{
	struct entry *oldest = entry_at(seat, 0);
	for (size_t way = 1; way < LIMITER_WAYS; way++)
		if (entry_at(seat, way)->newest[0] < oldest->newest[0])
			oldest = entry_at(seat, way);
	return oldest;
}

void
limiter_note(struct limiter *limiter, struct slice name)
{
	const struct seat seat = seat_of_name(limiter, name);
	if (!lock(limiter, &seat, 1))
		return;
	struct entry *entry = find_entry(&seat);
	if (entry == NULL)
		entry = oldest_entry(&seat);
	memcpy(entry->name, seat.name, LIMITER_WHO_MAX);
	entry->newest[0] = name_age(limiter);
	unlock(limiter, &seat, 1);
}

bool
limiter_knows(struct limiter *limiter, struct slice name)
{
	const struct seat seat = seat_of_name(limiter, name);
	if (!lock(limiter, &seat, 1))
		return false;
	struct entry *entry = find_entry(&seat);
	if (entry != NULL)
		entry->newest[0] = name_age(limiter);
	unlock(limiter, &seat, 1);
	return entry != NULL;
}

void
limiter_forget(struct limiter *limiter, struct slice name)
{
	const struct seat seat = seat_of_name(limiter, name);
	if (!lock(limiter, &seat, 1))
		return;
	struct entry *entry = find_entry(&seat);
	if (entry != NULL)
		memset(entry, 0, sizeof(*entry));
	unlock(limiter, &seat, 1);
}
