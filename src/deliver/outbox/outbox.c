/* SPDX-License-Identifier: MIT */
#include "deliver/outbox/outbox.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/panic.h"
#include "deliver/outbox/delay_notes.h"
#include "deliver/outbox/send_plan.h"
#include "deliver/process/companion.h"
#include "os/clock.h"
#include "os/event_loop.h"
#include "os/log.h"
#include "os/random.h"
#include "os/wake.h"
#include "store/heartbeats.h"
#include "store/schema.h"

enum {
	WOKEN_MS = 20,
	DATABASE_MS = 1000,
	RENEW_MS = 20 * 1000,
	LEASE_MORE_MS = 3 * RENEW_MS /* by how much a lease is longer than a transfer */
};

struct outbox {
	struct event_loop *loop;
	struct store *store;
	const struct outbox_options *options;
	const struct outbox_sender *sender;
	unsigned char owner[MAIL_OWNER_SIZE];
	struct heartbeat heartbeat;
	int64_t next_beat_ms;
	bool recovered;                              /* the leases of an earlier process have been ended */
	struct outbox_message *messages[OUTBOX_MAX]; /* in the order of their leases, so that none waits for later ones */
	size_t count;
	bool alone; /* the only message is one that was leased when a process crashed */
	struct send_turns turns;
	struct send_rate rate;
	unsigned failures;  /* failures of the server, in a row */
	uint64_t held_by;   /* the message that the last hold is about */
	int64_t held_at_ms; /* when the last hold began */
	int64_t polled_ms, next_poll_ms, next_renew_ms;
	int64_t database_ms; /* the database is not tried again before this time */
	bool found_nothing;  /* the last poll found nothing */
	bool ending;
	int64_t end_ms, abandon_ms, leave_ms;
	struct log_throttle database_log, delays_log;
};

/* The words of the log for each channel. */
static const struct {
	enum heartbeat_process process;
	const char *waits, *recovered, *stale, *lost, *leases_lost, *left, *held, *resumed;
} channels[MESSAGE_CHANNELS] = {
	[MAIL_CHANNEL] = { HEARTBEAT_MAILER, "mails wait", "mail_recovered", "mail_outcome_stale", "mail_outcome_lost",
	    "mail_leases_lost", "mails_left", "mail_held", "mail_resumed" },
	[TEXT_CHANNEL] = { HEARTBEAT_TEXTER, "texts wait", "texts_recovered", "text_outcome_stale", "text_outcome_lost",
	    "text_leases_lost", "texts_left", "texts_held", "texts_resumed" },
};

const unsigned char *
outbox_owner(const struct outbox *o)
{
	return o->owner;
}

bool
outbox_note_result(struct outbox *o, enum result result)
{
	uint64_t suppressed;
	if (result == RESULT_OK)
		return true;
	o->database_ms = clock_monotonic_ms() + DATABASE_MS;
	if (log_throttle_passes(&o->database_log, &suppressed))
		log_warning("database", LOG_STR("result", result_text(result)),
		    LOG_STR("consequence", channels[o->sender->channel].waits), LOG_UINT("suppressed", suppressed));
	return false;
}

/* ---- messages ---- */

static void
add_message(struct outbox *o, const struct queued_mail *queued, int64_t leased_until_ms)
{
	struct pool *pool = pool_new();
	struct outbox_message *message = memory_alloc(sizeof(*message));
	require(o->count < OUTBOX_MAX);
	*message = (struct outbox_message){ .pool = pool, .queued = *queued, .leased_until_ms = leased_until_ms };
	message->queued.recipient = pool_copy(pool, queued->recipient);
	message->queued.message_id = pool_copy(pool, queued->message_id);
	message->queued.content = pool_copy(pool, queued->content);
	message->queued.email_key = pool_copy(pool, queued->email_key);
	message->queued.requested_for = pool_copy(pool, queued->requested_for);
	o->messages[o->count++] = message;
}

