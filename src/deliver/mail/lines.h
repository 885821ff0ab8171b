/* SPDX-License-Identifier: MIT
 * Threads that send mails, each on its own connection (smtp.h), which is closed when it has been idle for a second. All
 * functions are for the thread of the loop. */
#pragma once

#include <stddef.h>

#include "deliver/mail/smtp.h"

struct event_loop;
struct lines;

/* A mail under way; belongs to the thread until it is passed to `done`. */
struct line_job {
	struct smtp_mail mail;
	struct smtp_result result;
};

/* The loop calls it for each job that is done; the loop's wait then ends. */
typedef void line_done(void *context, struct line_job *job);

/* Returns NULL, logged, when no thread can be created. */
struct lines *lines_new(
    struct event_loop *loop, const struct smtp_server *server, size_t count, line_done *done, void *context);
/* Waits for mails under way, which lines_stop cuts short. */
void lines_free(struct lines **lines);
/* Sends the mail. At most `count` may be under way. */
void lines_give(struct lines *lines, struct line_job *job);
/* Abandons what is under way. */
void lines_stop(struct lines *lines);
