/* SPDX-License-Identifier: MIT
 * The schema steps: the files of schema/, which are compiled into the programs (scripts/embed-schema). */
#pragma once

#include <stdint.h>

struct schema_step {
	uint32_t version; /* the number of the file */
	const char *name; /* of the file */
	const char *text; /* statements; each ends with ';' at the end of a line */
};

/* In ascending order; the last one has version 0. */
extern const struct schema_step schema_steps[];
