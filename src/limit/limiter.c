/* SPDX-License-Identifier: MIT */
#include "limit/limiter.h"

#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/panic.h"
#include "base/pool.h"
#include "crypto/digest.h"
#include "os/log.h"
#include "os/shared.h"

enum {
	NAMES = LIMIT_KINDS * LIMIT_REACHES, /* one more table, without windows: the noted names */
	TABLES,
	SHARES = 100, /* the memory is divided into this many parts */
	NAMES_SHARE = 2,
	NAME_AGE_MS = MINUTE_MS
};

#define TABLE(kind, reach) ((reach)*LIMIT_KINDS + (kind))

/* For each kind: the shares of its tables, by reach, and the metric of its refusals. With the share of the names, they add up
 * to SHARES. */
#define ROW(name, callers, sites, providers, metric) { { callers, sites, providers }, METRIC_##metric },
static const struct {
	size_t shares[LIMIT_REACHES];
	enum metric_limit metric;
} kinds[LIMIT_KINDS] = { LIMIT_LIST(ROW) };
#undef ROW

static const uint32_t times[LIMIT_REACHES] = { [REACH_CALLER] = 1, [REACH_SITE] = 4, [REACH_PROVIDER] = LIMIT_FACTOR_MAX };

/* The entry of one caller, followed by the counters of its rings. A free entry is all zeros. */
struct entry {
	unsigned char name[LIMITER_CALLER_MAX]; /* of the caller, masked */
	uint32_t newest[LIMIT_WINDOWS_MAX];     /* for each ring; for a name: its last use, in units of NAME_AGE_MS */
};

struct table {
	size_t offset, sets, stride; /* offset in the memory, number of sets, bytes of an entry */
	size_t windows;
	uint32_t limits[LIMIT_WINDOWS_MAX];
	struct ring_shape shapes[LIMIT_WINDOWS_MAX];
	size_t counters[LIMIT_WINDOWS_MAX]; /* offsets in an entry */
};

struct limiter {
	struct shared shared;
	struct table tables[TABLES];
	int64_t (*now_ms)(void);
};

/* The set of a caller. Claim and entry are set by decide(). */
struct location {
	const struct table *table;
	const struct limit_claim *claim;
	struct entry *entry;
	unsigned char name[LIMITER_CALLER_MAX];
	unsigned char *set;
	size_t lock;
};

enum metric_limit
limit_metric(enum limit_kind kind)
{
	return kinds[kind].metric;
}

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
		const size_t share = i == NAMES ? NAMES_SHARE : kinds[i % LIMIT_KINDS].shares[i / LIMIT_KINDS];
		const size_t size = options->memory / SHARES * share / sizeof(uint64_t) * sizeof(uint64_t);
		const bool counts = i != NAMES && size > 0;
		lay_out_entry(table, counts ? &options->rules[i % LIMIT_KINDS] : &none, counts ? times[i / LIMIT_KINDS] : 1);
		table->offset = offset;
		table->sets = size / (table->stride * LIMITER_WAYS);
		offset += size;
	}
	if (offset > options->memory)
		panic("limits need more memory than they have");
}

