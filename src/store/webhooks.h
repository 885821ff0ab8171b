/* SPDX-License-Identifier: MIT
 * Changes of webhooks that callers and operators share. Call them inside a transaction; they return the result of the
 * connection, and RESULT_NOT_FOUND where no webhook matches. */
#pragma once

#include "store/store.h"

/* store_lock_settings for the campaign of a webhook. RESULT_NOT_FOUND: no such webhook; it may also be removed before the
 * lock is granted. */
MUST_CHECK enum result store_lock_webhook_settings(
    struct store *store, uint64_t webhook_id, const struct precondition *precondition);

/* Makes the webhook active and resets its failures. The settings of its campaign are locked. */
MUST_CHECK enum result store_activate_webhook(struct store *store, uint64_t webhook_id);

/* Gives the webhook a valid URL. Unless it has this URL already, its failures, hold and last answer are discarded: they are of
 * the old URL. Its state stays. The settings of its campaign are locked. RESULT_REFUSED with *taken: another webhook of the
 * campaign has the URL; nothing was changed. */
MUST_CHECK enum result store_move_webhook(
    struct store *store, struct pool *pool, const struct webhook_row *webhook, struct slice url, bool *taken);
