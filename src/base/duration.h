/* SPDX-License-Identifier: MIT
 * Units of time, and durations as text: "200ms", "15s", "5m", "24h", "30d". */
#pragma once

#include <stdint.h>

#include "base/attributes.h"
#include "base/buffer.h"
#include "base/slice.h"

#define SECOND_MS INT64_C(1000)
#define MINUTE_MS (60 * SECOND_MS)
#define HOUR_MS (60 * MINUTE_MS)
#define DAY_MS (24 * HOUR_MS)

/* Parses a whole number directly followed by its unit. Returns false, with *ms unchanged, if the text is invalid or the value
 * does not fit. A number without a unit is refused, because it would be ambiguous. */
MUST_CHECK bool duration_parse(struct slice text, int64_t *ms);
/* Appends the duration with the largest unit that divides it. `ms` must not be negative. */
void duration_add(struct buffer *out, int64_t ms);
