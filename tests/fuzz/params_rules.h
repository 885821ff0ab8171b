/* SPDX-License-Identifier: MIT
 * The rules of every table of parameters, from any source (docs/api.md 1: Parameters, Values, Caps). */
#pragma once

#include "fuzz.h"
#include "http/params.h"

/* Small enough for inputs to reach them. */
extern const struct http_caps small_caps;
/* `email` and `event` take arrays. */
extern const struct http_names some_names;

/* Parses the request's query and body, and checks the rules. *params is NULL when parsing failed. */
void require_params(
    struct pool *pool, struct slice query, struct slice content_type, struct slice body, struct http_params **params);