static void
remove_message(struct outbox *o, size_t place)
{
	pool_free(&o->messages[place]->pool);
	free(o->messages[place]);
	memmove(&o->messages[place], &o->messages[place + 1], (--o->count - place) * sizeof(o->messages[0]));
	o->alone = o->alone && o->count > 0;
}

static size_t
count_in(const struct outbox *o, enum outbox_state state)
{
	size_t count = 0;
	for (size_t i = 0; i < o->count; i++)
		count += o->messages[i]->state == state ? 1 : 0;
	return count;
}

static void
release(struct outbox *o, const uint64_t *ids, size_t count)
{
	if (count > 0 && !outbox_note_result(o, store_release_mails(o->store, o->owner, ids, count)))
		log_debug("messages_not_released", LOG_UINT("messages", count));
}

/* Ends the leases of messages that were not worked on; if a release fails, they come due when their lease ends. */
static void
release_waiting(struct outbox *o)
{
	uint64_t ids[OUTBOX_MAX];
	size_t count = 0;
	for (size_t i = o->count; i-- > 0;)
		if (o->messages[i]->state == OUTBOX_LEASED || o->messages[i]->state == OUTBOX_READY) {
			ids[count++] = o->messages[i]->queued.id;
			remove_message(o, i);
		}
	release(o, ids, count);
}

/* ---- outcomes ---- */

void
outbox_end(struct outbox_message *message, enum message_state state, int64_t delay_ms, struct slice reason)
{
	message->state = OUTBOX_ENDED;
	message->outcome =
	    (struct mail_outcome){ .id = message->queued.id, .state = state, .delay_ms = delay_ms, .reason = reason };
}

/* Returns true when it is recorded, or can never be. */
static bool
record(struct outbox *o, struct outbox_message *message)
{
	const struct queued_mail *queued = &message->queued;
	enum result result = RESULT_OK;
	if (message->state == OUTBOX_RETURNED)
		return outbox_note_result(o, store_release_mails(o->store, o->owner, &queued->id, 1));
	if (slice_present(message->bounced))
		result = store_mail_bounced(o->store, queued->campaign_id, queued->lead_id, message->bounced);
	if (result == RESULT_OK) {
		message->bounced = SLICE_NONE;
		result = store_mail_outcome(o->store, o->owner, &message->outcome);
	}
	if (result == RESULT_NOT_FOUND) { /* the lead was deleted, or the lease has ended */
		log_info(channels[o->sender->channel].stale, LOG_UINT("message", queued->id));
		return true;
	}
	if (result == RESULT_FAILED) { /* a permanent error: other outcomes must not wait for this one */
		log_error(channels[o->sender->channel].lost, LOG_UINT("message", queued->id));
		return true;
	}
	return outbox_note_result(o, result);
}

static void
record_outcomes(struct outbox *o)
{
	for (size_t i = o->count; i-- > 0 && clock_monotonic_ms() >= o->database_ms;) {
		struct outbox_message *message = o->messages[i];
		const bool has_outcome = message->state == OUTBOX_ENDED || message->state == OUTBOX_RETURNED;
		if (message->state == OUTBOX_GONE || (has_outcome && record(o, message)))
			remove_message(o, i);
	}
}

/* ---- holds ---- */

void
outbox_hold(struct outbox *o, const struct outbox_message *message, const struct outbox_failure *failure)
{
	uint64_t random;
	if (message->started_ms < o->held_at_ms)
		return;
	random_bytes(&random, sizeof(random));
	if (failure->about == OUTBOX_SERVER || o->failures == 0 || o->held_by != message->queued.id)
		o->failures++;
	o->held_by = message->queued.id;
	o->held_at_ms = clock_monotonic_ms();
	const int64_t hold_ms = send_hold_ms(o->failures, random);
	o->next_poll_ms = o->held_at_ms + hold_ms;
	log_warning(channels[o->sender->channel].held, LOG_STR("reason", failure->reason), LOG_UINT("status", failure->status),
	    LOG_STR("error", failure->error), LOG_INT("seconds", hold_ms / 1000), LOG_UINT("failures", o->failures),
	    LOG_STR("hint", failure->hint == NULL ? "" : failure->hint));
	if (!outbox_note_result(o, store_hold_mail(o->store, o->sender->channel, o->failures, hold_ms,
				       slice_of(failure->reason), failure->answer)))
		log_debug("hold_not_recorded", LOG_UINT("failures", o->failures));
	else if (hold_ms > o->sender->poll_ms) /* the operator may end it */
		o->next_poll_ms = o->held_at_ms + o->sender->poll_ms;
	release_waiting(o);
}

