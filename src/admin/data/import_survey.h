/* SPDX-License-Identifier: MIT
 * What must be known about a file before any of it is stored: the largest subscription number, how dates are written, which
 * tags the campaign lacks, and which columns are about consent; and the questions that follow from that. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/slice.h"
#include "transfer/columns.h"
#include "transfer/times.h"

struct import_run;

/* The maximum numbers of different values of a column and of tags that are counted, and of values that a look shows for each
 * column. */
enum { SURVEY_VALUES_MAX = 30, SURVEY_TAGS_MAX = 200, SURVEY_EXAMPLES = 3 };

struct survey_text {
	struct slice text, plain;
	uint64_t rows;
};
struct survey_texts {
	struct survey_text *items;
	size_t count, capacity;
	uint64_t others, times; /* rows with a text that is not among the items; how many of them have a time */
};
struct survey_column {
	struct survey_texts values; /* if it is about consent: the values without a meaning */
	uint64_t cells;             /* in all rows: a row may lack the cells at its end */
	bool has_switch, has_other; /* if it may be a switch: it has cells with yes or no, or with anything else */
	struct slice examples[SURVEY_EXAMPLES];
	size_t example_count;
	const char *problem; /* why it cannot be a custom field with this name; NULL: it can, or is none */
};

struct import_survey {
	bool guards;                     /* any value may show that its column is about consent */
	uint64_t rows, split_rows;       /* all rows; the rows that could be split into cells */
	uint64_t dates[TIME_EITHER + 1]; /* rows by the form of their time */
	struct survey_texts tags;        /* tags that the campaign does not have */
	struct survey_column *columns;
};

/* Surveys the file, before the other passes. If not all records of a part were taken, it is called again to survey those that
 * were. Returns 0, or a status after reporting the error. */
MUST_CHECK int import_survey(struct import_run *run);

/* The questions that have not been answered, as records of an array; NULL if there are none. Nobody becomes an active lead
 * because a question was not answered. */
struct output *import_questions(struct import_run *run);
/* Fails with the questions, if there are any. */
MUST_CHECK int import_require_answers(struct import_run *run);
