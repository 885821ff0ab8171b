/* SPDX-License-Identifier: MIT
 * The loop of the process: one thread with the database, lines that send. */
#include "deliver/mail/mailer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/panic.h"
#include "deliver/mail/delays.h"
#include "deliver/mail/mailer_private.h"
#include "deliver/process/companion.h"
#include "os/clock.h"
#include "os/event_loop.h"
#include "os/random.h"
#include "os/wake.h"
#include "store/store.h"

enum {
	WOKEN_MS = 20,
	DATABASE_MS = 1000,
	RENEW_MS = 20 * 1000,
	/* a transfer that begins with the rest of a lease ends before it */
	LEASE_MS = SMTP_TIME_MAX_MS + 3 * RENEW_MS
};

bool
mailer_lost_database(struct mailer *m, enum result result)
{
	uint64_t suppressed;
	if (result == RESULT_OK)
		return false;
	m->database_ms = clock_monotonic_ms() + DATABASE_MS;
	if (log_throttle_passes(&m->database_log, &suppressed))
		log_warning("database", LOG_STR("result", result_text(result)), LOG_STR("consequence", "mails wait"),
		    LOG_UINT("suppressed", suppressed));
	return true;
}

/* ---- jobs ---- */

static void
add_job(struct mailer *m, const struct queued_mail *mail, int64_t leased_until_ms)
{
	struct pool *pool = pool_new();
	struct mail_job *job = memory_alloc(sizeof(*job));
	require(m->job_count < JOBS_MAX);
	*job = (struct mail_job){ .pool = pool, .mail = *mail, .leased_until_ms = leased_until_ms };
	job->mail.recipient = pool_copy(pool, mail->recipient);
	job->mail.message_id = pool_copy(pool, mail->message_id);
	job->mail.content = pool_copy(pool, mail->content);
	job->mail.email_key = pool_copy(pool, mail->email_key);
	job->mail.requested_for = pool_copy(pool, mail->requested_for);
	m->jobs[m->job_count++] = job;
}

static void
remove_job(struct mailer *m, size_t place)
{
	pool_free(&m->jobs[place]->pool);
	free(m->jobs[place]);
	memmove(&m->jobs[place], &m->jobs[place + 1], (--m->job_count - place) * sizeof(m->jobs[0]));
	m->alone = m->alone && m->job_count > 0;
}

static size_t
count_jobs(const struct mailer *m, int state)
{
	size_t count = 0;
	for (size_t i = 0; i < m->job_count; i++)
		count += (int)m->jobs[i]->state == state ? 1 : 0;
	return count;
}

void
mailer_release_waiting(struct mailer *m)
{
	uint64_t ids[JOBS_MAX];
	size_t count = 0;
	for (size_t i = m->job_count; i-- > 0;)
		if (m->jobs[i]->state == JOB_LEASED || m->jobs[i]->state == JOB_READY) {
			ids[count++] = m->jobs[i]->mail.id;
			remove_job(m, i);
		}
	if (count > 0 && mailer_lost_database(m, store_release_mails(m->store, m->owner, ids, count)))
		log_debug("mails_not_released", LOG_UINT("mails", count));
}

/* ---- outcomes ---- */

static void
take_results(struct mailer *m)
{
	struct line_job *line;
	while ((line = lines_take(m->lines)) != NULL) {
		struct mail_job *job = (struct mail_job *)(void *)line;
		log_work(LOG_UINT("message", job->mail.id));
		mailer_judge(m, job);
		log_work_done();
	}
}