void
outbox_resume(struct outbox *o)
{
	if (o->failures == 0 || !outbox_note_result(o, store_resume_mail(o->store, o->sender->channel)))
		return;
	log_info(channels[o->sender->channel].resumed, LOG_UINT("failures", o->failures));
	o->failures = 0;
	o->next_poll_ms = 0;
}

/* ---- leases ---- */

static int64_t
lease_ms(const struct outbox *o)
{
	return o->sender->time_max_ms + LEASE_MORE_MS;
}

static void
renew(struct outbox *o)
{
	const int64_t now = clock_monotonic_ms(), until_ms = clock_boot_ms() + lease_ms(o);
	uint64_t ids[OUTBOX_MAX];
	size_t renewed = 0;
	if (o->count == 0 || now < o->next_renew_ms || now < o->database_ms)
		return;
	for (size_t i = 0; i < o->count; i++)
		ids[i] = o->messages[i]->queued.id;
	if (!outbox_note_result(o, store_renew_mails(o->store, o->owner, ids, o->count, lease_ms(o), &renewed)))
		return;
	o->next_renew_ms = now + RENEW_MS;
	if (renewed < o->count) { /* it is not known which leases were renewed: no transfer is begun */
		log_warning(channels[o->sender->channel].leases_lost, LOG_UINT("messages", o->count - renewed));
		release_waiting(o);
	}
	for (size_t i = 0; i < o->count; i++)
		o->messages[i]->leased_until_ms = until_ms;
}

/* How many messages may be leased now. */
static size_t
room(const struct outbox *o)
{
	const size_t capacity = o->sender->capacity < OUTBOX_MAX ? o->sender->capacity : OUTBOX_MAX;
	if (o->alone)
		return 0;
	if (o->failures > 0) /* a single message, as a probe */
		return o->count == 0 ? 1 : 0;
	const size_t left = o->count < capacity ? capacity - o->count : 0;
	const size_t waiting = count_in(o, OUTBOX_READY);
	const size_t rate = send_rate_left(&o->rate, clock_monotonic_ms(), left + waiting);
	return rate > waiting ? (rate - waiting < left ? rate - waiting : left) : 0;
}

/* A message that was leased when a process crashed may be the cause: it is prepared and sent with no other message leased. */
static void
separate_suspect(struct outbox *o, const struct queued_mail *leased, size_t *count, size_t *first)
{
	uint64_t ids[OUTBOX_MAX];
	size_t others = 0, suspect = *count;
	for (size_t i = 0; i < *count && suspect == *count; i++)
		suspect = leased[i].crashes > 0 ? i : suspect;
	*first = 0;
	if (suspect == *count)
		return;
	for (size_t i = 0; i < *count; i++)
		if (i != suspect)
			ids[others++] = leased[i].id;
	release(o, ids, others);
	*first = suspect;
	*count = 1;
	o->alone = true;
}

/* Adds messages under way to the counts, unless they were counted before. */
static void
count_own(const struct outbox *o, struct mail_campaign *campaigns, size_t count)
{
	for (size_t i = 0; i < o->count; i++)
		for (size_t k = 0; k < count && !o->messages[i]->queued.is_counted; k++) {
			const struct queued_mail *queued = &o->messages[i]->queued;
			struct sender_count *sender = &campaigns[k].sender;
			sender->sent.of[SENDINGS_OF_ALL]++;
			sender->sent.of[SENDINGS_OF_ACCOUNT] += sender->account_id == queued->account_id ? 1 : 0;
			sender->sent.of[SENDINGS_OF_CAMPAIGN] += sender->campaign_id == queued->campaign_id ? 1 : 0;
		}
}

