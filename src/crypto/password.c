/* SPDX-License-Identifier: MIT */
#include "crypto/password.h"

#include <argon2.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>

#include "base/panic.h"
#include "os/clock.h"
#include "os/descriptors.h"
#include "os/fiber.h"
#include "os/log.h"
#include "os/random.h"

enum { SALT_SIZE = 16, OUTPUT_SIZE = 32 };

/* The largest parameters that a stored hash may have. */
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

struct hash_call {
	struct slice password;
	const unsigned char *salt; /* NULL: the password is verified */
	char *text;                /* the hash, of PASSWORD_HASH_MAX bytes */
	int code;
	int done; /* an eventfd(2) that a thread writes to at its end */
};

static void
hash(struct hash_call *call)
{
	const struct slice password = call->password;
	if (call->salt == NULL)
		call->code = argon2id_verify(call->text, password.data, password.size);
	else
		call->code = argon2id_hash_encoded(PASSWORD_PASSES, PASSWORD_MEMORY_KIB, PASSWORD_LANES, password.data,
		    password.size, call->salt, SALT_SIZE, OUTPUT_SIZE, call->text, PASSWORD_HASH_MAX);
}

/* A thread function. On Linux, a thread has a priority of its own. */
static void *
hash_with_lowest_priority(void *context)
{
	if (setpriority(PRIO_PROCESS, 0, PRIO_MAX) != 0)
		log_warning("no_priority", LOG_ERRNO(errno));
	hash(context);
	if (eventfd_write(((const struct hash_call *)context)->done, 1) != 0)
		panic("eventfd_write");
	return NULL;
}

/* In a thread, because a process that has lowered its priority cannot raise it again. */
static int
run(struct hash_call *call)
{
	pthread_t thread;
	call->done = eventfd(0, EFD_CLOEXEC);
	const int error = call->done < 0 ? errno : pthread_create(&thread, NULL, hash_with_lowest_priority, call);
	if (error != 0) {
		log_warning("no_thread", LOG_ERRNO(error));
		hash(call);
	} else {
		(void)fiber_wait(call->done, POLLIN, CLOCK_NEVER);
		if (pthread_join(thread, NULL) != 0)
			panic("pthread_join");
	}
	descriptor_close(call->done);
	memory_trim();
	return call->code;
}

struct slice
password_hash(struct pool *pool, struct slice password)
{
	unsigned char salt[SALT_SIZE];
	char *text = pool_alloc(pool, PASSWORD_HASH_MAX);
	random_bytes(salt, sizeof(salt));
	require_success(run(&(struct hash_call){ .password = password, .salt = salt, .text = text }));
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
	const int code = run(&(struct hash_call){ .password = password, .text = text });
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
