/* SPDX-License-Identifier: MIT
 * Seals the secrets that are in the database (store/secrets.h), for the operator. */
#pragma once

#include "store/store.h"

/* Secrets in the database, by how they are stored. */
struct secret_counts {
	uint64_t plain;                /* not sealed */
	uint64_t old;                  /* sealed with a key that is not the first one */
	uint64_t sealed;               /* with the first key */
	uint64_t unreadable;           /* sealed with a key that this program does not have, or damaged */
	struct slice first_unreadable; /* "webhooks.secret 17 (key 0a1b2c3d)"; or absent */
};
/* Opens each secret. */
MUST_CHECK enum result store_count_secrets(struct store *store, struct pool *pool, struct secret_counts *counts);

/* Whether server.secrets_key is set. */
MUST_CHECK bool store_has_secrets_key(const struct store *store);
/* Seals all secrets that are not sealed, or sealed with an old key, in transactions of at most 200 rows; from then on, every
 * program seals the secrets that it stores. Secrets that cannot be read are left alone. It can be repeated, and run while the
 * programs are running. There must be a key. *changed: the number of sealed secrets. */
MUST_CHECK enum result store_seal_secrets(struct store *store, uint64_t *changed);