static enum result
lease(struct outbox *o, struct pool *pool, size_t places)
{
	struct mail_campaign *campaigns;
	struct mail_request requests[SEND_REQUESTS];
	struct due_mail *found;
	struct queued_mail *leased = NULL;
	uint64_t ids[OUTBOX_MAX];
	size_t count, found_count = 0, leased_count = 0, first;
	int64_t next_ms;
	const struct sendings *limits = &o->options->limits;
	enum result result = store_mail_campaigns(o->store, pool, o->sender->channel, &campaigns, &count, &next_ms);
	if (result != RESULT_OK)
		return result;
	count_own(o, campaigns, count);
	note_delays(&o->delays_log, o->sender->channel, campaigns, count, limits);
	count = send_plan(&o->turns, campaigns, count, limits, places, requests);
	result = store_find_due_mails(o->store, pool, requests, count, &found, &found_count);
	if (result != RESULT_OK)
		return result;
	const struct send_choice choice = { requests, count, found, found_count };
	const size_t id_count = send_choose(&o->turns, &choice, places, ids);
	const int64_t until_ms = clock_boot_ms() + lease_ms(o), poll_ms = o->sender->poll_ms;
	o->found_nothing = id_count == 0;
	if (id_count < places)
		o->next_poll_ms = clock_monotonic_ms() + (next_ms >= 0 && next_ms < poll_ms ? next_ms : poll_ms);
	if (id_count > 0)
		result = store_lease_mails(o->store, pool, o->owner, ids, id_count, lease_ms(o), &leased, &leased_count);
	separate_suspect(o, leased, &leased_count, &first);
	for (size_t i = 0; i < leased_count; i++)
		add_message(o, &leased[first + i], until_ms);
	return result;
}

/* Looks for due messages if it is time and there is room. */
static void
poll_due(struct outbox *o)
{
	const int64_t now = clock_monotonic_ms();
	const size_t places = room(o);
	struct mail_hold held;
	if (o->ending || places == 0 || now < o->next_poll_ms || now < o->database_ms)
		return;
	struct pool *pool = pool_new();
	o->polled_ms = now;
	enum result result = store_mail_hold(o->store, pool, o->sender->channel, &held);
	if (result == RESULT_OK)
		o->failures = held.failures;
	if (result == RESULT_OK && held.left_ms > 0) {
		o->next_poll_ms = now + (held.left_ms < o->sender->poll_ms ? held.left_ms : o->sender->poll_ms);
		o->found_nothing = true;
	} else if (result == RESULT_OK) {
		result = lease(o, pool, o->failures > 0 ? 1 : places);
	}
	pool_free(&pool);
	if (!outbox_note_result(o, result) && !o->options->stay)
		o->ending = true;
}

static void
prepare(struct outbox *o, struct outbox_message *message)
{
	log_work(LOG_UINT("message", message->queued.id));
	const enum result result = o->sender->prepare(o->sender->context, message);
	log_work_done();
	if (result == RESULT_NOT_FOUND)
		message->state = OUTBOX_GONE;
	else if (!outbox_note_result(o, result)) /* it may be ready in the database: it will be leased again, unchanged */
		message->state = OUTBOX_RETURNED;
	else if (message->state == OUTBOX_LEASED)
		message->state = OUTBOX_READY;
}

static void
prepare_leased(struct outbox *o)
{
	if (o->ending || (o->alone && o->count > 1))
		return;
	for (size_t i = 0; i < o->count && clock_monotonic_ms() >= o->database_ms; i++)
		if (o->messages[i]->state == OUTBOX_LEASED)
			prepare(o, o->messages[i]);
}

