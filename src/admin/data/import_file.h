/* SPDX-License-Identifier: MIT
 * The file of an import: one of the host, or a part of one that a remote call has sent. What cannot be read twice is copied to
 * a temporary file. */
#pragma once

#include "admin/data/import_batch.h"

/* Opens the file for reading; "-" is the standard input. A remote call sends the text of the file. *about: of the file that is
 * read. Returns a descriptor, or -1 after reporting the error. */
int import_file_open(struct operation_call *call, const struct import_arguments *arguments, struct stat *about);

/* Sets the format and the encoding of the run: that of --encoding, else the one that fits the whole file; `unsure` if another
 * one fits, too. Reports a file that is no table or whose encoding cannot be told. */
MUST_CHECK int import_file_examine(struct import_run *run);
