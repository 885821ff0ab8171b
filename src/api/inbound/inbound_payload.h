/* SPDX-License-Identifier: MIT
 * What a call of an inbound webhook's URL contains (docs/inbound.md 2). */
#pragma once

#include "api/call/api_call.h"
#include "webhook/mapping.h"

struct inbound_payload {
	struct payload_map map;
	struct payload_list list;
	bool from_query; /* the payload is the query, because the call has no body */
};

/* Reads the payload of the call; without a body, its query is the payload. Body and type of the request are set to those that
 * are stored. False: the call has failed. */
MUST_CHECK bool inbound_payload_read(struct call *call, struct inbound_payload *payload);
/* Whether the payload names a person, or contains a person's text. A sender that only tests the URL does not send such
 * values. */
MUST_CHECK bool inbound_payload_has_person(struct call *call, const struct inbound_payload *payload);
/* The text that a sender expects as the answer before it uses the URL; absent if it expects none. */
struct slice inbound_payload_challenge(const struct inbound_payload *payload);
