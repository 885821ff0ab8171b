/* SPDX-License-Identifier: MIT
 * Reads the records of a file of leads one after another, as UTF-8: records of CSV, or lines of NDJSON. The memory does not
 * depend on the size of the file, and the time is proportional to it, however quotes are used. */
#pragma once

#include <stdint.h>

#include "base/attributes.h"
#include "base/slice.h"
#include "transfer/csv.h"
#include "transfer/encoding.h"

/* Longer records are bad. */
enum { RECORD_MAX_BYTES = 256 * 1024 };

enum records_format { RECORDS_CSV, RECORDS_NDJSON };

struct record {
	struct slice text;   /* without its line end; valid until the next call */
	uint64_t offset;     /* offset of its first byte in the file */
	uint64_t line;       /* where it begins, from 1 */
	size_t size;         /* bytes in the file */
	bool other;          /* it was not UTF-8 and was read in the second encoding */
	const char *problem; /* RECORD_BAD: what is wrong with it */
};

enum record_state {
	RECORD_GOOD,
	RECORD_BAD, /* the text is its beginning */
	RECORD_END,
	RECORD_FAILED /* the file could not be read: errno */
};

struct records;

/* In the pool. Reads `fd` from its beginning; `fd` stays open. `rest`: what follows in the file; if it continues, a record
 * without an end is not returned. Byte order marks and empty lines are skipped. */
struct records *records_new(
    struct pool *pool, int fd, enum csv_rest rest, enum records_format format, const struct charset *encoding);
/* Call once the heading has been read. */
void records_set_shape(struct records *records, char delimiter, const struct csv_shape *shape);
MUST_CHECK enum record_state records_next(struct records *records, struct record *record);
/* Where the next record begins. */
void records_place(const struct records *records, uint64_t *offset, uint64_t *line);

/* Continues at a place; (0, 1) is the beginning of the file. */
void records_seek(struct records *records, uint64_t offset, uint64_t line);

/* Reads a record again from its place in the file. The text is valid until the next call. Returns RECORD_GOOD or
 * RECORD_FAILED. */
MUST_CHECK enum record_state records_at(struct records *records, uint64_t offset, size_t size, struct slice *text);

/* Reads `wanted` bytes of a file, or fewer if it ends before. Returns false, with errno set, on failure. */
MUST_CHECK bool records_read_at(int fd, char *place, size_t wanted, uint64_t offset, size_t *got);
