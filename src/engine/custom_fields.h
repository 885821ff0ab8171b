/* SPDX-License-Identifier: MIT
 * Custom fields and utm: small JSON objects of scalars and arrays of scalars (docs/api.md 4.4). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/pool.h"

enum { CUSTOM_FIELDS_MAX_BYTES = 1024 * 1024 }; /* of an object in memory */

struct custom_field {
	struct slice name; /* as custom_field_name returns it */
	struct slice json; /* the value as JSON; absent in a change: the field is removed */
	struct slice text; /* the value, if it is a string */
};

/* The field for a phone number that a stranger entered together with an unconfirmed email address (docs/api.md 4.1.11). */
#define UNCONFIRMED_NUMBER SLICE("unconfirmed_phone_number")

/* The field for a text that was entered as a phone number together with an email address but is not one (docs/api.md 4.4), and
 * its maximum size. */
#define INVALID_NUMBER SLICE("invalid_phone_number")
enum { INVALID_NUMBER_BYTES = 200 };

struct custom_fields {
	struct custom_field *items;
	size_t count;
};

/* The name under which a parameter is stored (docs/api.md 4.4): in lower case in every script, with unpaired brackets replaced
 * by parentheses. It may be up to half again as long as the submitted name. */
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

/* ---- merging the custom fields of a call with those of a lead (docs/api.md 1.3) ---- */

/* The stored object of a lead. Its first `keyed` fields come from callers that may change leads, the others from strangers. */
struct stored_fields {
	struct slice json; /* absent: it has none */
	size_t keyed;
};

struct custom_field_changes {
	const struct custom_field *items;
	size_t count;
	size_t optional; /* how many of the last fields are optional: stored like a stranger's, and left out if they do not
			  * fit or the name is taken */
	bool keyed;      /* the required ones come from a caller that may change leads */
};

struct custom_field_limits {
	size_t fields;       /* of a lead */
	size_t bytes;        /* maximum size of the JSON object including its names */
	size_t public_bytes; /* likewise, for all fields that strangers stored; 0: as `bytes` */
};

/* Applies the changes of a call to the fields of a lead. Returns false, with a message for the client in *problem, when the
 * required changes exceed a limit by themselves or, if they are keyed, together with the stored keyed fields. Fields of
 * strangers never make a call fail (docs/api.md 1.3): they are left out if the call needs their room, or if they do not fit
 * next to the keyed fields. An optional field never replaces a keyed one. */
MUST_CHECK bool custom_fields_merge(struct pool *pool, const struct stored_fields *stored,
    const struct custom_field_changes *changes, const struct custom_field_limits *limits, struct stored_fields *merged,
    struct slice *problem);
