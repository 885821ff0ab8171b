/* SPDX-License-Identifier: MIT
 * Sends mails (docs/mail.md): leases what is due, composes it, sends it and records what came of it. The main function of a
 * process of its own, so that a mail server that hangs, or a crash, is none of the dispatcher's.
 *
 * A mail is under way from the start of its transfer until its outcome is committed: when the process is killed, at most
 * `connections` mails are sent twice, with the same Message-ID, and none is lost. */
#ifndef LEADHOOK_DELIVER_MAIL_MAILER_H
#define LEADHOOK_DELIVER_MAIL_MAILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/result.h"
#include "compose/compose.h"
#include "deliver/mail/smtp.h"
#include "webhook/retry.h"

struct companion_life;
struct store;

struct mailer_options {
	struct smtp_server server;
	size_t connections;
	unsigned rate; /* of this process an hour; 0: any number */
	struct sendings limits;
	const struct retry_schedule *schedule;
	int64_t give_up_urgent_ms, give_up_ms; /* after the first attempt */
	bool stay;                             /* true: runs until it is stopped; false: until nothing is due */
	int64_t max_runtime_ms;                /* begins nothing after that; 0: no limit */
	mail_composer *composer;               /* NULL: requests wait */
	const void *composer_context;
	int stop_fd;                 /* at its end of file, or when it is readable, the mailer stops; or -1 */
	struct companion_life *life; /* gets signs of life (process/companion.h); or NULL */
	int signals;                 /* the same, a signalfd; or -1 */
	int wake_fd;                 /* its wake socket (os/wake.h): there are new messages; or -1 */
	int owner_fd; /* file with the owner of its leases, which shows the next process what a killed one leased; or -1 */
};

/* RESULT_OK, or RESULT_UNAVAILABLE when threads or connections cannot be made; RESULT_FAILED: another schema, logged. When
 * something did not end in time, threads are left running: the process must end now (_exit). */
MUST_CHECK enum result mailer_run(struct store *store, const struct mailer_options *options);

#endif
