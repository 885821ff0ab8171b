/* SPDX-License-Identifier: MIT
 * The test of a webhook: one delivery of a made-up lead (leadhook(1), webhook test). */
#pragma once

#include "base/attributes.h"
#include "base/result.h"
#include "jobs/job_fields.h"
#include "jobs/job_settings.h"

struct webhook_test {
	bool sealed; /* its URL or secret cannot be opened with the keys of the configuration: nothing was sent */
	bool ok;     /* there is a complete answer, which counts as success for the webhook */
	bool moved;  /* the receiver did nothing: it redirects to `location` */
	uint64_t status, duration_ms;         /* status: 0 if there is no answer */
	struct slice error, location, answer; /* why there is no complete answer; a redirect's target; start of the answer */
};
/* The table of struct webhook_test, in the order in which its fields are shown. */
extern const struct job_field webhook_test_fields[];

/* Sends a test delivery. Texts are in the pool and may be absent. RESULT_NOT_FOUND: there is no such webhook. RESULT_REFUSED:
 * this host cannot send. */
MUST_CHECK enum result job_test_webhook(const struct job_settings *settings, struct store *store, struct pool *pool,
    uint64_t webhook_id, struct webhook_test *test);