/* The layout depends only on the size of the memory and on the rules. */
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
	if (!shared_open(options->folder, LIMITER_FILE, options->memory, layout.bytes, LOG_LEVEL_ERROR, &limiter->shared)) {
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

/* The digest of a network: the position of its sets, and the mask of its callers' names, so that the memory contains no
 * addresses. */
static struct digest
digest_of(const struct limiter *limiter, struct slice network)
{
	const struct slice pieces[] = { { (const char *)limiter->shared.secret, SHARED_SECRET_SIZE }, network };
	return digest_sha256(pieces, ARRAY_SIZE(pieces));
}

/* A hash within a network: FNV-1a, with a final mix of the bits, because names may be short. It needs no secret: collisions
 * that an attacker provokes affect only callers of the same network. */
static uint64_t
place_within(struct slice caller)
{
	uint64_t hash = UINT64_C(14695981039346656037);
	for (size_t i = 0; i < caller.size; i++)
		hash = (hash ^ (unsigned char)caller.data[i]) * UINT64_C(1099511628211);
	hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
	return hash >> 32;
}

static struct location
location_of(const struct limiter *limiter, const struct digest *network, size_t spread, size_t table, struct slice caller)
{
	require(spread > 0 && spread <= LIMITER_SPREAD);
	struct location location = { .table = &limiter->tables[table] };
	uint64_t place;
	memcpy(location.name, network->bytes + sizeof(place), LIMITER_CALLER_MAX);
	for (size_t i = 0; i < caller.size && i < LIMITER_CALLER_MAX; i++)
		location.name[i] ^= (unsigned char)caller.data[i];
	memcpy(&place, network->bytes, sizeof(place));
	place = (place + place_within(caller) % spread) % location.table->sets;
	location.set = limiter->shared.memory + location.table->offset + place * location.table->stride * LIMITER_WAYS;
	location.lock = (place * TABLES + table) % SHARED_LOCKS;
	return location;
}

static struct entry *
entry_at(const struct location *location, size_t way)
{
	return (struct entry *)(void *)(location->set + way * location->table->stride);
}

static struct ring
ring_of(const struct table *table, struct entry *entry, size_t window)
{
	return (
	    struct ring){ &table->shapes[window], (unsigned char *)entry + table->counters[window], &entry->newest[window] };
}

/* The use of the fullest window in 65536ths of its limit; 0: all windows are empty. */
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
find_entry(const struct location *location)
{
	for (size_t way = 0; way < LIMITER_WAYS; way++) {
		struct entry *entry = entry_at(location, way);
		if (memcmp(entry->name, location->name, LIMITER_CALLER_MAX) == 0)
			return entry;
	}
	return NULL;
}

/* Returns the caller's entry; if it has none, the first of the least used entries of its set. */
static struct entry *
find_or_choose(const struct location *location, int64_t now_ms)
{
	struct entry *chosen = find_entry(location);
	uint64_t least = UINT64_MAX;
	if (chosen != NULL)
		return chosen;
	for (size_t way = 0; way < LIMITER_WAYS; way++) {
		struct entry *entry = entry_at(location, way);
		const uint64_t load = load_of(location->table, entry, now_ms);
		if (load >= least)
			continue;
		least = load;
		chosen = entry;
	}
	return chosen;
}

/* Checks all windows of the entry; the verdict has the longest wait. */
static void
check_windows(const struct location *location, int64_t now_ms, struct limit_verdict *verdict)
{
	const struct limit_claim *claim = location->claim;
	for (size_t i = 0; i < location->table->windows; i++) {
		const uint32_t limit = claim->kind == LIMIT_ACCOUNT ? claim->limit : location->table->limits[i];
		const struct ring ring = ring_of(location->table, location->entry, i);
		const int64_t wait_ms = ring_wait_ms(&ring, limit, now_ms);
		if (wait_ms <= verdict->wait_ms)
			continue;
		verdict->kind = claim->kind;
		verdict->limit = limit;
		verdict->wait_ms = wait_ms;
	}
}

static void
add(const struct location *location)
{
	memcpy(location->entry->name, location->name, LIMITER_CALLER_MAX);
	for (size_t i = 0; i < location->table->windows; i++) {
		const struct ring ring = ring_of(location->table, location->entry, i);
		ring_add(&ring);
	}
}

/* Locks are always acquired in ascending order. */
static void
sort_by_lock(struct location *locations, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		const struct location location = locations[i];
		size_t place = i;
		for (; place > 0 && locations[place - 1].lock > location.lock; place--)
			locations[place] = locations[place - 1];
		locations[place] = location;
	}
}

static void
unlock(struct limiter *limiter, const struct location *locations, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (i == 0 || locations[i].lock != locations[i - 1].lock)
			pthread_mutex_unlock(&limiter->shared.locks[locations[i].lock]);
}

static bool
lock(struct limiter *limiter, const struct location *locations, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		require(i == 0 || locations[i - 1].lock <= locations[i].lock);
		if ((i > 0 && locations[i].lock == locations[i - 1].lock) ||
		    shared_lock(&limiter->shared.locks[locations[i].lock]))
			continue;
		unlock(limiter, locations, i);
		return false;
	}
	return true;
}

enum effect { COUNTS, COUNTS_NOTHING };

