/* SPDX-License-Identifier: MIT
 * How the custom fields of a call and those that a lead has become one object (docs/api.md 1.3). */
#pragma once

#include "engine/custom_fields.h"

/* The stored object of a lead. Its first `keyed` fields come from callers that may change leads, the others from strangers. */
struct stored_fields {
	struct slice json; /* absent: it has none */
	size_t keyed;
};

struct custom_field_changes {
	const struct custom_field *items;
	size_t count;
	size_t optional; /* how many of the last ones are optional: stored like a stranger's, and left out where they do not fit
			    or another one has the name */
	bool keyed;      /* the required ones come from a caller that may change leads */
};

struct custom_field_limits {
	size_t fields;       /* of a lead */
	size_t bytes;        /* of the JSON object with its names … */
	size_t public_bytes; /* … and of all fields that strangers stored; 0: the same */
};

/* Applies the changes of a call to the fields of a lead. Returns false, with a message for the client in *problem, when the
 * required changes exceed a limit by themselves or, if they are keyed, together with the stored keyed fields. Fields of
 * strangers never make a call fail (docs/api.md 1.3): they are left out where the call needs their room, or where they do not
 * fit beside the keyed fields. An optional field never replaces a keyed one.
 */
MUST_CHECK bool custom_fields_merge(struct pool *pool, const struct stored_fields *stored,
    const struct custom_field_changes *changes, const struct custom_field_limits *limits, struct stored_fields *merged,
    struct slice *problem);
