/* SPDX-License-Identifier: MIT
 * The file of rejected records: as they were, with line and reason in front, so that the corrected file can be imported. In
 * a file that was such a file itself, they replace those of its records. */
#ifndef LEADHOOK_TRANSFER_REJECTS_H
#define LEADHOOK_TRANSFER_REJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/slice.h"
#include "transfer/records.h"

struct rejects;

/* Creates the file, or empties one that the caller owns; only its owner may read it. `heading` is that of CSV. Returns NULL on
 * failure: errno, which is EPERM for a file of another owner, with several names, or that is no file, and ELOOP for a link. */
struct rejects *rejects_open(const char *path, enum records_format format, struct slice heading, char delimiter);
void rejects_add(struct rejects *rejects, uint64_t line, struct slice record, const char *reason);
/* Returns false when something could not be written. `*rejects` may be NULL. */
MUST_CHECK bool rejects_close(struct rejects **rejects);

#endif
