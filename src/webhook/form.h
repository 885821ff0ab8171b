/* SPDX-License-Identifier: MIT
 * The form body of a JSON payload (docs/deliveries.md 2, `form`), for receivers that read no JSON. */
#ifndef LEADHOOK_WEBHOOK_FORM_H
#define LEADHOOK_WEBHOOK_FORM_H

#include <stdbool.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

enum { FORM_DEPTH_MAX = 24, FORM_SIZE_MAX = 4 * 1024 * 1024 };

/* application/x-www-form-urlencoded, in the order of the payload; everything but unreserved characters is percent-encoded,
 * brackets too, as browsers do it. Nested values get bracketed names, `custom_fields[plan]=x`, `tags[0][name]=y`. null is
 * empty, booleans are `true` and `false`, numbers stand as written, empty arrays and objects are left out. False when the
 * payload is not one JSON object, nests deeper or makes more than the maximum; *body is then untouched. */
MUST_CHECK bool form_encode(struct pool *pool, struct slice payload, struct slice *body);

#endif
