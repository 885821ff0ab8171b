/* SPDX-License-Identifier: MIT
 * Threads that send mails, each on its own connection (smtp.h), which is closed when it has been idle for a second. All
 * functions are for the thread of the loop. */
#pragma once

#include <stddef.h>

#include "deliver/mail/smtp.h"

struct event_loop;
struct smtp_threads;

/* A mail to send; it belongs to a thread until it is passed to `done`. */
struct smtp_job {
	struct smtp_mail mail;
	struct smtp_result result;
};

/* The loop calls it for each job that is done, and then ends its wait. */
typedef void smtp_job_done(void *context, struct smtp_job *job);

/* Returns NULL, logged, when no thread can be created. */
struct smtp_threads *smtp_threads_new(
    struct event_loop *loop, const struct smtp_server *server, size_t count, smtp_job_done *done, void *context);
/* Waits for mails under way; smtp_threads_stop cuts this short. */
void smtp_threads_free(struct smtp_threads **threads);
/* Sends the mail. At most `count` may be under way. */
void smtp_threads_send(struct smtp_threads *threads, struct smtp_job *job);
/* Abandons all mails under way. */
void smtp_threads_stop(struct smtp_threads *threads);
