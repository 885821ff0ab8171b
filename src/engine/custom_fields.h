/* SPDX-License-Identifier: MIT
 * Custom fields and utm: small JSON objects of scalars and arrays of scalars (docs/api.md 4.4). */
#ifndef LEADHOOK_ENGINE_CUSTOM_FIELDS_H
#define LEADHOOK_ENGINE_CUSTOM_FIELDS_H

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

/* A phone number that a stranger has entered beside an email address which is not confirmed (docs/api.md 4.1.11). */
#define UNCONFIRMED_NUMBER SLICE("unconfirmed_phone_number")

/* What was typed beside an email address and is no phone number (docs/api.md 4.4), so many bytes of it. */
#define INVALID_NUMBER SLICE("invalid_phone_number")
enum { INVALID_NUMBER_BYTES = 200 };

struct custom_fields {
	struct custom_field *items;
	size_t count;
};

/* The name under which a parameter is stored: in lower case in every script, with a parenthesis for each bracket without its
 * counterpart, else unchanged (docs/api.md 4.4). It may be half as long again as the submitted one. */
struct slice custom_field_name(struct pool *pool, struct slice typed);

/* The object whose members are custom fields. */
#define CUSTOM_FIELDS_NAME "custom_fields"
/* Sets *name to the name of a parameter as it is stored, and *base to its part before a bracket: of `custom_fields[name]` it is
 * `name`, of `custom_fields[name][member]` it is `name[member]`. Returns whether the parameter was such a member. */
bool custom_field_member(struct pool *pool, struct slice typed, struct slice *name, struct slice *base);

/* Reads a stored object. An absent one, or JSON that is not an object of scalars and arrays, has no fields. */
struct custom_fields custom_fields_read(struct pool *pool, struct slice json);

/* The string values of some fields of a stored object. A value is absent when the field is missing, empty or not a string.
 * They are in the pool or part of the object. */
void custom_fields_texts(struct pool *pool, struct slice json, const struct slice *names, size_t count, struct slice *texts);

#endif