/* Without the lock, which a stopped process may hold forever, requests pass and are not counted. */
static bool
decide(struct limiter *limiter, const struct limit_network *network, const struct limit_claim *claims, size_t count,
    enum effect effect, struct limit_verdict *verdict)
{
	const struct digest digest = digest_of(limiter, network->name);
	struct location locations[LIMITER_CLAIMS_MAX];
	size_t used = 0;
	*verdict = (struct limit_verdict){ .wait_ms = 0 };
	if (count > LIMITER_CLAIMS_MAX)
		panic("too many claims");
	for (size_t i = 0; i < count; i++) {
		const size_t table = TABLE(claims[i].kind, claims[i].reach);
		if (limiter->tables[table].windows == 0)
			continue;
		require(claims[i].caller.size <= LIMITER_CALLER_MAX);
		require(claims[i].kind != LIMIT_ACCOUNT || (claims[i].limit > 0 && claims[i].limit <= LIMIT_MAX));
		locations[used] = location_of(limiter, &digest, network->spread, table, claims[i].caller);
		locations[used++].claim = &claims[i];
	}
	sort_by_lock(locations, used);
	if (used == 0 || !lock(limiter, locations, used))
		return true;
	const int64_t now_ms = limiter->now_ms(); /* read under the locks, so that times do not decrease */
	for (size_t i = 0; i < used; i++) {
		locations[i].entry = find_or_choose(&locations[i], now_ms);
		check_windows(&locations[i], now_ms, verdict);
	}
	for (size_t i = 0; i < used && effect == COUNTS && verdict->wait_ms == 0; i++)
		add(&locations[i]);
	unlock(limiter, locations, used);
	return verdict->wait_ms == 0;
}

bool
limiter_pass(struct limiter *limiter, const struct limit_network *network, const struct limit_claim *claims, size_t count,
    struct limit_verdict *verdict)
{
	return decide(limiter, network, claims, count, COUNTS, verdict);
}

bool
limiter_would_pass(struct limiter *limiter, const struct limit_network *network, const struct limit_claim *claims, size_t count,
    struct limit_verdict *verdict)
{
	return decide(limiter, network, claims, count, COUNTS_NOTHING, verdict);
}

/* Whether any window that has not passed has counted something. Reads without a lock, and changes nothing. */
static bool
is_used(const struct table *table, const unsigned char *entry, int64_t now_ms)
{
	const struct entry *seen = (const struct entry *)(const void *)entry;
	for (size_t i = 0; i < table->windows; i++) {
		const uint32_t part = (uint32_t)(now_ms / table->shapes[i].part_ms);
		const size_t size = part - seen->newest[i] > WINDOW_PARTS ? 0 : ring_bytes(&table->shapes[i]);
		for (size_t j = 0; j < size; j++)
			if (entry[table->counters[i] + j] != 0)
				return true;
	}
	return false;
}

double
limiter_fill(struct limiter *limiter, enum limit_kind kind)
{
	enum { SETS_EXAMINED = 64 };
	const struct table *table = &limiter->tables[TABLE(kind, REACH_CALLER)];
	const size_t sets = table->sets < SETS_EXAMINED ? table->sets : SETS_EXAMINED;
	const int64_t now_ms = limiter->now_ms();
	size_t used = 0;
	if (table->windows == 0 || sets == 0)
		return 0;
	for (size_t i = 0; i < sets * LIMITER_WAYS; i++) {
		const size_t set = i / LIMITER_WAYS * (table->sets / sets);
		const size_t place = (set * LIMITER_WAYS + i % LIMITER_WAYS) * table->stride;
		used += is_used(table, limiter->shared.memory + table->offset + place, now_ms);
	}
	return (double)used / (double)(sets * LIMITER_WAYS);
}

uint32_t
limiter_count(struct limiter *limiter, const struct limit_network *network, const struct limit_claim *claim)
{
	const struct digest digest = digest_of(limiter, network->name);
	const size_t table = TABLE(claim->kind, claim->reach);
	uint32_t count = 0;
	if (limiter->tables[table].windows == 0)
		return 0;
	const struct location location = location_of(limiter, &digest, network->spread, table, claim->caller);
	if (!lock(limiter, &location, 1))
		return 0;
	struct entry *entry = find_entry(&location);
	if (entry != NULL) {
		const struct ring ring = ring_of(location.table, entry, 0);
		count = ring_count(&ring, limiter->now_ms());
	}
	unlock(limiter, &location, 1);
	return count;
}

