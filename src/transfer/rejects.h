/* SPDX-License-Identifier: MIT
 * Writes the file of rejected records: each as it was, with line and reason in front, so that the corrected file can be
 * imported. If the imported file was such a file itself, the new line and reason replace the old ones. */
#pragma once

#include <stdint.h>

#include "base/attributes.h"
#include "base/slice.h"
#include "transfer/records.h"

struct rejects;

/* The file is replaced atomically when it is closed (os/replacement.h); only its owner may read a new one. `heading` is the
 * heading of the CSV. Returns NULL, with errno set, on failure. */
struct rejects *rejects_open(const char *path, enum records_format format, struct slice heading, char delimiter);
void rejects_add(struct rejects *rejects, uint64_t line, struct slice record, const char *reason);
/* Returns 0, or an errno value when something could not be written. `*rejects` may be NULL. */
MUST_CHECK int rejects_close(struct rejects **rejects);
