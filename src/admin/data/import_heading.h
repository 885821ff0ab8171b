/* SPDX-License-Identifier: MIT
 * The heading of CSV: where it is, and what each column is, by its name or as the caller specifies. */
#pragma once

#include "admin/data/import_batch.h"

/* Reads the heading of the file and sets the columns of the run. Returns 0, or a status after reporting the error. */
MUST_CHECK int import_read_heading(struct import_run *run);
/* Reads --set into the limits of the run. Returns 0, or a status after reporting the error. */
MUST_CHECK int import_read_constants(struct import_run *run);
