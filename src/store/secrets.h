/* SPDX-License-Identifier: MIT
 * Secrets in columns, sealed with the keys of the configuration (crypto/seal.h; SECURITY.md, Secrets in the database).
 *
 * The function that writes a secret seals it in the same transaction, and the one that reads it opens it; others need not know
 * about it. A column that contains secrets also has a row of `columns` in store/operator/sealing.c, so that `leadhook secrets
 * seal` finds them. Texts are in the pool. */
#pragma once

#include "crypto/seal.h"
#include "store/state.h"

/* For both secrets of a webhook: a rotation copies one column to the other. */
#define SECRET_OF_WEBHOOK(webhook_id) ((struct seal_place){ "webhooks.secret", (webhook_id) })
/* It may contain a token of the receiver. */
#define URL_OF_WEBHOOK(webhook_id) ((struct seal_place){ "webhooks.url", (webhook_id) })
#define SECRET_OF_INSTALLATION ((struct seal_place){ "installation.server_secret", 0 })

/* What to store for a secret: the sealed secret if this installation's secrets are sealed (its own secret shows whether they
 * are), otherwise the secret itself. Call it in a transaction, so that `leadhook secrets seal` waits for it. RESULT_FAILED,
 * logged: there is no key. */
MUST_CHECK enum result store_seal(
    struct store *store, struct pool *pool, struct seal_place place, struct slice text, struct slice *stored);
/* The stored secret, or absent if there is none. RESULT_FAILED, logged: it is sealed with a key that this program does not
 * have, or damaged. */
MUST_CHECK enum result store_open(
    struct store *store, struct pool *pool, struct seal_place place, struct slice stored, struct slice *text);
/* As store_open, for secrets that are only shown: absent if it cannot be opened. */
struct slice store_open_shown(struct store *store, struct pool *pool, struct seal_place place, struct slice stored);
/* Whether the stored secret is `text`: false if it cannot be opened. */
MUST_CHECK bool store_is_secret(
    const struct store *store, struct pool *pool, struct seal_place place, struct slice stored, struct slice text);
