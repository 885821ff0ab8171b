/* SPDX-License-Identifier: MIT */
#include "crypto/password.h"

#include <argon2.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/panic.h"
#include "base/random.h"

enum { SALT_SIZE = 16, OUTPUT_SIZE = 32 };

/* What a stored hash may request at most. */
enum { MEMORY_KIB_MAX = 256 * 1024, PASSES_MAX = 16, LANES_MAX = 4 };

struct parameters {
	uint64_t memory_kib, passes, lanes;
};

static void
require_success(int code)
{
	if (code == ARGON2_OK)
		return;
	log_error("libargon2", LOG_STR("error", argon2_error_message(code)));
	memory_exhausted();
}

struct slice
password_hash(struct pool *pool, struct slice password)
{
	unsigned char salt[SALT_SIZE];
	char *text = pool_alloc(pool, PASSWORD_HASH_MAX);
	random_bytes(salt, sizeof(salt));
	require_success(argon2id_hash_encoded(PASSWORD_PASSES, PASSWORD_MEMORY_KIB, PASSWORD_LANES, password.data,
	    password.size, salt, sizeof(salt), OUTPUT_SIZE, text, PASSWORD_HASH_MAX));
	return slice_of(text);
}

/* "NAME=NUMBER". */
static bool
read_parameter(struct slice *list, struct slice name, uint64_t maximum, uint64_t *number)
{
	struct slice item;
	return slice_next(list, ',', &item) && slice_starts_with(item, name) &&
	       slice_to_u64(slice_sub(item, name.size, item.size), maximum, number) && *number > 0;
}

static bool
read_parameters(struct slice hash, struct parameters *parameters)
{
	static const struct slice start = SLICE("$argon2id$v=19$");
	struct slice rest = slice_sub(hash, start.size, hash.size), list;
	return slice_starts_with(hash, start) && hash.size < PASSWORD_HASH_MAX && slice_next(&rest, '$', &list) &&
	       read_parameter(&list, SLICE("m="), MEMORY_KIB_MAX, &parameters->memory_kib) &&
	       read_parameter(&list, SLICE("t="), PASSES_MAX, &parameters->passes) &&
	       read_parameter(&list, SLICE("p="), LANES_MAX, &parameters->lanes) && list.size == 0;
}

bool
password_verify(struct slice hash, struct slice password)
{
	struct parameters parameters;
	char text[PASSWORD_HASH_MAX] = { 0 };
	if (!read_parameters(hash, &parameters))
		return false;
	memcpy(text, hash.data, hash.size);
	const int code = argon2id_verify(text, password.data, password.size);
	if (code == ARGON2_MEMORY_ALLOCATION_ERROR)
		require_success(code);
	return code == ARGON2_OK;
}

bool
password_is_outdated(struct slice hash)
{
	struct parameters parameters;
	return !read_parameters(hash, &parameters) || parameters.memory_kib != PASSWORD_MEMORY_KIB ||
	       parameters.passes != PASSWORD_PASSES || parameters.lanes != PASSWORD_LANES;
}

struct slice
password_dummy(void)
{
	return SLICE("$argon2id$v=19$m=19456,t=2,p=1$bGVhZGhvb2sgbm8gdXNlcg$2GNlFlnGxIAw1o1VuZ5hVNyzNbgYjQpIqa3rJgBIkY0");
}