/* ---- names ---- */

/* Locks the set of a name, and finds its entry, or NULL if there is none. Returns false if the lock cannot be acquired. */
static bool
lock_name(struct limiter *limiter, struct slice name, struct location *location)
{
	const struct digest digest = digest_of(limiter, name);
	*location = location_of(limiter, &digest, 1, NAMES, name);
	if (!lock(limiter, location, 1))
		return false;
	location->entry = find_entry(location);
	return true;
}

static uint32_t
name_age(const struct limiter *limiter)
{
	return (uint32_t)(limiter->now_ms() / NAME_AGE_MS);
}

static struct entry *
oldest_entry(const struct location *location)
{
	struct entry *oldest = entry_at(location, 0);
	for (size_t way = 1; way < LIMITER_WAYS; way++)
		if (entry_at(location, way)->newest[0] < oldest->newest[0])
			oldest = entry_at(location, way);
	return oldest;
}

void
limiter_note(struct limiter *limiter, struct slice name)
{
	struct location location;
	if (!lock_name(limiter, name, &location))
		return;
	struct entry *entry = location.entry == NULL ? oldest_entry(&location) : location.entry;
	memcpy(entry->name, location.name, LIMITER_CALLER_MAX);
	entry->newest[0] = name_age(limiter);
	unlock(limiter, &location, 1);
}

bool
limiter_is_noted(struct limiter *limiter, struct slice name)
{
	struct location location;
	if (!lock_name(limiter, name, &location))
		return false;
	if (location.entry != NULL)
		location.entry->newest[0] = name_age(limiter);
	unlock(limiter, &location, 1);
	return location.entry != NULL;
}

void
limiter_remove(struct limiter *limiter, struct slice name)
{
	struct location location;
	if (!lock_name(limiter, name, &location))
		return;
	if (location.entry != NULL)
		memset(location.entry, 0, sizeof(*location.entry));
	unlock(limiter, &location, 1);
}

/* ---- addresses ---- */

enum { V6_NETWORK_SIZE = 6, V4_SPREAD = 8 };
_Static_assert(sizeof(struct limit_name) <= (size_t)LIMITER_CALLER_MAX, "an address and a campaign");

/* The bytes of an IPv6 address that identify its caller: a client has a /64, a site a /56, and some sites a /48. */
static const size_t reach_bytes[LIMIT_REACHES] = { [REACH_CALLER] = 8, [REACH_SITE] = 7, [REACH_PROVIDER] = 6 };

size_t
limit_claim_address(const struct ip_address *address, enum limit_kind kind, uint64_t campaign_id, struct limit_claim *claims,
    struct limit_name *names)
{
	const bool v4 = ip_address_is_v4(address);
	const size_t reaches = v4 ? 1 : LIMIT_REACHES;
	for (size_t reach = 0; reach < reaches; reach++) {
		struct limit_name *caller = &names[reach];
		memset(caller, 0, sizeof(*caller));
		memcpy(caller->bytes, address->bytes, v4 ? sizeof(address->bytes) : reach_bytes[reach]);
		memcpy(caller->bytes + sizeof(address->bytes), &campaign_id, sizeof(campaign_id));
		claims[reach] = (struct limit_claim){
			.kind = kind, .reach = (enum limit_reach)reach, .caller = { caller->bytes, sizeof(caller->bytes) }
		};
	}
	return reaches;
}

/* An IPv6 site may have a /48, with more callers than fit into the memory. An IPv4 address counts as one caller per campaign.
 */
struct limit_network
limit_network_of(const struct ip_address *address)
{
	const bool v4 = ip_address_is_v4(address);
	const struct slice name = { (const char *)address->bytes, v4 ? sizeof(address->bytes) : V6_NETWORK_SIZE };
	return (struct limit_network){ name, v4 ? V4_SPREAD : LIMITER_SPREAD };
}
