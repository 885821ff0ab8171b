/* SPDX-License-Identifier: MIT */
#include "store/users/secret.h"

bool
users_can_seal(const struct store *store)
{
	return store->options.secrets_key != NULL && *store->options.secrets_key != '\0';
}

struct slice
users_seal(struct store *store UNUSED, struct pool *pool UNUSED, uint64_t user_id UNUSED, struct slice secret)
{
	return secret;
}

enum result
users_open(
    struct store *store UNUSED, struct pool *pool UNUSED, uint64_t user_id UNUSED, struct slice stored, struct slice *secret)
{
	*secret = stored;
	return RESULT_OK;
}
