/* SPDX-License-Identifier: MIT
 * Tokens of probes. `leadhook doctor` makes them from the installation's secret, and responders of the same installation accept
 * them for a minute (docs/api.md 4.1, GET /health/echo). They are not stored. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

enum { PROBE_TOKEN_VALID_MS = 60000, PROBE_TOKEN_MAX = 44 };

/* Returns a token for use in a path. `made_ms` is the present time since 1970. */
struct slice probe_token(struct pool *pool, struct slice server_secret, int64_t made_ms);
/* Whether the text has the form of a token, and the time in it is recent. Needs no secret; sorts out most attempts of
 * strangers. */
MUST_CHECK bool probe_token_is_current(struct slice token, int64_t now_ms);
/* Whether it was made with this secret. */
MUST_CHECK bool probe_token_is_genuine(struct slice token, struct slice server_secret);
