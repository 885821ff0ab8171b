/* SPDX-License-Identifier: MIT
 * A limit: a maximum of requests in each of its windows of time (docs/api.md 5). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/slice.h"

enum {
	LIMIT_WINDOWS_MAX = 4,
	LIMIT_MAX = 1000000,
	LIMIT_FACTOR_MAX = 16,       /* a network may have that many times the limit of an address */
	LIMIT_WINDOW_STEP_MS = 3000, /* windows are multiples of it, so that a sixtieth of one is whole milliseconds */
	LIMIT_WINDOW_MAX_MS = 24 * 60 * 60 * 1000
};

struct limit_window {
	uint32_t limit; /* from 1 to LIMIT_MAX, of a network LIMIT_FACTOR_MAX times that */
	int64_t ms;     /* a multiple of LIMIT_WINDOW_STEP_MS, up to LIMIT_WINDOW_MAX_MS */
};

/* All of its windows apply. */
struct limit_rule {
	struct limit_window windows[LIMIT_WINDOWS_MAX];
	size_t count; /* 0: there is no limit */
};

/* Parses "10/60s 20/3m", separated by commas or white space; an empty text is a rule without windows. Returns false with the
 * item in *bad when it is invalid, or one too many. */
MUST_CHECK bool limit_rule_parse(struct slice text, struct limit_rule *rule, struct slice *bad);
/* One of `hosts` (1 or more) equal shares of a limit, rounded up: callers that are spread evenly over the hosts get all of it.
 * A limit of 0, which is none, stays 0. */
uint32_t limit_share(uint32_t limit, uint32_t hosts);
/* Replaces the limits of all windows by their shares. */
void limit_rule_share(struct limit_rule *rule, uint32_t hosts);
