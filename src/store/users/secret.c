/* SPDX-License-Identifier: MIT */
#include "store/users/secret.h"

#include "store/secrets.h"

static struct seal_place
place_of(uint64_t user_id)
{
	return (struct seal_place){ "users.totp_secret", user_id };
}

bool
users_can_seal(const struct store *store)
{
	return seal_has_key(store->secrets_keys);
}

struct slice
users_seal(struct store *store, struct pool *pool, uint64_t user_id, struct slice secret)
{
	return seal(store->secrets_keys, pool, place_of(user_id), secret);
}

enum result
users_open(struct store *store, struct pool *pool, uint64_t user_id, struct slice stored, struct slice *secret)
{
	return store_open(store, pool, place_of(user_id), stored, secret);
}
