/* SPDX-License-Identifier: MIT
 * What the files of the mailer share. */
#ifndef LEADHOOK_DELIVER_MAIL_MAILER_PRIVATE_H
#define LEADHOOK_DELIVER_MAIL_MAILER_PRIVATE_H

#include "base/pool.h"
#include "deliver/mail/judge.h"
#include "deliver/mail/lines.h"
#include "deliver/mail/mailer.h"
#include "deliver/mail/plan.h"
#include "os/log.h"
#include "store/heartbeats.h"

/* A leased mail. */
struct mail_job {
	struct line_job line; /* first: lines return its address */
	struct pool *pool;
	struct queued_mail mail;
	enum {
		JOB_LEASED, /* not looked at yet */
		JOB_READY,  /* waits for a line */
		JOB_SENDING,
		JOB_ENDED,    /* `outcome` is to be recorded */
		JOB_RETURNED, /* its lease is to be ended; nothing was done with it, or that is not known */
		JOB_GONE      /* its lease has ended, or its lead was deleted */
	} state;
	struct mail_outcome outcome;
	struct slice email_key;  /* of the recipient */
	bool bounced;            /* is to be recorded */
	int64_t leased_until_ms; /* clock_boot_ms */
	int64_t started_ms;
};

enum { JOBS_MAX = 128, MAILER_POLL_MS = 1000 };

struct mailer {
	struct store *store;
	const struct mailer_options *options;
	struct event_loop *loop;
	struct lines *lines;
	unsigned char owner[MAIL_OWNER_SIZE];
	struct heartbeat heartbeat;
	int64_t next_beat_ms;
	bool recovered;                  /* what an earlier process leased was released */
	struct mail_job *jobs[JOBS_MAX]; /* in the order of their leases, so that none waits for later ones */
	size_t job_count;
	bool alone; /* the only job is one that a process has crashed with */
	struct mail_turns turns;
	struct mail_rate rate;
	unsigned failures;  /* of the server, in a row */
	uint64_t held_by;   /* the mail that the last hold is about */
	int64_t held_at_ms; /* when the last hold began */
	int64_t polled_ms, next_poll_ms, next_renew_ms;
	int64_t database_ms; /* nothing of the database is tried before */
	bool found_nothing;  /* the last poll */
	bool ending;
	int64_t end_ms, abandon_ms, leave_ms;
	struct log_throttle database_log, delays_log, refusals_log;
};

/* Checks, composes and counts a leased mail: it is ready to be sent, or has ended. */
void mailer_prepare(struct mailer *m, struct mail_job *job);
/* Ends the job with this outcome. The reason is a literal, or in the job's pool. */
void mailer_end_job(struct mail_job *job, enum message_state state, int64_t delay_ms, struct slice reason);
/* What a transfer came to. */
void mailer_judge(struct mailer *m, struct mail_job *job);
/* Ends the leases of jobs that nothing was done with; those whose release fails come due when their lease ends. */
void mailer_release_waiting(struct mailer *m);
/* Whether the database failed; it is then left alone for a while. */
MUST_CHECK bool mailer_lost_database(struct mailer *m, enum result result);

#endif
