/* SPDX-License-Identifier: MIT
 * The heading of CSV: where it is, and what each column is, by its name or as the caller says. */
#ifndef LEADHOOK_ADMIN_DATA_IMPORT_HEADING_H
#define LEADHOOK_ADMIN_DATA_IMPORT_HEADING_H

#include "admin/data/import_batch.h"

/* Sets the columns of the run, and *text to the record of the heading. Returns 0, or a status after reporting the error. */
MUST_CHECK int import_read_heading(struct import_run *run, struct slice *text);
/* Reads --set. */
MUST_CHECK int import_read_constants(struct import_run *run);

#endif
