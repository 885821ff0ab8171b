/* SPDX-License-Identifier: MIT
 * Secrets in columns, sealed with the keys of the configuration (crypto/seal.h; SECURITY.md, Secrets in the database).
 *
 * The function that writes a secret seals it in the same transaction, the one that reads it opens it; others need not know of
 * it. A column that has secrets also has a row of `columns` in store/operator/sealing.c, so that `leadhook secrets seal` finds
 * them. Texts are in the pool. */
#pragma once

#include "crypto/seal.h"
#include "store/state.h"

/* Of both secrets of a webhook: a rotation copies one column to the other. */
#define SECRET_OF_WEBHOOK(webhook_id) ((struct seal_place){ "webhooks.secret", (webhook_id) })
/* It may have a token of the receiver. */
#define URL_OF_WEBHOOK(webhook_id) ((struct seal_place){ "webhooks.url", (webhook_id) })
#define SECRET_OF_INSTALLATION ((struct seal_place){ "installation.server_secret", 0 })

/* What is to be stored for a secret: sealed, if those of this installation are (that is, the secret of the installation), else
 * as it is. In a transaction, in which `leadhook secrets seal` waits. RESULT_FAILED, logged: there is no key. */
MUST_CHECK enum result store_seal(
    struct store *store, struct pool *pool, struct seal_place place, struct slice text, struct slice *stored);
/* The secret that is stored, or absent where none is. RESULT_FAILED, logged: it is sealed with a key that this program does not
 * have, or damaged. */
MUST_CHECK enum result store_open(
    struct store *store, struct pool *pool, struct seal_place place, struct slice stored, struct slice *text);
/* The same for what is only shown: absent where it cannot be opened. */
struct slice store_open_shown(struct store *store, struct pool *pool, struct seal_place place, struct slice stored);
/* Whether the stored secret is this one. One that cannot be opened is another one. */
MUST_CHECK bool store_is_secret(
    const struct store *store, struct pool *pool, struct seal_place place, struct slice stored, struct slice text);
