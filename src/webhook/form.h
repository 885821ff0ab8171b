/* SPDX-License-Identifier: MIT
 * The form body of a JSON payload (docs/deliveries.md 2, `form`), for receivers that do not read JSON. */
#pragma once

#include "base/pool.h"

enum { FORM_DEPTH_MAX = 24, FORM_SIZE_MAX = 4 * 1024 * 1024 };

/* How values in an array are named: `colors[0]=x`, or `colors[]=x`. Arrays and objects in an array always have a number,
 * because otherwise readers could not tell which values belong together. */
enum form_arrays { FORM_NUMBERED, FORM_UNNUMBERED };

/* Sets *body to application/x-www-form-urlencoded, in the order of the payload. All but unreserved characters are
 * percent-encoded, including brackets, as browsers do. Nested values have names in brackets: `custom_fields[plan]=x`,
 * `tags[0][name]=y`. null is empty, booleans are `true` and `false`, numbers are copied, empty arrays and objects are omitted.
 * Returns false, with *body unchanged, when the payload is not a single JSON object, is nested too deeply or exceeds the
 * maximum size. */
MUST_CHECK bool form_encode(struct pool *pool, struct slice payload, enum form_arrays arrays, struct slice *body);
