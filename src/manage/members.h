/* SPDX-License-Identifier: MIT
 * The members of a JSON object or of a query; private to this folder. */
#pragma once

#include "manage/manage_request.h"

enum { MEMBERS_MAX = 200, ITEMS_MAX = 1000 };

struct member {
	struct slice name;
	enum { MEMBER_NULL, MEMBER_TEXT, MEMBER_NUMBER, MEMBER_BOOLEAN, MEMBER_ARRAY, MEMBER_OBJECT } type;
	struct slice text;   /* of a text, a number as written, "true" or "false"; "" for null */
	struct slice *items; /* the texts in an array or object */
	struct slice *names; /* the names in an object */
	size_t item_count, item_capacity, name_capacity;
	bool taken;
};

struct members {
	struct member *list;
	size_t count, capacity;
};

/* Read the members from the query of a request without a body, or from the body of one without a query. Texts are valid UTF-8
 * without NUL. */
MUST_CHECK bool request_read_query(struct manage_request *request, struct members *members);
MUST_CHECK bool request_read_body(struct manage_request *request, struct members *members);
/* Takes the member of this name; NULL if there is none. */
struct member *members_take(struct members *members, struct slice name);