static struct outbox_message *
next_ready(const struct outbox *o)
{
	struct outbox_message *next = NULL;
	for (size_t i = 0; i < o->count; i++) {
		struct outbox_message *message = o->messages[i];
		if (message->state == OUTBOX_READY && message->leased_until_ms - clock_boot_ms() > o->sender->time_max_ms &&
		    (next == NULL || message_is_urgent(message->queued.kind) > message_is_urgent(next->queued.kind)))
			next = message;
	}
	return next;
}

static void
send_ready(struct outbox *o)
{
	struct outbox_message *message;
	while (!o->ending && count_in(o, OUTBOX_SENDING) < o->sender->parallel && (message = next_ready(o)) != NULL &&
	       send_rate_take(&o->rate, clock_monotonic_ms())) {
		message->state = OUTBOX_SENDING;
		message->started_ms = clock_monotonic_ms();
		o->sender->send(o->sender->context, message);
	}
}

/* ---- heartbeats (store/heartbeats.h) ---- */

/* A transfer that takes longer than the maximum hangs. */
static bool
transfers_work(const struct outbox *o)
{
	const int64_t longest_ago_ms = clock_monotonic_ms() - o->sender->time_max_ms - HEARTBEAT_WITHIN_MS;
	bool work = true;
	for (size_t i = 0; i < o->count; i++)
		work = work && (o->messages[i]->state != OUTBOX_SENDING || o->messages[i]->started_ms >= longest_ago_ms);
	return work;
}

static void
beat(struct outbox *o)
{
	const int64_t now = clock_monotonic_ms();
	if (o->recovered && now >= o->next_beat_ms && now >= o->database_ms && transfers_work(o) &&
	    outbox_note_result(o, store_beat(o->store, &o->heartbeat)))
		o->next_beat_ms = now + HEARTBEAT_MS;
}

/* ---- beginning and end ---- */

static const unsigned char no_owner[MAIL_OWNER_SIZE];

/* Releases what a killed process with this file had leased, then writes our owner to it. */
static void
recover(struct outbox *o)
{
	unsigned char before[MAIL_OWNER_SIZE] = { 0 };
	const int fd = o->options->owner_fd;
	if (o->recovered || clock_monotonic_ms() < o->database_ms)
		return;
	enum result result = store_demand_schema(o->store);
	if (result == RESULT_OK && fd >= 0 && pread(fd, before, sizeof(before), 0) == (ssize_t)sizeof(before) &&
	    memcmp(before, no_owner, sizeof(no_owner)) != 0) {
		result = store_release_crashed(o->store, before);
		if (result == RESULT_OK)
			log_info(channels[o->sender->channel].recovered,
			    LOG_STR("consequence", "messages of a killed process are due"));
	}
	if (!outbox_note_result(o, result)) {
		o->ending = o->ending || !o->options->stay;
		return;
	}
	if (fd >= 0 && pwrite(fd, o->owner, sizeof(o->owner), 0) != (ssize_t)sizeof(o->owner))
		log_warning(
		    "cannot_note_owner", LOG_STR("consequence", "after a crash, messages wait for the end of their lease"));
	o->recovered = true;
}

static void
clear_owner(const struct outbox *o)
{
	if (o->recovered && o->options->owner_fd >= 0 &&
	    pwrite(o->options->owner_fd, no_owner, sizeof(no_owner), 0) != (ssize_t)sizeof(no_owner))
		log_debug("cannot_clear_owner", LOG_INT("file", o->options->owner_fd));
}

static void
begin_end(struct outbox *o)
{
	o->ending = true;
	event_loop_forget(o->loop, o->options->stop_fd);
	event_loop_forget(o->loop, o->options->signals);
	event_loop_forget(o->loop, o->options->wake_fd);
}

/* An event_handler. */
static void
stop_requested(void *context, int fd UNUSED, uint32_t ready UNUSED)
{
	struct outbox *o = context;
	begin_end(o);
	event_loop_return(o->loop);
}

/* An event_handler. However many wakes there are, the next poll waits a moment. */
static void
woken(void *context, int fd, uint32_t ready UNUSED)
{
	struct outbox *o = context;
	wake_drain(fd);
	if (o->failures == 0 && o->next_poll_ms > o->polled_ms + WOKEN_MS)
		o->next_poll_ms = o->polled_ms + WOKEN_MS;
	event_loop_return(o->loop);
}

