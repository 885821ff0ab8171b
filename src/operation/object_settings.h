/* SPDX-License-Identifier: MIT
 * Settings of an object, which an operation sets by name: "setting=value", or in JSON a member. */
#pragma once

#include "operation/parameter.h"

struct settings_table {
	const struct parameter *rows; /* their places are in the object's struct of settings */
	size_t count;
	size_t size;       /* size of that struct */
	const char *owner; /* "a campaign" */
};
#define SETTINGS_OF(rows, type, owner)                      \
	{                                                   \
		rows, ARRAY_SIZE(rows), sizeof(type), owner \
	}
#define SETTING(name, type, place) PARAMETER(name, type, place, 0)

/* The settings that a call sets. */
struct settings {
	char *values; /* a struct of settings, in which only the places of given settings have values */
	bool *given;  /* for each row, whether it was given */
};

/* Parse a setting. Return false after reporting that it is unknown or invalid, or that the caller may not set it. */
MUST_CHECK bool settings_set(struct operation_call *call, struct slice name, struct slice value);
MUST_CHECK bool settings_take(struct operation_call *call, struct slice text); /* "name=value" */
/* The row of the setting; NULL if no setting has that name. */
const struct parameter *settings_find(const struct settings_table *table, struct slice name);
MUST_CHECK bool settings_have(const struct operation_call *call, const char *name);
/* Copies the given settings into those of the object, `target`. */
void settings_assign(const struct operation_call *call, void *target);
