/* SPDX-License-Identifier: MIT
 * Recognizes files that are neither CSV nor NDJSON by their first bytes. */
#pragma once

#include "base/attributes.h"
#include "base/slice.h"

/* Returns what the file is and what to do with it, in words that follow "the file is"; NULL if it may be CSV or NDJSON. */
MUST_CHECK const char *file_kind(struct slice beginning);
