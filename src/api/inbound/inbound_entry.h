/* SPDX-License-Identifier: MIT
 * Turns an entry of a payload into a command (docs/inbound.md 3): a sign-up, an opt-out, or the opt-in of a phone. */
#pragma once

#include "api/inbound/inbound_payload.h"
#include "engine/inbound_result.h"

/* Makes the command of an entry, and notes in the result what the entry contains. False: the call has failed. */
MUST_CHECK bool inbound_entry_command(struct call *call, const struct inbound_payload *payload, size_t number,
    struct inbound_result *result, struct command *command);
