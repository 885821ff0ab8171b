/* SPDX-License-Identifier: MIT
 * The result of processing a payload from another system (docs/inbound.md 2, 3), for the API's answer and for the operator's
 * command. Types only. */
#pragma once

#include "base/slice.h"
#include "engine/failure.h"

/* A parameter that was made from the payload. */
struct inbound_field {
	struct slice target, path;
	struct slice value; /* JSON */
	bool left_out;      /* left out: it was optional and is not a valid parameter */
};

/* What happened, or would happen, with one entry of a payload. */
struct inbound_result {
	enum failure failure;        /* FAILURE_NONE: it became a lead */
	struct slice error, message; /* why it did not; for a lead, the message says what was left out, or is absent */
	bool created;
	uint64_t lead_id;  /* 0 with `only_try` if the lead does not exist */
	struct slice body; /* the lead; absent with `only_try` */
	struct inbound_field *fields;
	size_t field_count;
	struct slice entry; /* the payload with only this entry */
};

/* One result for each entry of a payload; at least one. */
struct inbound_results {
	struct inbound_result *items;
	size_t count;
};
