/* SPDX-License-Identifier: MIT
 * Proof that an address is the lead's own: the messages that request it, and what happens when it is given. */
#pragma once

#include "api/call/api_call.h"
#include "engine/message.h"

/* Requests a message to a lead (0: none) that no command requests; mails are composed and sent at once. `typed`: the email
 * address (a key) or the number that the caller has typed; the limits of this address count the message whether or not a lead
 * has it. Absent: the caller has proven to be the lead. False: the call has failed. */
MUST_CHECK bool call_request_message(struct call *call, uint64_t lead_id, enum message_kind kind, struct slice typed);
/* Called before an email address is confirmed: adds the number that was entered together with it (docs/api.md 4.1.11, New
 * number). False: the call has failed. */
MUST_CHECK bool call_take_number(struct call *call, const struct lead *lead);
/* Carries out a change for a caller that has proven to own an address, and records it as the caller's. */
struct outcome call_execute_proof(struct call *call, const struct lead_change *change);
/* Answers the confirmation of an address. Redirects to the lead's own page or, if the lead is withheld, to the page that says
 * that a mail was sent. If the lead has no page, shows that the address is confirmed. */
void call_show_confirmed(struct call *call, const struct outcome *outcome);
/* Masks an address as "a•••@example.org", because the page can be opened from a forwarded mail. */
struct slice call_masked_email(struct pool *pool, struct slice email);
