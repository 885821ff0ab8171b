/* SPDX-License-Identifier: MIT
 * The test of a webhook: sends one delivery of an invented lead (leadhook(1), webhook test). */
#pragma once

#include "base/attributes.h"
#include "base/result.h"
#include "jobs/job_fields.h"
#include "jobs/job_settings.h"

struct webhook_test {
	bool sealed; /* its URL or secret cannot be opened with the keys of the configuration: nothing was sent */
	bool ok;     /* a complete answer that the webhook takes as success */
	bool moved;  /* nothing was done: the receiver says that it is at `location` */
	uint64_t status, duration_ms;         /* status: 0 without an answer */
	struct slice error, location, answer; /* why there is no complete answer; of a redirect; its beginning; or absent */
};
/* The table of struct webhook_test, in the order in which its fields are shown. */
extern const struct job_field webhook_test_fields[];

/* Sends a test delivery. RESULT_NOT_FOUND: no such webhook. RESULT_REFUSED: this machine cannot send. */
MUST_CHECK enum result job_test_webhook(const struct job_settings *settings, struct store *store, struct pool *pool,
    uint64_t webhook_id, struct webhook_test *test);
