/* SPDX-License-Identifier: MIT
 * The tags and actions of the call's campaign. Functions that return false have failed the call. */
#pragma once

#include "api/call/api_call.h"

MUST_CHECK bool definitions_read(struct call *call, struct definitions *definitions);

enum tag_names { TAG_BY_ID = 1 << 0, TAG_BY_NAME = 1 << 1 };
/* The tag with this id or name; NULL: there is none. If both match, ids take precedence: a tag may be named "7". */
const struct tag *definitions_find_tag(const struct definitions *definitions, struct slice text, unsigned by);
/* Reads the definitions, and finds the id of the tag as definitions_find_tag does. */
MUST_CHECK bool definitions_read_tag(struct call *call, struct slice text, unsigned by, uint64_t *tag_id);
