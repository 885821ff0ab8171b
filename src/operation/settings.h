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
#define SETTING(name, type, place)            \
	{                                     \
		name, &(type), place, 0, NULL \
	}
#define SETTINGS_OF(rows, type, owner)                      \
	{                                                   \
		rows, ARRAY_SIZE(rows), sizeof(type), owner \
	}
#define SETTINGS_TYPE(table)                                 \
	{                                                    \
		.form = VALUE_SETTINGS, .settings = &(table) \
	}
#define SETTINGS(type, place)                                                            \
	{                                                                                \
		"settings", &(type), place, PARAMETER_OPERAND | PARAMETER_REQUIRED, NULL \
	}
#define OPTIONAL_SETTINGS(type, place)                              \
	{                                                           \
		"settings", &(type), place, PARAMETER_OPERAND, NULL \
	}

/* Those that a call gives. */
struct settings {
	const struct settings_table *table;
	char *values; /* a struct of settings; only the places of given ones are set */
	bool *given;  /* by row */
};

void settings_begin(struct pool *pool, const struct settings_table *table, struct settings *settings);
/* Take a setting. They report an unknown or invalid one, or one that the caller may not set, and return false. */
MUST_CHECK bool settings_set(struct operation_call *call, struct settings *settings, struct slice name, struct slice value);
MUST_CHECK bool settings_take(struct operation_call *call, struct settings *settings, struct slice text); /* "name=value" */
/* The row of a setting; NULL: there is none of that name. */
const struct parameter *settings_find(const struct settings_table *table, struct slice name);
MUST_CHECK bool settings_have(const struct settings *settings, const char *name);
/* Changes the given ones in the object's settings. */
void settings_assign(const struct settings *settings, void *target);
