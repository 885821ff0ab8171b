/* SPDX-License-Identifier: MIT
 * What jobs of operators do (store/queue/operator_jobs.h): operations that `leadhook` carries out at once, and the dispatcher
 * as jobs. Each kind is a row of a table in jobs.c. */
#ifndef LEADHOOK_JOBS_JOBS_H
#define LEADHOOK_JOBS_JOBS_H

#include <stdatomic.h>

#include "engine/message.h"
#include "store/operator/deliveries.h"
#include "store/queue/dispatch.h"
#include "store/queue/operator_jobs.h"
#include "store/store.h"

struct job_field;

/* ---- what the program provides ---- */

/* The result of an attempt. */
struct job_attempt {
	int status;                 /* HTTP status, or 0 without a response */
	struct slice error, answer; /* why there is no complete response, or absent; its beginning */
	struct slice location;      /* where a redirect points, or absent */
	int64_t duration_ms;
};

/* What became of a mail. Texts may be absent. */
struct mail_test {
	bool accepted;
	uint64_t status;                          /* of the mail server's last answer; 0: none */
	struct slice answer, reason, error, hint; /* the answer; why it was not accepted; what the library reports */
	uint64_t duration_ms;
};

/* A mail of a campaign with its templates and sample values. */
struct sample_mail {
	uint64_t campaign_id;
	enum message_kind kind; /* a mail */
	struct slice language;  /* its code; absent: that of the campaign */
	struct slice address;   /* as it is to be sent to: valid */
};

/* Sends what jobs send; all functions get `context`. Responders have none of it: they open no connections. */
struct job_tools {
	void *context;
	/* Sends a delivery once, as the dispatcher sends it, and records nothing. False when this machine cannot send at all.
	 * `now_ms` is the database's time. The result lives in the pool. */
	bool (*deliver)(
	    void *context, struct pool *pool, const struct due_delivery *delivery, int64_t now_ms, struct job_attempt *attempt);
	/* Sends a mail through the configured server: `content`, complete with CRLF; absent: a fixed test mail. Once *stop (may
	 * be NULL) is true, it is abandoned. The result lives in the pool. */
	void (*send_mail)(void *context, struct pool *pool, struct slice address, struct slice content, const atomic_bool *stop,
	    struct mail_test *mail);
	/* Composes a sample, in the pool. RESULT_NOT_FOUND: there is no such campaign. RESULT_REFUSED: *problem, for people. */
	enum result (*compose_sample)(void *context, struct store *store, struct pool *pool, const struct sample_mail *sample,
	    struct slice *content, struct slice *problem);
	struct slice form_urls; /* dispatch.form_urls */
	bool has_mail;          /* a mail server is configured */
};

/* ---- the operations ---- */

struct webhook_test {
	bool sealed; /* its URL or secret cannot be opened with the keys of the configuration: nothing was sent */
	bool ok;     /* a complete answer that the webhook takes as success */
	bool moved;  /* nothing was done: the receiver says that it is at `location` */
	uint64_t status, duration_ms;
	struct slice error, location, answer; /* as in job_attempt */
};
/* Sends a test delivery of an invented lead. RESULT_NOT_FOUND: no such webhook. RESULT_REFUSED: this machine cannot send. */
MUST_CHECK enum result job_test_webhook(
    const struct job_tools *tools, struct store *store, struct pool *pool, uint64_t webhook_id, struct webhook_test *test);
/* Sends a test mail, as send_mail above. A mail that was accepted ends a hold: what the operator has corrected need not wait
 * for the next probe. RESULT_REFUSED: there is no mail server. */
MUST_CHECK enum result job_test_mail(const struct job_tools *tools, struct store *store, struct pool *pool,
    struct slice address, const atomic_bool *stop, struct mail_test *test);

/* Sends a sample. `reason` of one that cannot be composed is not_composed. RESULT_NOT_FOUND: there is no such campaign.
 * RESULT_REFUSED: there is no mail server. */
MUST_CHECK enum result job_send_sample(const struct job_tools *tools, struct store *store, struct pool *pool,
    const struct sample_mail *sample, const atomic_bool *stop, struct mail_test *test);

/* The fields of a struct, in the order in which they are shown. */
const struct job_field *job_webhook_test_fields(size_t *count);
const struct job_field *job_mail_test_fields(size_t *count);

/* ---- jobs ---- */

/* Parameters of jobs, in the pool. */
struct slice job_redelivery_parameters(struct pool *pool, const struct delivery_filter *filter);
struct slice job_webhook_parameters(struct pool *pool, uint64_t webhook_id);
/* `address` as it is to be sent to: valid. */
struct slice job_mail_parameters(struct pool *pool, struct slice address);
/* The campaign is the job's. */
struct slice job_sample_parameters(struct pool *pool, const struct sample_mail *sample);
/* The parameters of any job without the lead that it is about; absent: they cannot be read. */
struct slice job_parameters_without_lead(struct pool *pool, const struct operator_job *job);

/* The turn of a job that a dispatcher leases. */
struct job_turn {
	const struct job_tools *tools;
	struct store *store;
	struct pool *pool;
	const unsigned char *owner;
	struct id_set under_way; /* deliveries that this dispatcher is sending */
	int64_t deadline_ms;     /* for work that can be interrupted; in clock_monotonic_ms */
	const atomic_bool *stop; /* true once the dispatcher ends */
	struct operator_job *job;
};
/* Works on the job and records how far it came, or how it has ended. Results other than RESULT_OK are of the database, and
 * pass: the job then goes on in a later turn. */
MUST_CHECK enum result job_take_turn(struct job_turn *turn);

#endif
