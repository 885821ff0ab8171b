/* SPDX-License-Identifier: MIT
 * The file of an import: a file of the host, or a part of a file that a remote call has sent. If it cannot be read twice, it is
 * copied to a temporary file. */
#pragma once

#include "admin/data/import_batch.h"

/* Opens the file for reading; "-" is standard input. A call over HTTP has the text of the file in its arguments. *about
 * describes the file that is read. Returns a descriptor, or -1 after reporting the error. */
MUST_CHECK int import_file_open(struct operation_call *call, const struct import_arguments *arguments, struct stat *about);

/* Sets the format and the encoding of the run: that of --encoding, or the one that fits the whole file; `unsure` is set if
 * others fit, too. Returns 0, or a status after reporting a file that is not a table or whose encoding cannot be detected. */
MUST_CHECK int import_file_examine(struct import_run *run);
