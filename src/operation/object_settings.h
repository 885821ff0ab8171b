/* SPDX-License-Identifier: MIT
 * Settings of an object, which an operation sets by name ("setting=value"; in JSON a member each). */
#pragma once

#include "operation/parameter.h"

struct settings_table {
	const struct parameter *rows; /* their place is in the object's struct of settings */
	size_t count;
	size_t size;       /* of that struct */
	const char *owner; /* "a campaign" */
};
#define SETTINGS_OF(rows, type, owner)                      \
	{                                                   \
		rows, ARRAY_SIZE(rows), sizeof(type), owner \
	}
#define SETTING(name, type, place) PARAMETER(name, type, place, 0)

/* The settings that a call gives. */
struct settings {
	char *values; /* a struct of settings; only the places of given ones are set */
	bool *given;  /* by row */
};

/* Take a setting of the operation. They report an unknown or invalid one, or one that the caller may not set, and return
 * false. */
MUST_CHECK bool settings_set(struct operation_call *call, struct slice name, struct slice value);
MUST_CHECK bool settings_take(struct operation_call *call, struct slice text); /* "name=value" */
/* The row of a setting; NULL: there is none of that name. */
const struct parameter *settings_find(const struct settings_table *table, struct slice name);
MUST_CHECK bool settings_have(const struct operation_call *call, const char *name);
/* Changes the given ones in the object's settings. */
void settings_assign(const struct operation_call *call, void *target);
