/* SPDX-License-Identifier: MIT
 * An import of the records of a file (leadhook(1), lead import): its heading, what must be known before anything is stored, and
 * the records, batch by batch. */
#pragma once

#include <sys/stat.h>

#include "admin/data/import_survey.h"
#include "operation/operation.h"
#include "operation/progress.h"
#include "operation/value_types.h"
#include "transfer/columns.h"
#include "transfer/deferred.h"
#include "transfer/records.h"
#include "transfer/rejects.h"
#include "transfer/row.h"

struct import_arguments {
	struct value_content records;
	struct charset encoding; /* valid if has_encoding */
	bool has_encoding;
	char delimiter;                             /* NUL: the delimiter is detected */
	uint64_t heading;                           /* the number of its line; 0: it is searched for */
	struct value_pairs maps, constants, values; /* COLUMN=FIELD, NAME=VALUE, COLUMN:VALUE=MEANING */
	enum date_order dates;
	const char *rejects; /* a file; NULL: none */
	struct slice file_name;
	uint64_t first_line; /* 0: the file is not part of another */
	uint32_t last_number;
	bool look, dry_run, strict, make_tags, add_tags, drop_unknown_referrers, events, base64, more;
};

struct import_counts {
	uint64_t rows, imported, unchanged, rejected;
	uint64_t left_out;      /* rows left out because of what a value means */
	uint64_t phone_numbers; /* left out */
	uint64_t emails;        /* rows with several addresses, of which the first one was taken */
	uint64_t other_encoding;
	uint64_t tagged, opted_out; /* leads that existed already */
	uint64_t unknown_names;     /* unknown names of tags and actions in rows; ignored */
};

/* The passes over the file, after the survey. */
enum import_pass {
	IMPORT_ALL,       /* every record; one whose referrer is not there yet is deferred */
	IMPORT_BACKWARDS, /* deferred records, the last one first */
	IMPORT_IN_ORDER,  /* deferred records, each after its referrer */
	IMPORT_REJECTS    /* the records that are left are rejected */
};

/* An import under way; the caller fills the first part. */
struct import_run {
	struct operation_call *call;
	const struct import_arguments *arguments;
	int fd;
	struct stat file;
	enum records_format format;
	struct charset encoding;
	struct slice unsure; /* if the encoding is a guess: a text of the file; otherwise absent */
	struct records *records;
	struct slice heading_text;   /* if the file is CSV; or absent */
	const struct slice *heading; /* the names in it */
	uint64_t heading_line;
	char delimiter;
	uint64_t begin, begin_line; /* of the first record after the heading */
	struct column *columns;
	size_t column_count;
	struct row_limits limits;
	struct rejects *rejects; /* NULL: none */
	struct output *reasons;  /* of a remote call; NULL: the first reasons are printed */
	struct output *remarks;  /* of a remote call */

	enum import_pass pass;
	int64_t began_ms;                /* when IMPORT_ALL began; the survey is short, because a body is */
	bool is_late;                    /* not all records were taken … */
	uint64_t next_offset, next_line; /* … and this is the next one */
	uint32_t last_number;            /* the largest so far; at first 0, or that of the whole file if this is a part */
	struct import_survey survey;
	struct seen *seen; /* of a dry run: the leads that it would have imported */
	struct deferred *deferred;
	struct import_counts counts;
	size_t shown;      /* rows in reasons and remarks */
	struct pool *pool; /* of the batch */
	struct import_row *rows;
	size_t row_count;                       /* rows of the batch */
	size_t taken, taken_bytes, taken_names; /* the records for it, their bytes, their tags and actions */
	struct progress progress;
	int64_t worked_ms;
};

/* Reads the values of a record. Returns NULL, or what is wrong. */
MUST_CHECK const char *import_read_row(
    const struct import_run *run, struct pool *pool, struct slice text, struct row_notes *notes, struct import *import);
/* Whether a record is empty. */
MUST_CHECK bool import_is_empty(const struct import_run *run, struct pool *pool, struct slice text);
/* Converts the number of a line to that in the whole file, of which this may be a part. */
uint64_t import_line(const struct import_run *run, uint64_t line);

/* Runs the import from the first record after the heading. Returns 0, or a status after reporting the error. */
MUST_CHECK int import_run(struct import_run *run);
