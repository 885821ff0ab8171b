/* SPDX-License-Identifier: MIT
 * The file of an import: one of the host, or a part of one that a remote call has sent. What cannot be read twice is copied to
 * a temporary file. */
#pragma once

#include <sys/stat.h>

#include "admin/data/import_arguments.h"
#include "operation/operation.h"
#include "transfer/records.h"

/* Opens the file for reading; "-" is the standard input. Of a remote call the text is the file itself. *about: of the file that
 * is read. Returns a descriptor, or -1 after reporting the error. */
int import_file_open(struct operation_call *call, const struct import_arguments *arguments, struct stat *about);

/* Sets *encoding to that of --encoding, else to that of the file, all of which is read. *unsure is a text of the file in that
 * encoding if another one is possible, else absent. Reports a file that is no table or whose encoding cannot be told. */
MUST_CHECK int import_file_encoding(struct operation_call *call, int fd, struct charset *encoding, struct slice *unsure);

/* A file that begins with { is NDJSON. */
enum records_format import_file_format(int fd, const struct charset *encoding);
