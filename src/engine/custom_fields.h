/* SPDX-License-Identifier: MIT
 * Custom fields and utm: small JSON objects of scalars and arrays of scalars (docs/api.md 4.4). */
#ifndef LEADHOOK_ENGINE_CUSTOM_FIELDS_H
#define LEADHOOK_ENGINE_CUSTOM_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/pool.h"
#include "base/slice.h"

struct custom_field {
	struct slice name; /* by custom_field_name */
	struct slice json; /* the value as JSON; absent in a change: the field is removed */
	struct slice text; /* the value when it is a string */
};

struct custom_fields {
	struct custom_field *items;
	size_t count;
};

struct custom_field_limits {
	size_t fields;       /* of a lead */
	size_t bytes;        /* of the JSON object with its names … */
	size_t public_bytes; /* … when a call without a key adds to it; 0: the same */
};

/* The name under which a parameter is kept: in lower case, whatever its script is, else unchanged (docs/api.md 4.4). It may
 * have half as many bytes again as what was sent. */
struct slice custom_field_name(struct pool *pool, struct slice typed);

/* Reads a stored object; an absent one has no fields. Whatever is no object of scalars and arrays has none either: it was
 * not written by us. */
struct custom_fields custom_fields_read(struct pool *pool, struct slice json);

/* The string values of some fields of a stored object; absent where there is none or it is no string or empty. They are in the
 * pool or part of the object. */
void custom_fields_texts(struct pool *pool, struct slice json, const struct slice *names, size_t count, struct slice *texts);

/* The object after the changes, old fields first, in the order they were first given. Absent when nothing is left. False when
 * it would pass a limit: *problem then says which, for the client. */
MUST_CHECK bool custom_fields_merge(struct pool *pool, struct slice json, const struct custom_field *changes, size_t count,
    const struct custom_field_limits *limits, struct slice *merged, struct slice *problem);

#endif