/* Returns true when it is recorded, or can never be. */
static bool
record(struct mailer *m, struct mail_job *job)
{
	enum result result = RESULT_OK;
	if (job->state == JOB_RETURNED)
		return !mailer_lost_database(m, store_release_mails(m->store, m->owner, &job->mail.id, 1));
	if (job->bounced)
		result = store_mail_bounced(m->store, job->mail.campaign_id, job->mail.lead_id, job->email_key);
	if (result == RESULT_OK) {
		job->bounced = false;
		result = store_mail_outcome(m->store, m->owner, &job->outcome);
	}
	if (result == RESULT_NOT_FOUND) { /* the lead was deleted, or the lease has ended */
		log_info("mail_outcome_stale", LOG_UINT("message", job->mail.id));
		return true;
	}
	if (result == RESULT_FAILED) { /* permanent: others must not wait for it */
		log_error("mail_outcome_lost", LOG_UINT("message", job->mail.id));
		return true;
	}
	return !mailer_lost_database(m, result);
}

static void
record_results(struct mailer *m)
{
	for (size_t i = m->job_count; i-- > 0 && clock_monotonic_ms() >= m->database_ms;)
		if (m->jobs[i]->state == JOB_GONE ||
		    ((m->jobs[i]->state == JOB_ENDED || m->jobs[i]->state == JOB_RETURNED) && record(m, m->jobs[i])))
			remove_job(m, i);
}

/* ---- leases ---- */

static void
renew(struct mailer *m)
{
	const int64_t now = clock_monotonic_ms(), until_ms = clock_boot_ms() + LEASE_MS;
	uint64_t ids[JOBS_MAX];
	size_t renewed = 0;
	if (m->job_count == 0 || now < m->next_renew_ms || now < m->database_ms)
		return;
	for (size_t i = 0; i < m->job_count; i++)
		ids[i] = m->jobs[i]->mail.id;
	if (mailer_lost_database(m, store_renew_mails(m->store, m->owner, ids, m->job_count, LEASE_MS, &renewed)))
		return;
	m->next_renew_ms = now + RENEW_MS;
	if (renewed < m->job_count) { /* which ones is not known: none is begun */
		log_warning("mail_leases_lost", LOG_UINT("mails", m->job_count - renewed));
		mailer_release_waiting(m);
	}
	for (size_t i = 0; i < m->job_count; i++)
		m->jobs[i]->leased_until_ms = until_ms;
}

static size_t
places(struct mailer *m)
{
	const size_t capacity = 2 * m->options->connections < JOBS_MAX ? 2 * m->options->connections : JOBS_MAX;
	if (m->alone)
		return 0;
	if (m->failures > 0) /* a probe */
		return m->job_count == 0 ? 1 : 0;
	const size_t room = m->job_count < capacity ? capacity - m->job_count : 0;
	const size_t waiting = count_jobs(m, JOB_READY);
	const size_t rate = mail_rate_left(&m->rate, clock_monotonic_ms(), room + waiting);
	return rate > waiting ? (rate - waiting < room ? rate - waiting : room) : 0;
}

/* A mail that was leased when a process crashed may be what crashes it: it is prepared and sent with no other leased. */
static void
separate_suspect(struct mailer *m, const struct queued_mail *mails, size_t *count, size_t *first)
{
	uint64_t ids[JOBS_MAX];
	size_t others = 0, suspect = *count;
	for (size_t i = 0; i < *count && suspect == *count; i++)
		suspect = mails[i].crashes > 0 ? i : suspect;
	*first = 0;
	if (suspect == *count)
		return;
	for (size_t i = 0; i < *count; i++)
		if (i != suspect)
			ids[others++] = mails[i].id;
	if (others > 0 && mailer_lost_database(m, store_release_mails(m->store, m->owner, ids, others)))
		log_debug("mails_not_released", LOG_UINT("mails", others));
	*first = suspect;
	*count = 1;
	m->alone = true;
}

/* What is under way counts, too, unless it was counted before. */
static void
count_own(const struct mailer *m, struct mail_campaign *campaigns, size_t count)
{
	for (size_t i = 0; i < m->job_count; i++)
		for (size_t k = 0; k < count && !m->jobs[i]->mail.is_counted; k++) {
			struct sender_count *sender = &campaigns[k].sender;
			sender->sent.of[SENDINGS_OF_ALL]++;
			sender->sent.of[SENDINGS_OF_ACCOUNT] += sender->account_id == m->jobs[i]->mail.account_id ? 1 : 0;
			sender->sent.of[SENDINGS_OF_CAMPAIGN] += sender->campaign_id == m->jobs[i]->mail.campaign_id ? 1 : 0;
		}
}