static void
watch_end(struct outbox *o)
{
	const int64_t now = clock_monotonic_ms();
	if (!o->ending)
		return;
	if (o->abandon_ms == CLOCK_NEVER) {
		release_waiting(o);
		o->abandon_ms = now + COMPANION_STOP_MS;
		o->leave_ms = o->abandon_ms + COMPANION_ABANDON_MS;
	}
	for (size_t i = 0; i < o->count && now >= o->abandon_ms; i++)
		if (o->messages[i]->state == OUTBOX_SENDING)
			o->sender->abandon(o->sender->context, o->messages[i]);
}

static bool
is_finished(const struct outbox *o)
{
	return o->ending && (o->count == 0 || clock_monotonic_ms() >= o->leave_ms);
}

/* The next time at which there is something to do. */
static int64_t
next_ms(const struct outbox *o)
{
	const int64_t now = clock_monotonic_ms();
	int64_t next = now + o->sender->poll_ms;
	if (!o->ending && room(o) > 0)
		next = o->next_poll_ms < next ? o->next_poll_ms : next;
	if (next_ready(o) != NULL && count_in(o, OUTBOX_SENDING) < o->sender->parallel) {
		const int64_t rate_ms = now + send_rate_wait_ms(&o->rate, now);
		next = rate_ms < next ? rate_ms : next;
	}
	if (count_in(o, OUTBOX_ENDED) + count_in(o, OUTBOX_RETURNED) > 0 || !o->recovered)
		next = o->database_ms < next ? o->database_ms : next;
	return next < o->database_ms && count_in(o, OUTBOX_SENDING) == 0 ? o->database_ms : next;
}

struct outbox *
outbox_new(
    struct event_loop *loop, struct store *store, const struct outbox_options *options, const struct outbox_sender *sender)
{
	struct outbox *o = memory_alloc(sizeof(*o));
	o->loop = loop;
	o->store = store;
	o->options = options;
	o->sender = sender;
	o->rate.per_hour = options->rate;
	o->end_ms = options->max_runtime_ms > 0 ? clock_monotonic_ms() + options->max_runtime_ms : CLOCK_NEVER;
	o->abandon_ms = o->leave_ms = CLOCK_NEVER;
	random_bytes(o->owner, sizeof(o->owner));
	o->heartbeat =
	    (struct heartbeat){ .process = channels[sender->channel].process, .owner = o->owner, .stays = options->stay };
	event_loop_watch_input(loop, options->stop_fd, stop_requested, o);
	event_loop_watch_input(loop, options->signals, stop_requested, o);
	event_loop_watch_input(loop, options->wake_fd, woken, o);
	return o;
}

void
outbox_free(struct outbox **outbox)
{
	if (*outbox == NULL)
		return;
	while ((*outbox)->count > 0)
		remove_message(*outbox, 0);
	send_turns_free(&(*outbox)->turns);
	free(*outbox);
	*outbox = NULL;
}

size_t
outbox_run(struct outbox *o)
{
	while (!is_finished(o)) {
		companion_alive(o->options->life);
		recover(o);
		beat(o);
		record_outcomes(o);
		renew(o);
		if (clock_monotonic_ms() >= o->end_ms)
			begin_end(o);
		if (o->recovered) {
			poll_due(o);
			prepare_leased(o);
			send_ready(o);
			if (!o->options->stay && o->found_nothing && o->count == 0)
				begin_end(o);
		}
		watch_end(o);
		if (!is_finished(o))
			event_loop_wait(o->loop, next_ms(o));
	}
	if (!outbox_note_result(o, store_end_beats(o->store, &o->heartbeat)))
		log_debug("end_not_recorded", LOG_UINT("messages", o->count));
	if (o->count > 0)
		log_warning(channels[o->sender->channel].left, LOG_UINT("messages", o->count));
	else
		clear_owner(o);
	return o->count;
}
