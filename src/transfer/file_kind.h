/* SPDX-License-Identifier: MIT
 * Files that are neither CSV nor NDJSON, recognised by their first bytes. */
#ifndef LEADHOOK_TRANSFER_FILE_KIND_H
#define LEADHOOK_TRANSFER_FILE_KIND_H

#include "base/attributes.h"
#include "base/slice.h"

/* What it is and what to do, in words that follow "the file is"; NULL: it may be CSV or NDJSON. */
MUST_CHECK const char *file_kind(struct slice beginning);

#endif