static enum result
lease(struct mailer *m, struct pool *pool, size_t room)
{
	struct mail_campaign *campaigns;
	struct mail_request requests[PLAN_REQUESTS];
	struct due_mail *found;
	struct queued_mail *mails = NULL;
	uint64_t ids[JOBS_MAX];
	size_t count, found_count = 0, mail_count = 0, first;
	int64_t next_ms;
	const struct sendings *limits = &m->options->limits;
	enum result result = store_mail_campaigns(m->store, pool, MAIL_CHANNEL, &campaigns, &count, &next_ms);
	if (result != RESULT_OK)
		return result;
	count_own(m, campaigns, count);
	mail_note_delays(&m->delays_log, MAIL_CHANNEL, campaigns, count, limits);
	count = mail_plan(&m->turns, campaigns, count, limits, room, requests);
	result = store_find_due_mails(m->store, pool, requests, count, &found, &found_count);
	if (result != RESULT_OK)
		return result;
	const size_t id_count = mail_choose(&m->turns, requests, count, found, found_count, room, ids);
	const int64_t until_ms = clock_boot_ms() + LEASE_MS;
	m->found_nothing = id_count == 0;
	if (id_count < room)
		m->next_poll_ms = clock_monotonic_ms() + (next_ms >= 0 && next_ms < MAILER_POLL_MS ? next_ms : MAILER_POLL_MS);
	if (id_count > 0)
		result = store_lease_mails(m->store, pool, m->owner, ids, id_count, LEASE_MS, &mails, &mail_count);
	separate_suspect(m, mails, &mail_count, &first);
	for (size_t i = 0; i < mail_count; i++)
		add_job(m, &mails[first + i], until_ms);
	return result;
}

/* Looks for due mails when it is time to, and there is room. */
static void
poll_due(struct mailer *m)
{
	const int64_t now = clock_monotonic_ms();
	const size_t room = places(m);
	struct mail_hold held;
	if (m->ending || room == 0 || now < m->next_poll_ms || now < m->database_ms)
		return;
	struct pool *pool = pool_new();
	m->polled_ms = now;
	enum result result = store_mail_hold(m->store, pool, MAIL_CHANNEL, &held);
	if (result == RESULT_OK && held.left_ms > 0) {
		m->failures = held.failures;
		m->next_poll_ms = now + (held.left_ms < MAILER_POLL_MS ? held.left_ms : MAILER_POLL_MS);
		m->found_nothing = true;
	} else if (result == RESULT_OK) {
		m->failures = held.failures;
		result = lease(m, pool, m->failures > 0 ? 1 : room);
	}
	pool_free(&pool);
	if (mailer_lost_database(m, result) && !m->options->stay)
		m->ending = true;
}

static void
prepare_leased(struct mailer *m)
{
	if (m->alone && m->job_count > 1)
		return;
	for (size_t i = 0; i < m->job_count && clock_monotonic_ms() >= m->database_ms; i++)
		if (m->jobs[i]->state == JOB_LEASED)
			mailer_prepare(m, m->jobs[i]);
}

static struct mail_job *
next_ready(const struct mailer *m)
{
	struct mail_job *next = NULL;
	for (size_t i = 0; i < m->job_count; i++)
		if (m->jobs[i]->state == JOB_READY && m->jobs[i]->leased_until_ms - clock_boot_ms() > SMTP_TIME_MAX_MS &&
		    (next == NULL || message_is_urgent(m->jobs[i]->mail.kind) > message_is_urgent(next->mail.kind)))
			next = m->jobs[i];
	return next;
}

