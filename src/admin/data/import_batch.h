/* SPDX-License-Identifier: MIT
 * Imports the records of a file, batch by batch (leadhook(1), lead import). */
#ifndef LEADHOOK_ADMIN_DATA_IMPORT_BATCH_H
#define LEADHOOK_ADMIN_DATA_IMPORT_BATCH_H

#include "admin/call.h"
#include "admin/progress.h"
#include "transfer/columns.h"
#include "transfer/deferred.h"
#include "transfer/records.h"
#include "transfer/rejects.h"
#include "transfer/row.h"

/* Rows of a transaction, or fewer of so many bytes, or with so many tags and actions: the campaign is locked for that long. */
enum { IMPORT_BATCH_ROWS = 250, IMPORT_BATCH_BYTES = 2 * 1024 * 1024, IMPORT_BATCH_NAMES = 2500 };
/* Rows of a remote call, which is to be short: after this time it takes no further record, and after twice this time it does
 * not try again those whose referrer was not there yet. */
enum { IMPORT_PART_ROWS = 1000, IMPORT_PART_MS = 1000 };

struct import_counts {
	uint64_t rows, imported, unchanged, rejected;
	uint64_t unknown_names; /* of tags and actions of rows; ignored */
};

/* An import under way; the caller fills the first part. */
struct import_run {
	struct admin_call *call;
	struct records *records;
	enum records_format format;
	char delimiter;
	size_t heading_records;      /* of CSV, up to the heading */
	const struct slice *heading; /* of CSV */
	const struct column *columns;
	size_t column_count;
	struct row_limits limits;
	struct rejects *rejects; /* NULL: none */
	struct output *reasons;  /* of a remote call; NULL: the first reasons are printed */
	bool events, dry_run, drop_unknown_referrers;
	int64_t began_ms;   /* of the second pass; the first one is short, because a body is */
	uint64_t next_line; /* of the first record that was not taken, because it was late; 0: none */
	uint64_t file_size;

	uint32_t last_number; /* the largest so far; at first that of the whole file, if this is a part, or 0 */
	uint64_t surveyed;    /* records of the file; at most IMPORT_PART_ROWS of a remote call */
	struct deferred *deferred;
	struct import_counts counts;
	struct pool *pool; /* of the batch */
	struct import_row *rows;
	size_t row_count;                       /* rows of the batch */
	size_t taken, taken_bytes, taken_names; /* records that it was made of; their tags and actions */
	struct progress progress;
	int64_t worked_ms;
};

/* Runs it from the first record after the heading. Returns 0, or a status after reporting the error. */
int import_run(struct import_run *run);

#endif
