/* SPDX-License-Identifier: MIT
 * Which passwords users may choose (docs/users.md 3): long ones that are hard to guess, whatever kinds of characters they
 * contain. */
#pragma once

#include <stddef.h>

#include "base/pool.h"

enum { PASSWORD_MIN = 12, PASSWORD_MAX = 1024 /* bytes */ };

enum password_verdict {
	PASSWORD_FITS,
	PASSWORD_TOO_SHORT,
	PASSWORD_TOO_LONG,
	PASSWORD_MONOTONOUS, /* one text repeated, a sequence, or few different characters */
	PASSWORD_PERSONAL,   /* hardly more than words from the user's data or the service's */
	PASSWORD_COMMON      /* words that many use, with digits and signs */
};

/* What is easy to guess about the user. Slices may be absent. */
struct password_context {
	struct slice email, name; /* of the user */
	struct slice host;        /* of the service */
};

enum password_verdict password_judge(struct pool *pool, struct slice password, const struct password_context *context);
/* A sentence for people. */
struct slice password_verdict_text(enum password_verdict verdict);