static void
start_ready(struct mailer *m)
{
	struct mail_job *job;
	while (!m->ending && lines_free_places(m->lines) > 0 && (job = next_ready(m)) != NULL &&
	       mail_rate_take(&m->rate, clock_monotonic_ms())) {
		job->state = JOB_SENDING;
		job->started_ms = clock_monotonic_ms();
		lines_give(m->lines, &job->line);
	}
}

/* ---- signs that it works (store/heartbeats.h) ---- */

/* A line that is longer at a mail than that hangs. */
static bool
lines_work(const struct mailer *m)
{
	const int64_t longest_ago_ms = clock_monotonic_ms() - SMTP_TIME_MAX_MS - HEARTBEAT_WITHIN_MS;
	bool work = true;
	for (size_t i = 0; i < m->job_count; i++)
		work = work && (m->jobs[i]->state != JOB_SENDING || m->jobs[i]->started_ms >= longest_ago_ms);
	return work;
}

static void
beat(struct mailer *m)
{
	const int64_t now = clock_monotonic_ms();
	if (m->recovered && now >= m->next_beat_ms && now >= m->database_ms && lines_work(m) &&
	    !mailer_lost_database(m, store_beat(m->store, &m->heartbeat)))
		m->next_beat_ms = now + HEARTBEAT_MS;
}

/* ---- beginning and end ---- */

/* Releases what a killed process with this file had leased, then writes our owner to it. */
static void
recover(struct mailer *m)
{
	static const unsigned char none[MAIL_OWNER_SIZE];
	unsigned char before[MAIL_OWNER_SIZE] = { 0 };
	const int fd = m->options->owner_fd;
	if (m->recovered || clock_monotonic_ms() < m->database_ms)
		return;
	enum result result = store_demand_schema(m->store);
	if (result == RESULT_OK && fd >= 0 && pread(fd, before, sizeof(before), 0) == (ssize_t)sizeof(before) &&
	    memcmp(before, none, sizeof(none)) != 0) {
		result = store_release_crashed(m->store, before);
		if (result == RESULT_OK)
			log_info("mail_recovered", LOG_STR("consequence", "mails of a killed process are due"));
	}
	if (mailer_lost_database(m, result)) {
		m->ending = m->ending || !m->options->stay;
		return;
	}
	if (fd >= 0 && pwrite(fd, m->owner, sizeof(m->owner), 0) != (ssize_t)sizeof(m->owner))
		log_warning(
		    "cannot_note_owner", LOG_STR("consequence", "after a crash, mails wait for the end of their lease"));
	m->recovered = true;
}

static void
clear_owner(const struct mailer *m)
{
	static const unsigned char none[MAIL_OWNER_SIZE];
	if (m->recovered && m->options->owner_fd >= 0 &&
	    pwrite(m->options->owner_fd, none, sizeof(none), 0) != (ssize_t)sizeof(none))
		log_debug("cannot_clear_owner", LOG_INT("file", m->options->owner_fd));
}

static void
begin_end(struct mailer *m)
{
	if (m->ending)
		return;
	m->ending = true;
	event_loop_forget(m->loop, m->options->stop_fd);
	event_loop_forget(m->loop, m->options->signals);
	event_loop_forget(m->loop, m->options->wake_fd);
	mailer_release_waiting(m);
}

/* ---- event_handlers ---- */

static void
stop_requested(void *context, int fd UNUSED, uint32_t ready UNUSED)
{
	struct mailer *m = context;
	begin_end(m);
	event_loop_return(m->loop);
}

static void
woken(void *context, int fd, uint32_t ready UNUSED)
{
	struct mailer *m = context;
	wake_drain(fd);
	if (m->failures == 0 && m->next_poll_ms > m->polled_ms + WOKEN_MS)
		m->next_poll_ms = m->polled_ms + WOKEN_MS; /* however many there are */
	event_loop_return(m->loop);
}

