/* SPDX-License-Identifier: MIT
 * Remembers the identities in a file, as hashes, to find repeated rows and unknown referrers. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/slice.h"

struct seen;

enum seen_kind { SEEN_EMAIL, SEEN_PHONE, SEEN_SOCIAL_ID };

struct seen *seen_new(void);
void seen_free(struct seen **seen);
void seen_add(struct seen *seen, enum seen_kind kind, struct slice identity);
MUST_CHECK bool seen_has(const struct seen *seen, enum seen_kind kind, struct slice identity);
