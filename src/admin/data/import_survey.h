/* SPDX-License-Identifier: MIT
 * What is to be known of a file before anything of it is stored: the largest subscription number, how dates are written, which
 * tags the campaign lacks, what columns say about consent; and the questions that follow from that. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/slice.h"
#include "transfer/columns.h"
#include "transfer/times.h"

struct import_run;

/* How many different values of a column, and tags, are counted; and values that a look shows of each column. */
enum { SURVEY_VALUES_MAX = 30, SURVEY_TAGS_MAX = 200, SURVEY_EXAMPLES = 3 };

struct survey_text {
	struct slice text, plain;
	uint64_t rows;
};
struct survey_texts {
	struct survey_text *items;
	size_t count, capacity;
	uint64_t others, times; /* rows with one that is not an item; and those of them that are times */
};
struct survey_column {
	struct survey_texts values; /* of one about consent: those without a meaning */
	uint64_t cells;             /* that rows have of it: those at the end of a row may be missing */
	bool has_switch, has_other; /* of one that may be a switch: cells with yes or no, and with anything else */
	struct slice examples[SURVEY_EXAMPLES];
	size_t example_count;
	const char *problem; /* why it cannot be a custom field with this name; NULL: it can, or is none */
};

struct import_survey {
	bool guards;                     /* any value may show that its column is about consent */
	uint64_t rows, split_rows;       /* all; those that could be split into cells */
	uint64_t dates[TIME_EITHER + 1]; /* rows by the form of their time */
	struct survey_texts tags;        /* that the campaign does not have */
	struct survey_column *columns;
};

/* The first pass; and again after a part of which not all records were taken: of those that were. Returns 0, or a status after
 * reporting the error. */
MUST_CHECK int import_survey(struct import_run *run);

/* The questions that have not been answered, as records of an array; NULL: there are none. No one becomes an active lead
 * because nothing was said. */
struct output *import_questions(struct import_run *run);
/* Fails with the questions, if there are any. */
MUST_CHECK int import_require_answers(struct import_run *run);
