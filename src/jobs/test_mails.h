/* SPDX-License-Identifier: MIT
 * Tests of mail: a fixed mail, or a mail of a campaign with sample values (leadhook(1), mail test, mail sample). */
#pragma once

#include <stdatomic.h>

#include "base/attributes.h"
#include "base/result.h"
#include "engine/message.h"
#include "jobs/job_fields.h"
#include "jobs/job_settings.h"

/* What became of a mail. Texts are in the pool and may be absent. */
struct mail_test {
	bool accepted;
	uint64_t status;                          /* status of the mail server's last answer; 0: none */
	struct slice answer, reason, error, hint; /* the answer; why it was not accepted; libcurl's message; what to do */
	uint64_t duration_ms;
};
/* The table of struct mail_test, in the order in which its fields are shown. */
extern const struct job_field mail_test_fields[];

/* Sends a test mail through the configured server. If it is accepted, a hold ends: once the operator has corrected the fault,
 * mails need not wait for the next probe. `address`: valid, in the form of struct mail_address. Once *stop (may be NULL) is
 * true, the mail is abandoned. RESULT_REFUSED: there is no mail server. */
MUST_CHECK enum result job_test_mail(const struct job_settings *settings, struct store *store, struct pool *pool,
    struct slice address, const atomic_bool *stop, struct mail_test *test);

/* A mail of a campaign with its templates and sample values. */
struct sample_mail {
	uint64_t campaign_id;
	enum message_kind kind; /* a kind of mail */
	struct slice language;  /* the code of a language; absent: that of the campaign */
	struct slice address;   /* the recipient, as in job_test_mail */
};
/* Sends a sample. If it cannot be composed, test->reason is not_composed. RESULT_NOT_FOUND: there is no such campaign.
 * Otherwise as job_test_mail, but no hold ends. */
MUST_CHECK enum result job_send_sample(const struct job_settings *settings, struct store *store, struct pool *pool,
    const struct sample_mail *sample, const atomic_bool *stop, struct mail_test *test);
