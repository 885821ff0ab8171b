/* SPDX-License-Identifier: MIT
 * Domain names, normalized to the form that is compared: lower-case A-labels. */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

enum { DOMAIN_LABEL_MAX = 63, DOMAIN_MAX = 253 };

/* Letters, digits and hyphens in ASCII, or UTF-8 that passes IDNA2008 (RFC 5891; mapped by UTS 46, non-transitional, so
 * that "BÜCHER。example" is "xn--bcher-kva.example" and ß stays ß). Labels of 1 to 63 octets that neither begin nor end
 * with a hyphen, at most 253 octets in all, no trailing dot. An A-label in the input must itself be valid.
 * Returns false otherwise. */
MUST_CHECK bool domain_to_ascii(struct pool *pool, struct slice typed, struct slice *ascii);
