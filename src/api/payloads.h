/* SPDX-License-Identifier: MIT
 * Payloads of inbound webhooks (docs/inbound.md 2, 3): what is read of a call, and the command that an entry of it becomes. */
#ifndef LEADHOOK_API_PAYLOADS_H
#define LEADHOOK_API_PAYLOADS_H

#include "api/call.h"
#include "engine/inbound_result.h"
#include "webhook/mapping.h"

struct inbound_payload {
	struct payload_map map;
	struct payload_list list;
	bool from_query; /* the call has no body */
};

/* Reads the payload of the call, whose query is one where it has no body; body and type of the request become those that are
 * stored. False: the call has failed. */
MUST_CHECK bool call_read_payload(struct call *call, struct inbound_payload *payload);
/* Whether it names a person, or has the text of one: a sender that only tests the URL sends no such values. */
MUST_CHECK bool payload_has_person(struct call *call, const struct inbound_payload *payload);
/* The text that a sender wants to see before it uses the URL; absent: it has not asked for one. */
struct slice payload_challenge(const struct inbound_payload *payload);
/* Makes the command of an entry, and says in the result what it found. False: the call has failed. */
MUST_CHECK bool call_make_payload_command(struct call *call, const struct inbound_payload *payload, size_t entry,
    struct inbound_result *result, struct command *command);

#endif
