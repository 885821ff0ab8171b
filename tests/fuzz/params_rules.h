/* SPDX-License-Identifier: MIT
 * What holds for every table of parameters, wherever it comes from (docs/api.md 1: Parameters, Values, Caps). */
#ifndef LEADHOOK_TESTS_FUZZ_PARAMS_RULES_H
#define LEADHOOK_TESTS_FUZZ_PARAMS_RULES_H

#include "fuzz.h"
#include "http/params.h"

/* Small enough to be met. */
extern const struct http_caps small_caps;
/* `email` and `event` collect. */
extern const struct http_names some_names;

/* Parses the request's query and body, and requires what holds of any. *params is NULL where that failed. */
void require_params(
    struct pool *pool, struct slice query, struct slice content_type, struct slice body, struct http_params **params);

#endif