static void
line_done(void *context, int fd UNUSED, uint32_t ready UNUSED)
{
	struct mailer *m = context;
	take_results(m);
	event_loop_return(m->loop);
}

static void
watch_end(struct mailer *m)
{
	const int64_t now = clock_monotonic_ms();
	if (!m->ending)
		return;
	if (m->abandon_ms == CLOCK_NEVER) {
		mailer_release_waiting(m);
		m->abandon_ms = now + COMPANION_STOP_MS;
		m->leave_ms = m->abandon_ms + COMPANION_ABANDON_MS;
	}
	if (now >= m->abandon_ms)
		lines_stop(m->lines);
}

static bool
is_finished(const struct mailer *m)
{
	return m->ending && (m->job_count == 0 || clock_monotonic_ms() >= m->leave_ms);
}

/* The next time at which something is to be done. */
static int64_t
next_ms(struct mailer *m)
{
	const int64_t now = clock_monotonic_ms();
	int64_t next = now + MAILER_POLL_MS;
	if (!m->ending && places(m) > 0)
		next = m->next_poll_ms < next ? m->next_poll_ms : next;
	if (next_ready(m) != NULL && lines_free_places(m->lines) > 0) {
		const int64_t rate_ms = now + mail_rate_wait_ms(&m->rate, now);
		next = rate_ms < next ? rate_ms : next;
	}
	if (count_jobs(m, JOB_ENDED) + count_jobs(m, JOB_RETURNED) > 0 || !m->recovered)
		next = m->database_ms < next ? m->database_ms : next;
	return next < m->database_ms && count_jobs(m, JOB_SENDING) == 0 ? m->database_ms : next;
}

static enum result
run(struct mailer *m)
{
	while (!is_finished(m)) {
		companion_alive(m->options->life);
		recover(m);
		beat(m);
		record_results(m);
		renew(m);
		if (clock_monotonic_ms() >= m->end_ms)
			begin_end(m);
		if (m->recovered) {
			poll_due(m);
			prepare_leased(m);
			start_ready(m);
			if (!m->options->stay && m->found_nothing && m->job_count == 0)
				begin_end(m);
		}
		watch_end(m);
		if (!is_finished(m))
			event_loop_wait(m->loop, next_ms(m));
	}
	return RESULT_OK;
}

enum result
mailer_run(struct store *store, const struct mailer_options *options)
{
	struct mailer m = { .store = store,
		.options = options,
		.rate = { .per_hour = options->rate },
		.end_ms = options->max_runtime_ms > 0 ? clock_monotonic_ms() + options->max_runtime_ms : CLOCK_NEVER,
		.abandon_ms = CLOCK_NEVER,
		.leave_ms = CLOCK_NEVER };
	random_bytes(m.owner, sizeof(m.owner));
	m.heartbeat = (struct heartbeat){ .process = HEARTBEAT_MAILER, .owner = m.owner, .stays = options->stay };
	m.lines = lines_new(&options->server, options->connections);
	if (m.lines == NULL)
		return RESULT_UNAVAILABLE;
	m.loop = event_loop_new();
	event_loop_watch_input(m.loop, options->stop_fd, stop_requested, &m);
	event_loop_watch_input(m.loop, options->signals, stop_requested, &m);
	event_loop_watch_input(m.loop, options->wake_fd, woken, &m);
	event_loop_watch_input(m.loop, lines_fd(m.lines), line_done, &m);
	const enum result result = run(&m);
	event_loop_free(&m.loop);
	if (mailer_lost_database(&m, store_end_beats(store, &m.heartbeat)))
		log_debug("end_not_recorded", LOG_UINT("mails", m.job_count));
	mail_turns_free(&m.turns);
	if (m.job_count > 0) { /* their threads have not ended */
		log_warning("mails_left", LOG_UINT("mails", m.job_count));
		return result;
	}
	clear_owner(&m);
	lines_free(&m.lines);
	return result;
}
