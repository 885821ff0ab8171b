/* SPDX-License-Identifier: MIT
 * What the call of an inbound webhook's URL brings (docs/inbound.md 2). */
#pragma once

#include "api/call/api_call.h"
#include "webhook/mapping.h"

struct inbound_payload {
	struct payload_map map;
	struct payload_list list;
	bool from_query; /* the call has no body */
};

/* Reads the payload of the call, whose query is one where it has no body; body and type of the request become those that are
 * stored. False: the call has failed. */
MUST_CHECK bool inbound_payload_read(struct call *call, struct inbound_payload *payload);
/* Whether it names a person, or has the text of one: a sender that only tests the URL sends no such values. */
MUST_CHECK bool inbound_payload_has_person(struct call *call, const struct inbound_payload *payload);
/* The text that a sender wants to see before it uses the URL; absent: it has not asked for one. */
struct slice inbound_payload_challenge(const struct inbound_payload *payload);
