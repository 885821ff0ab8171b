/* SPDX-License-Identifier: MIT
 * Threads that send mails, each on its own connection (smtp.h), which is closed when it has been idle for a second. All
 * functions are for the thread of the loop. */
#pragma once

#include <stddef.h>

#include "deliver/mail/smtp.h"

struct event_loop;
struct lines;

/* A mail under way; belongs to the thread until `done` gets it. */
struct line_job {
	struct smtp_mail mail;
	struct smtp_result result;
};

/* Called by the loop for each job, when it is done; the loop's wait then ends. */
typedef void line_done(void *context, struct line_job *job);

/* Returns NULL, logged, when there is no thread. */
struct lines *lines_new(
    struct event_loop *loop, const struct smtp_server *server, size_t count, line_done *done, void *context);
/* Waits for what is under way, which lines_stop shortens. */
void lines_free(struct lines **lines);
/* Sends it. At most `count` may be given and not done. */
void lines_give(struct lines *lines, struct line_job *job);
/* Abandons what is under way. */
void lines_stop(struct lines *lines);
