/* SPDX-License-Identifier: MIT
 * Custom fields and utm: small JSON objects of scalars and arrays of scalars (docs/api.md 4.4). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/pool.h"
#include "base/slice.h"

enum { CUSTOM_FIELDS_MAX_BYTES = 1024 * 1024 }; /* of an object in memory */

struct custom_field {
	struct slice name; /* as custom_field_name returns it */
	struct slice json; /* the value as JSON; absent in a change: the field is removed */
	struct slice text; /* the value, if it is a string */
};

/* The field for a phone number that a stranger entered beside an unconfirmed email address (docs/api.md 4.1.11). */
#define UNCONFIRMED_NUMBER SLICE("unconfirmed_phone_number")

/* The field for what was typed as a phone number beside an email address but is not one (docs/api.md 4.4), and its maximum
 * size. */
#define INVALID_NUMBER SLICE("invalid_phone_number")
enum { INVALID_NUMBER_BYTES = 200 };

struct custom_fields {
	struct custom_field *items;
	size_t count;
};

/* The name under which a parameter is stored (docs/api.md 4.4): in lower case in every script, with unpaired brackets replaced
 * by parentheses. It may be longer by half than the submitted name. */
struct slice custom_field_name(struct pool *pool, struct slice typed);

/* The parameter whose members are custom fields. */
#define CUSTOM_FIELDS_NAME "custom_fields"
/* Sets *name to the stored name of a parameter: `name` for `custom_fields[name]`, `name[member]` for
 * `custom_fields[name][member]`. Sets *base to its part before the first bracket. Returns whether the parameter was a member of
 * `custom_fields`. */
bool custom_field_member(struct pool *pool, struct slice typed, struct slice *name, struct slice *base);

/* Reads a stored object. An absent object, or JSON that is not an object of scalars and arrays, has no fields. */
struct custom_fields custom_fields_read(struct pool *pool, struct slice json);

/* Sets `texts` to the string values of the named fields of a stored object, absent where the field is missing, empty or not a
 * string. They are in the pool or parts of the object. */
void custom_fields_texts(struct pool *pool, struct slice json, const struct slice *names, size_t count, struct slice *texts);
