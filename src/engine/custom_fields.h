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

/* The object of a lead. Its first `keyed` fields were stored by callers that may change leads. */
struct stored_fields {
	struct slice json; /* absent: it has none */
	size_t keyed;
};

struct custom_field_changes {
	const struct custom_field *items;
	size_t count;
	size_t optional; /* the last so many: stored as a stranger's, and left out where they do not fit or one of the others
			    has the name */
	bool keyed;      /* the others are those of a caller that may change leads */
};

struct custom_field_limits {
	size_t fields;       /* of a lead */
	size_t bytes;        /* of the JSON object with its names … */
	size_t public_bytes; /* … and of those together that strangers stored; 0: the same */
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

/* Applies the changes of a call to the fields of a lead. Returns false with a message for the client in *problem when the
 * changes that are not optional exceed a limit alone, or, if they are keyed, together with the keyed fields that are stored.
 * What strangers store never makes a call fail (docs/api.md 1.3): fields that they stored are left out where those of the call
 * need their room, and so are a stranger's that do not fit beside the keyed ones. An optional one never replaces a keyed one.
 */
MUST_CHECK bool custom_fields_merge(struct pool *pool, const struct stored_fields *stored,
    const struct custom_field_changes *changes, const struct custom_field_limits *limits, struct stored_fields *merged,
    struct slice *problem);

#endif
