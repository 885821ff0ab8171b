/* SPDX-License-Identifier: MIT
 * Proving that an address is one's own: the messages that request it, and what happens once it is proven. */
#pragma once

#include "api/call/api_call.h"
#include "engine/message.h"

/* Requests a message to a lead (0: none) that no command requests; mails are composed and sent at once. `typed`: the email
 * address (a key) or the number that a caller has typed to request it; its limits count the message whether or not a lead has
 * the address; absent: the caller has proven to be the lead. False: the call has failed. */
MUST_CHECK bool call_request_message(struct call *call, uint64_t lead_id, enum message_kind kind, struct slice typed);
/* Before its email address is confirmed: adds the number that was entered together with it (docs/api.md 4.1.11, New number).
 * False: the call has failed. */
MUST_CHECK bool call_take_number(struct call *call, const struct lead *lead);
/* Carries out the change that the owner of an address has proven to be its own, and records it as the caller's. */
struct outcome call_execute_proof(struct call *call, const struct lead_change *change);
/* Answers the confirmation of an address: leads to the lead's own page or, if the lead is withheld, to the page that says that
 * a mail was sent. If the lead has no page, says that the address is confirmed. */
void call_show_confirmed(struct call *call, const struct outcome *outcome);
/* "a•••@example.org": the page can be opened from a forwarded mail. */
struct slice call_masked_email(struct pool *pool, struct slice email);
