/* SPDX-License-Identifier: MIT */
#include "fake_world.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "os/clock.h"

enum { NEWEST_MS = 2000 /* maximum age of deliveries that a poll of the newest rows finds */, LOCK_WAIT_MS = 1000 };

struct world world;

void
world_reset(void)
{
	memset(&world, 0, sizeof(world));
	world.stop_ms = world.lost_commit_ms = -1;
	for (size_t i = 0; i < WORLD_WEBHOOKS; i++)
		world.webhooks[i] = (struct world_webhook){ .status = 200, .failing_since_ms = -1, .succeeded = true };
}

void
world_add(uint64_t webhook_id, size_t count, int64_t due_ms)
{
	for (size_t i = 0; i < count; i++) {
		size_t at = world.delivery_count++;
		world.deliveries[at] = (struct world_delivery){
			.id = at + 1, .webhook_id = webhook_id, .due_ms = due_ms, .born_ms = due_ms, .state = DELIVERY_PENDING
		};
	}
}

void
world_note_start(uint64_t delivery_id)
{
	struct world_delivery *delivery = &world.deliveries[delivery_id - 1];
	if (delivery->under_way_in == world.run) {
		fprintf(stderr, "delivery %u is sent while it is under way\n", (unsigned)delivery_id);
		abort();
	}
	delivery->under_way_in = world.run;
	delivery->started_ms[delivery->started++ % WORLD_ATTEMPTS] = world.now_ms;
	if (++world.unrecorded > world.most_unrecorded)
		world.most_unrecorded = world.unrecorded;
}

void
world_redeliver(uint64_t webhook_id)
{
	for (size_t i = 0; i < world.delivery_count; i++) {
		struct world_delivery *delivery = &world.deliveries[i];
		if (delivery->webhook_id != webhook_id)
			continue;
		delivery->state = DELIVERY_PENDING;
		delivery->attempts_before = delivery->attempts;
		delivery->due_ms = world.now_ms;
	}
}

static struct world *left_by_the_killed;

void
world_kill(void)
{
	memcpy(left_by_the_killed, &world, sizeof(world));
	raise(SIGKILL);
}

