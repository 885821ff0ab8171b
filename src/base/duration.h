/* SPDX-License-Identifier: MIT
 * Lengths of time as people write them: "200ms", "15s", "5m", "24h", "30d". */
#ifndef LEADHOOK_BASE_DURATION_H
#define LEADHOOK_BASE_DURATION_H

#include <stdint.h>

#include "base/attributes.h"
#include "base/buffer.h"
#include "base/slice.h"

/* A whole number with its unit right behind it, in milliseconds. False when it is none or does not fit; *ms is then
 * untouched. A bare number is refused: nobody should have to guess whether 30 is seconds. */
MUST_CHECK bool duration_parse(struct slice text, int64_t *ms);
/* Appends it with the largest unit that divides it. `ms` is not negative. */
void duration_add(struct buffer *out, int64_t ms);

#endif
