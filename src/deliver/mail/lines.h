/* SPDX-License-Identifier: MIT
 * Threads that send mails, each on its own connection (smtp.h), which is closed when it has been idle for a second. All
 * functions are for one thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "deliver/mail/smtp.h"

struct lines;

/* A mail under way; belongs to the thread until lines_take returns it. */
struct line_job {
	struct smtp_mail mail;
	struct smtp_result result;
};

/* Returns NULL, logged, when there is no thread. */
struct lines *lines_new(const struct smtp_server *server, size_t count);
/* Waits for what is under way, which lines_stop shortens. */
void lines_free(struct lines **lines);
/* Sends it. At most `count` may be given and not taken yet. */
void lines_give(struct lines *lines, struct line_job *job);
/* A job that is done; NULL: none. */
struct line_job *lines_take(struct lines *lines);
/* Readable when one is done, until it is taken. */
int lines_fd(const struct lines *lines);
/* Abandons what is under way. */
void lines_stop(struct lines *lines);
