/* SPDX-License-Identifier: MIT
 * Bulk calls (docs/api.md 4.1.4): their leads, and what is to be changed. Functions that return false have failed the call. */
#pragma once

#include "api/call/api_call.h"

/* Without the malformed identifiers, which match no lead. All have the same type. */
struct bulk_leads {
	struct lead_reference *items;
	size_t count;
};
MUST_CHECK bool bulk_read_leads(struct call *call, struct bulk_leads *leads);

enum { BULK_TAGS_MAX = 50 };
/* Each once. */
struct bulk_tags {
	uint64_t *ids;
	size_t count;
};
/* `tag_id`, else `tag`: exactly one. */
MUST_CHECK bool bulk_read_tag(struct call *call, struct bulk_tags *tags);
/* `tag_ids`: from one to BULK_TAGS_MAX. */
MUST_CHECK bool bulk_read_tags(struct call *call, struct bulk_tags *tags);

/* Reads what the action needs besides leads and tags: the argument of struct bulk_request, or absent. */
MUST_CHECK bool bulk_read_argument(struct call *call, enum lead_action action, struct slice *argument);