void
world_run_to_the_kill(void (*run)(void))
{
	int status;
	left_by_the_killed = mmap(NULL, sizeof(world), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const pid_t pid = left_by_the_killed == MAP_FAILED ? -1 : fork();
	if (pid == 0) {
		run();
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
		abort();
	memcpy(&world, left_by_the_killed, sizeof(world));
	munmap(left_by_the_killed, sizeof(world));
}

size_t
world_count(uint64_t webhook_id, enum delivery_state state)
{
	size_t count = 0;
	for (size_t i = 0; i < world.delivery_count; i++)
		if (world.deliveries[i].state == state && (webhook_id == 0 || world.deliveries[i].webhook_id == webhook_id))
			count++;
	return count;
}

/* ---- the store ---- */

bool
world_reachable(void)
{
	const bool away = world.now_ms >= world.outage_from_ms && world.now_ms < world.outage_until_ms;
	world.now_ms += WORLD_CALL_MS;
	if (world.thread == WORLD_RECORDER && world.now_ms < world.recorder_away_until_ms)
		return false;
	world.calls_in_outage += away ? 1 : 0;
	return !away;
}

/* The shards that this dispatcher leases now. */
static uint64_t
leased_shards(const unsigned char owner[DISPATCH_OWNER_SIZE])
{
	const bool lost = world.now_ms >= world.lost_ms && world.now_ms < world.regained_ms;
	const bool ours = memcmp(world.owner, owner, sizeof(world.owner)) == 0 && world.now_ms < world.leased_until_ms;
	return ours && !lost ? ~world.foreign : 0;
}

enum result
store_shards_lease(
    struct store *store UNUSED, const unsigned char owner[DISPATCH_OWNER_SIZE], int64_t lease_ms, uint64_t *leased)
{
	*leased = 0;
	if (!world_reachable() || (world.lease_fails_from_ms > 0 && world.now_ms >= world.lease_fails_from_ms))
		return RESULT_UNAVAILABLE;
	if (world.leased && world.now_ms - world.leased_until_ms > world.longest_lease_gap_ms)
		world.longest_lease_gap_ms = world.now_ms - world.leased_until_ms;
	world.leased = true;
	world.released = false;
	world.leased_until_ms = world.now_ms + lease_ms;
	memcpy(world.owner, owner, sizeof(world.owner));
	*leased = leased_shards(owner);
	return RESULT_OK;
}

enum result
store_shards_release(struct store *store UNUSED, const unsigned char owner[DISPATCH_OWNER_SIZE] UNUSED)
{
	if (!world_reachable())
		return RESULT_UNAVAILABLE;
	world.released = true;
	return RESULT_OK;
}

enum result
store_recover(struct store *store UNUSED, const unsigned char dead_owner[DISPATCH_OWNER_SIZE],
    const struct interrupted_delivery *interrupted, size_t count)
{
	if (!world_reachable())
		return RESULT_UNAVAILABLE;
	if (world.failing_recoveries > 0) {
		world.failing_recoveries--;
		return RESULT_CONFLICT;
	}
	world.recoveries += world.leased ? 0 : 1;
	memcpy(world.dead, dead_owner, sizeof(world.dead));
	for (size_t i = 0; i < count; i++) {
		struct world_delivery *delivery = &world.deliveries[interrupted[i].id - 1];
		if (delivery->state != DELIVERY_PENDING || delivery->attempts + 1 != interrupted[i].attempt)
			continue;
		delivery->attempts++;
		delivery->due_ms = world.now_ms + interrupted[i].delay_ms;
		world.interrupted++;
		if (interrupted[i].delay_ms > world.recovery_delay_ms)
			world.recovery_delay_ms = interrupted[i].delay_ms;
	}
	return RESULT_OK;
}

static bool
is_to_be_ended(const struct world_delivery *delivery)
{
	enum webhook_state state = world.webhooks[delivery->webhook_id].state;
	return state == WEBHOOK_MISSING && delivery->state == DELIVERY_PENDING;
}

/* Per webhook, from one pass over all rows: when its first delivery is due, and whether deliveries must be ended. */
struct overview {
	int64_t first_ms[WORLD_WEBHOOKS], ready_ms[WORLD_WEBHOOKS]; /* ready: and the webhook is not held */
	bool ended[WORLD_WEBHOOKS];
};

static void
look_over(struct overview *overview, bool newest, int64_t from_ms)
{
	for (size_t i = 0; i < WORLD_WEBHOOKS; i++) {
		overview->first_ms[i] = INT64_MAX;
		overview->ended[i] = false;
	}
	for (size_t i = 0; i < world.delivery_count; i++) {
		const struct world_delivery *delivery = &world.deliveries[i];
		int64_t *first_ms = &overview->first_ms[delivery->webhook_id];
		if (delivery->state == DELIVERY_PENDING && (!newest || delivery->born_ms >= from_ms) &&
		    delivery->due_ms < *first_ms)
			*first_ms = delivery->due_ms;
		if (!newest && is_to_be_ended(delivery))
			overview->ended[delivery->webhook_id] = true;
	}
	for (size_t i = 0; i < WORLD_WEBHOOKS; i++)
		overview->ready_ms[i] = overview->first_ms[i] > world.webhooks[i].hold_until_ms
					    ? overview->first_ms[i]
					    : world.webhooks[i].hold_until_ms;
}

static struct due_webhook
due_webhook(uint64_t id, int64_t first_ms)
{
	const struct world_webhook *webhook = &world.webhooks[id];
	return (struct due_webhook){
		.webhook_id = id,
		.account_id = webhook->account_id,
		.first_due_ms = first_ms + WORLD_DATABASE_AHEAD_MS,
		.failures = webhook->failures,
		.probes = webhook->probes,
		.failing_since_ms = webhook->failing_since_ms < 0 ? -1 : webhook->failing_since_ms + WORLD_DATABASE_AHEAD_MS,
		.succeeded = webhook->succeeded,
		.rate = webhook->rate,
	};
}

enum result
store_due_webhooks(
    struct store *store UNUSED, struct pool *pool, const struct due_query *question, struct due_webhooks *webhooks)
{
	const int64_t from_ms = question->newest ? world.now_ms - NEWEST_MS : 0;
	static struct overview overview;
	if (!world_reachable())
		return RESULT_UNAVAILABLE;
	world.polls++;
	world.newest_polls += question->newest;
	world.now_ms += question->newest ? world.newest_poll_ms : world.poll_ms;
	if (!question->newest && world.poll_fails)
		return RESULT_UNAVAILABLE;
	look_over(&overview, question->newest, from_ms);
	int64_t next = INT64_MAX;
	*webhooks = (struct due_webhooks){
		.due = POOL_ARRAY(pool, WORLD_WEBHOOKS, struct due_webhook),
		.ended = POOL_ARRAY(pool, WORLD_WEBHOOKS, uint64_t),
		.now_ms = world.now_ms + WORLD_DATABASE_AHEAD_MS,
		.bulk_work = world_ready_job() != NULL,
		.free_jobs = world_has_free_job(),
		.several_accounts = world.several_accounts,
	};
	for (uint64_t id = 1; id < WORLD_WEBHOOKS; id++) {
		if ((question->shards & UINT64_C(1) << webhook_shard(id)) == 0)
			continue;
		const int64_t ready = overview.ready_ms[id];
		if (overview.ended[id])
			webhooks->ended[webhooks->ended_count++] = id;
		else if (world.webhooks[id].state != WEBHOOK_ACTIVE)
			continue;
		else if (ready <= world.now_ms && webhooks->due_count < question->limit)
			webhooks->due[webhooks->due_count++] = due_webhook(id, overview.first_ms[id]);
		else if (ready < next)
			next = ready;
	}
	webhooks->next_due_ms = next == INT64_MAX ? -1 : next + WORLD_DATABASE_AHEAD_MS;
	return RESULT_OK;
}

static struct destination *
destination_of(struct pool *pool, uint64_t webhook_id)
{
	const struct world_webhook *webhook = &world.webhooks[webhook_id];
	struct destination *destination = pool_alloc(pool, sizeof(*destination));
	*destination = (struct destination){
		.webhook_id = webhook_id,
		.state = webhook->state,
		.sealed = webhook->sealed,
		.url = pool_printf(pool, "http://receiver.example/?token=hidden/%u", (unsigned)webhook_id),
		.secret = SLICE("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="),
		.previous_secret = world.now_ms < webhook->previous_until_ms ? slice_of(webhook->previous_secret) : SLICE_NONE,
		.schedule = slice_of(webhook->schedule),
	};
	return destination;
}

static struct due_delivery
fetch_one(struct pool *pool, const struct world_delivery *delivery)
{
	return (struct due_delivery){
		.id = delivery->id,
		.destination = destination_of(pool, delivery->webhook_id),
		.event = SLICE("new_signup"),
		.attempt = delivery->attempts + 1,
		.attempts_before = delivery->attempts_before,
		.message_id = pool_printf(pool, "msg_%u", (unsigned)delivery->id),
		.payload = SLICE("{\"id\":\"hidden\"}"),
	};
}

/* For qsort: in the order in which deliveries are due. */
static int
by_time(const void *one, const void *other)
{
	const struct world_delivery *a = *(struct world_delivery *const *)one, *b = *(struct world_delivery *const *)other;
	if (a->due_ms != b->due_ms)
		return a->due_ms < b->due_ms ? -1 : 1;
	return a->id < b->id ? -1 : 1;
}

static bool
is_due_after(const struct world_delivery *delivery, const struct due_position *last)
{
	const int64_t due_ms = delivery->due_ms + WORLD_DATABASE_AHEAD_MS;
	return delivery->state == DELIVERY_PENDING && delivery->due_ms <= world.now_ms &&
	       (due_ms > last->due_ms || (due_ms == last->due_ms && delivery->id > last->id));
}

/* The due rows of the requested webhooks, in order. */
static size_t
find_due(const struct due_request *requests, size_t request_count, struct world_delivery *due[WORLD_ROWS])
{
	static struct due_position after[WORLD_WEBHOOKS];
	size_t count = 0;
	for (size_t i = 0; i < WORLD_WEBHOOKS; i++)
		after[i].due_ms = INT64_MAX;
	for (size_t i = 0; i < request_count; i++) {
		struct world_webhook *webhook = &world.webhooks[requests[i].webhook_id];
		if (after[requests[i].webhook_id].due_ms != INT64_MAX || requests[i].rows == 0)
			abort(); /* two requests for one webhook, or an empty request */
		after[requests[i].webhook_id] = requests[i].last;
		if (webhook->deleted_after_poll)
			webhook->state = WEBHOOK_MISSING;
	}
	for (size_t i = 0; i < world.delivery_count; i++)
		if (is_due_after(&world.deliveries[i], &after[world.deliveries[i].webhook_id]))
			due[count++] = &world.deliveries[i];
	qsort(due, count, sizeof(struct world_delivery *), by_time);
	return count;
}

enum result
store_fetch_due(struct store *store UNUSED, struct pool *pool, struct due_request *requests, size_t request_count,
    const struct id_set *under_way, struct due_deliveries *deliveries)
{
	static struct world_delivery *due[WORLD_ROWS];
	static struct {
		struct due_request *request;
		size_t found, taken;
	} wanted[WORLD_WEBHOOKS];
	deliveries->count = 0;
	if (!world_reachable())
		return RESULT_UNAVAILABLE;
	world.fetches++;
	const size_t due_count = find_due(requests, request_count, due);
	deliveries->items = POOL_ARRAY(pool, due_count, struct due_delivery);
	memset(wanted, 0, sizeof(wanted));
	for (size_t i = 0; i < request_count; i++) {
		wanted[requests[i].webhook_id].request = &requests[i];
		requests[i].more = false;
	}
	for (size_t i = 0; i < due_count; i++) {
		const uint64_t id = due[i]->webhook_id;
		struct due_request *request = wanted[id].request;
		if (wanted[id].taken == request->rows || wanted[id].found == request->rows + request->under_way) {
			request->more = true;
			continue;
		}
		wanted[id].found++;
		request->last = (struct due_position){ due[i]->due_ms + WORLD_DATABASE_AHEAD_MS, due[i]->id };
		if (id_set_contains(under_way, due[i]->id))
			continue;
		wanted[id].taken++;
		deliveries->items[deliveries->count++] = fetch_one(pool, due[i]);
	}
	for (size_t i = 0; i < request_count; i++)
		requests[i].more = requests[i].more && world.webhooks[requests[i].webhook_id].state == WEBHOOK_ACTIVE;
	world.now_ms += world.fetch_ms;
	return RESULT_OK;
}

/* The row of an outcome that may be recorded, or NULL. */
static struct world_delivery *
row_of(const unsigned char owner[DISPATCH_OWNER_SIZE], const struct delivery_outcome *outcome)
{
	struct world_delivery *delivery = &world.deliveries[outcome->id - 1];
	const bool leased = (leased_shards(owner) & UINT64_C(1) << webhook_shard(outcome->webhook_id)) != 0;
	return leased && delivery->state == DELIVERY_PENDING && delivery->attempts + 1 == outcome->attempt + outcome->not_made
		   ? delivery
		   : NULL;
}

/* Notes the end of a delivery: its slot is released. */
static void
note_end(struct world_delivery *delivery)
{
	world.unrecorded -= delivery->under_way_in == world.run ? 1 : 0;
	delivery->under_way_in = 0;
}

static void
record_outcome(const unsigned char owner[DISPATCH_OWNER_SIZE], struct delivery_outcome *outcome)
{
	struct world_delivery *delivery = row_of(owner, outcome);
	struct world_webhook *webhook = &world.webhooks[outcome->webhook_id];
	outcome->stale = delivery == NULL;
	if (delivery == NULL) {
		world.stale++;
		return;
	}
	const bool sent_again = outcome->attempts_before != delivery->attempts_before;
	int64_t waited = outcome->started_ms_ago - outcome->duration_ms;
	if (waited > world.longest_unrecorded_ms)
		world.longest_unrecorded_ms = waited;
	delivery->attempts = outcome->attempt;
	delivery->logged++;
	snprintf(delivery->error, sizeof(delivery->error), "%.*s", SLICE_ARGS(outcome->error));
	if (!sent_again || outcome->state == DELIVERY_DELIVERED) {
		delivery->state = outcome->state;
		delivery->due_ms = world.now_ms + outcome->next_due_in_ms;
	} else {
		delivery->attempts_before = outcome->attempt;
	}
	if (outcome->late || outcome->routine)
		return;
	webhook->failures = outcome->webhook_failures;
	webhook->probes = outcome->webhook_probes;
	webhook->hold_until_ms = outcome->webhook_hold_ms > 0 ? world.now_ms + outcome->webhook_hold_ms : 0;
	if (outcome->state == DELIVERY_DELIVERED)
		webhook->failing_since_ms = -1;
	else if (outcome->webhook_failures > 0 && webhook->failing_since_ms < 0)
		webhook->failing_since_ms = world.now_ms;
	webhook->succeeded = webhook->succeeded || outcome->state == DELIVERY_DELIVERED;
}

enum result
store_record_outcomes(
    struct store *store UNUSED, const unsigned char owner[DISPATCH_OWNER_SIZE], struct delivery_outcome *outcomes, size_t count)
{
	if (!world_reachable())
		return RESULT_UNAVAILABLE;
	for (size_t i = 0; i < count; i++) {
		if (outcomes[i].id == world.poison) {
			if (count == 1) /* the only outcome of a batch is discarded */
				note_end(&world.deliveries[outcomes[i].id - 1]);
			return RESULT_FAILED;
		}
		const bool blocked = outcomes[i].id == world.blocked || outcomes[i].webhook_id == world.blocked_webhook;
		if (blocked && world.now_ms >= world.blocked_from_ms && world.now_ms < world.blocked_until_ms) {
			world.blocked_with += count - 1;
			world.conflicts++;
			world.now_ms += world.blocked_ms;
			return RESULT_CONFLICT;
		}
	}
	for (size_t i = 0; i < count; i++)
		record_outcome(owner, &outcomes[i]);
	world.flushes[world.flush_count++ % WORLD_FLUSHES] = count;
	if (world.lost_commit_ms >= 0 && world.now_ms >= world.lost_commit_ms) {
		world.lost_commit_ms = -1;
		return RESULT_UNKNOWN;
	}
	for (size_t i = 0; i < count; i++)
		note_end(&world.deliveries[outcomes[i].id - 1]);
	return RESULT_OK;
}

enum result
store_fail_pending(struct store *store UNUSED, uint64_t webhook_id, const struct id_set *under_way, size_t chunk, size_t *done)
{
	if (!world_reachable())
		return RESULT_UNAVAILABLE;
	*done = 0;
	world.chunks++;
	if (world.webhooks[webhook_id].cannot_be_ended)
		return RESULT_CONFLICT;
	for (size_t i = 0; i < world.delivery_count && *done < chunk && !world.webhooks[webhook_id].stuck; i++)
		if (world.deliveries[i].webhook_id == webhook_id && is_to_be_ended(&world.deliveries[i]) &&
		    !id_set_contains(under_way, world.deliveries[i].id)) {
			world.deliveries[i].state = DELIVERY_FAILED;
			(*done)++;
		}
	return RESULT_OK;
}

enum result
store_fail_crashed(struct store *store UNUSED, uint64_t delivery_id, int64_t hold_ms UNUSED, size_t *done)
{
	if (!world_reachable())
		return RESULT_UNAVAILABLE;
	struct world_delivery *delivery = &world.deliveries[delivery_id - 1];
	*done = delivery->state == DELIVERY_PENDING ? 1 : 0;
	if (*done == 1)
		delivery->state = DELIVERY_FAILED;
	return RESULT_OK;
}

enum result
store_deactivate_webhook(struct store *store UNUSED, uint64_t webhook_id, enum webhook_state state, enum lock_wait wait)
{
	struct world_webhook *webhook = &world.webhooks[webhook_id];
	if (!world_reachable())
		return RESULT_UNAVAILABLE;
	if (webhook->state != WEBHOOK_ACTIVE)
		return RESULT_OK;
	webhook->deactivation_attempts++;
	if (webhook->cannot_be_deactivated) {
		world.lock_waits += wait == LOCK_SOON ? 1 : 0;
		world.now_ms += wait == LOCK_SOON ? LOCK_WAIT_MS : 0;
		return RESULT_CONFLICT;
	}
	if (state == WEBHOOK_GONE || webhook->failing_since_ms >= 0)
		webhook->state = state;
	return RESULT_OK;
}

enum result
store_beat(struct store *store UNUSED, struct heartbeat *heartbeat UNUSED)
{
	return world_reachable() ? RESULT_OK : RESULT_UNAVAILABLE;
}

enum result
store_end_beats(struct store *store UNUSED, const struct heartbeat *heartbeat UNUSED)
{
	return world_reachable() ? RESULT_OK : RESULT_UNAVAILABLE;
}

enum result
store_refresh_statistics(struct store *store UNUSED)
{
	world.refreshes++;
	return RESULT_OK;
}

enum result
store_postpone_erasure(struct store *store UNUSED, uint64_t number, int64_t more_ms)
{
	if (!world_reachable())
		return RESULT_UNAVAILABLE;
	world.erasure_left = number;
	world.left_ms = more_ms;
	return RESULT_OK;
}

enum result
store_postpone_removal(struct store *store UNUSED, uint64_t campaign_id, int64_t more_ms)
{
	if (!world_reachable())
		return RESULT_UNAVAILABLE;
	world.removal_left = campaign_id;
	world.left_ms = more_ms;
	return RESULT_OK;
}

enum result
store_resume_removals(struct store *store UNUSED, struct resumed_removals *resumed UNUSED, bool *more)
{
	if (!world_reachable())
		return RESULT_UNAVAILABLE;
	*more = world.removal_turns > 0;
	world.removal_turns -= *more ? 1 : 0;
	world.now_ms += *more ? world.removal_ms : 0;
	return RESULT_OK;
}

enum result
store_count_sources(struct store *store UNUSED, struct source_pass *pass UNUSED, bool *left)
{
	if (!world_reachable())
		return RESULT_UNAVAILABLE;
	world.uncounted -= world.uncounted > 0 ? 1 : 0;
	*left = world.uncounted > 0;
	return RESULT_OK;
}

enum result
store_clean_up(struct store *store UNUSED)
{
	if (!world_reachable())
		return RESULT_UNAVAILABLE;
	world.clean_ups++;
	return RESULT_OK;
}
