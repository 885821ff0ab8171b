/* SPDX-License-Identifier: MIT
 * The records of a file of leads, one after another: those of CSV, or the lines of NDJSON. A file of any size needs the same
 * memory. */
#ifndef LEADHOOK_TRANSFER_RECORDS_H
#define LEADHOOK_TRANSFER_RECORDS_H

#include <stdint.h>

#include "base/attributes.h"
#include "base/slice.h"

/* A larger record is a bad one. */
enum { RECORD_MAX_BYTES = 1024 * 1024 };

enum records_format { RECORDS_CSV, RECORDS_NDJSON };

struct record {
	struct slice text; /* without its line end; valid until the next call */
	uint64_t offset;   /* of its first byte in the file */
	uint64_t line;     /* where it begins, from 1 */
};

enum record_state {
	RECORD_GOOD,
	RECORD_TOO_LONG, /* the text is how it begins; the next record begins at the next line */
	RECORD_END,
	RECORD_FAILED /* the file could not be read: errno */
};

struct records;

/* Reads `fd` from its beginning; `fd` stays open. A byte order mark is skipped, and so are empty lines. */
struct records *records_new(int fd, enum records_format format);
void records_free(struct records **records);
MUST_CHECK enum record_state records_next(struct records *records, struct record *record);
/* After the last record turned out to be bad, perhaps because a quote has no end: goes on at the line after the one where it
 * began. */
void records_resume(struct records *records, const struct record *record);

/* Begins again with the first record. */
void records_rewind(struct records *records);

/* A record that was read before, from its place in the file. The text is valid until the next call. RECORD_GOOD, or
 * RECORD_FAILED. */
MUST_CHECK enum record_state records_at(struct records *records, uint64_t offset, size_t size, struct slice *text);

#endif
