/* SPDX-License-Identifier: MIT
 * How the custom fields of a call and those that a lead has become one object (docs/api.md 1.3). */
#ifndef LEADHOOK_ENGINE_CUSTOM_FIELDS_MERGE_H
#define LEADHOOK_ENGINE_CUSTOM_FIELDS_MERGE_H

#include "engine/custom_fields.h"

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

/* Applies the changes of a call to the fields of a lead. Returns false with a message for the client in *problem when the
 * changes that are not optional exceed a limit alone, or, if they are keyed, together with the keyed fields that are stored.
 * What strangers store never makes a call fail (docs/api.md 1.3): fields that they stored are left out where those of the call
 * need their room, and so are a stranger's that do not fit beside the keyed ones. An optional one never replaces a keyed one.
 */
MUST_CHECK bool custom_fields_merge(struct pool *pool, const struct stored_fields *stored,
    const struct custom_field_changes *changes, const struct custom_field_limits *limits, struct stored_fields *merged,
    struct slice *problem);

#endif
