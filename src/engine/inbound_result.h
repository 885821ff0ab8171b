/* SPDX-License-Identifier: MIT
 * What came of a payload of another system (docs/inbound.md 2, 3): for the answer of the API and for the operator's command. */
#ifndef LEADHOOK_ENGINE_INBOUND_RESULT_H
#define LEADHOOK_ENGINE_INBOUND_RESULT_H

#include "base/slice.h"
#include "engine/failure.h"

/* A parameter that the payload became. */
struct inbound_field {
	struct slice target, path;
	struct slice value; /* JSON */
	bool left_out;      /* it was optional, and is no valid parameter */
};

/* What came of a payload, or would come of it. */
struct inbound_result {
	enum failure failure;        /* FAILURE_NONE: there is a lead … */
	struct slice error, message; /* … else why not; the message of a lead says what was left out, or is absent */
	bool created;
	uint64_t lead_id;  /* 0 with `only_try` and a lead that does not exist */
	struct slice body; /* the lead; absent with `only_try` */
	struct inbound_field *fields;
	size_t field_count;
	struct slice entry; /* the payload with this entry alone */
};

/* Of the entries of a payload, at least one. */
struct inbound_results {
	struct inbound_result *items;
	size_t count;
};

#endif
