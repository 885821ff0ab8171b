/* SPDX-License-Identifier: MIT
 * Requests for messages to leads (docs/mail.md). The code that sends them is in store/messages. */
#pragma once

#include "base/pool.h"
#include "engine/message.h"
#include "store/store.h"

/* Mails of turn 0 are sent before those of turn 1. Texts to phones have a turn of their own. */
enum { MAIL_TURNS = 2, TEXT_TURN = MAIL_TURNS, MESSAGE_TURNS };
unsigned message_turn(enum message_kind kind);

/* Requests the messages, inside the batch's transaction: they are due at `now_ms`, the transaction's time, unless they specify
 * another time. Ids come from the store's block, or, if it has too few, from the table of blocks, whose row is then locked
 * until the end. */
MUST_CHECK enum result store_insert_messages(
    struct store *store, struct pool *pool, const struct made_message *messages, size_t count, int64_t now_ms);
/* Makes mails that wait for the confirmation of their address due now, in the same transaction. *released: the number of these
 * mails. */
MUST_CHECK enum result store_release_unconfirmed(
    struct store *store, struct pool *pool, const uint64_t *lead_ids, size_t count, uint64_t *released);
/* Requests messages that are not part of a batch, in a transaction of its own. */
MUST_CHECK enum result store_request_messages(struct store *store, const struct made_message *messages, size_t count);
