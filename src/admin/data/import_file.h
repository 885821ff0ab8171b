/* SPDX-License-Identifier: MIT
 * The file of an import: what cannot be read twice, or is not UTF-8 with line ends, is copied to a temporary file. */
#ifndef LEADHOOK_ADMIN_DATA_IMPORT_FILE_H
#define LEADHOOK_ADMIN_DATA_IMPORT_FILE_H

#include <sys/stat.h>

#include "admin/call.h"
#include "transfer/records.h"

/* Opens the file for reading; "-" is the standard input. Of a remote call the text is the file itself. *about: of the file that
 * is read. Returns a descriptor, or -1 after reporting the error. */
int import_file_open(struct admin_call *call, const char *operand, struct stat *about);

/* A file that begins with { is NDJSON. */
enum records_format import_file_format(int fd);

#endif
