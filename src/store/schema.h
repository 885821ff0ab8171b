/* SPDX-License-Identifier: MIT
 * The numbered schema files, embedded when the programs are built. */
#ifndef LEADHOOK_STORE_SCHEMA_H
#define LEADHOOK_STORE_SCHEMA_H

#include <stdint.h>

struct schema_step {
	uint32_t version; /* from 1, without gaps */
	const char *name; /* of the file */
	const char *text; /* statements; each ends with ';' at the end of a line */
};

/* In order, ended by version 0. */
extern const struct schema_step schema_steps[];

#endif
