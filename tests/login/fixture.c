/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <argon2.h>
#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>

#include "fixture.h"
#include "os/clock.h"

const struct slice password = SLICE(PASSWORD), other_password = SLICE("another staple of horses"),
		   wrong_password = SLICE("wrong horse battery");

unsigned hashes, pauses;
int hash_priority;

int __real_argon2id_verify(const char *encoded, const void *text, size_t size);
int __wrap_argon2id_verify(const char *encoded, const void *text, size_t size);
int __real_argon2id_hash_encoded(uint32_t passes, uint32_t memory, uint32_t lanes, const void *text, size_t size,
    const void *salt, size_t salt_size, size_t hash_size, char *encoded, size_t encoded_size);
int __wrap_argon2id_hash_encoded(uint32_t passes, uint32_t memory, uint32_t lanes, const void *text, size_t size,
    const void *salt, size_t salt_size, size_t hash_size, char *encoded, size_t encoded_size);

void __wrap_fiber_pause(int64_t ms);

/* Replaces the pause. */
void
__wrap_fiber_pause(int64_t ms)
{
	pauses += ms > 0;
}

int
__wrap_argon2id_verify(const char *encoded, const void *text, size_t size)
{
	hashes++;
	hash_priority = getpriority(PRIO_PROCESS, 0);
	return __real_argon2id_verify(encoded, text, size);
}

int
__wrap_argon2id_hash_encoded(uint32_t passes, uint32_t memory, uint32_t lanes, const void *text, size_t size, const void *salt,
    size_t salt_size, size_t hash_size, char *encoded, size_t encoded_size)
{
	hashes++;
	hash_priority = getpriority(PRIO_PROCESS, 0);
	return __real_argon2id_hash_encoded(
	    passes, memory, lanes, text, size, salt, salt_size, hash_size, encoded, encoded_size);
}

struct login_context context;
struct pool *pool;
struct world *world;
struct login_call call;
struct slice token;
struct session session;
static int64_t limiter_ms;

static int64_t
limiter_clock(void)
{
	return limiter_ms;
}

int
open_all(void **state)
{
	const struct limiter_options options = { .folder = "",
		/* room for 100 addresses: in a full set, a new caller continues with the counts of another caller */
		.memory = 64 * (size_t)LIMITER_MEMORY_MIN,
		.rules = { [LIMIT_LOGINS] = { { { 10, MINUTE_MS } }, 1 } },
		.now_ms = limiter_clock };
	if (world_open(state) != 0)
		return -1;
	world = *state;
	pool = world->pool;
	limiter_ms = HOUR_MS;
	context = (struct login_context){ .store = world->store,
		.limiter = limiter_open(&options),
		.slots = work_slots_open("", WORK_HASHES, WORK_SLOTS_MAX),
		.limits = { HOUR_MS, 12 * HOUR_MS },
		.base_url = SLICE("https://lead.example"),
		.service_name = SLICE("Leadhook") };
	root_run("DELETE FROM t_users");
	root_run("DELETE FROM t_sessions");
	root_run("DELETE FROM t_recovery_codes");
	root_run("DELETE FROM t_login_attempts");
	hashes = 0;
	return 0;
}

int
close_all(void **state)
{
	limiter_close(&context.limiter);
	work_slots_close(&context.slots);
	return world_close(state);
}

struct login_origin
origin_of(const char *address)
{
	struct ip_address *parsed = POOL_ARRAY(pool, 1, struct ip_address);
	assert_true(ip_address_parse(slice_of(address), parsed));
	return (struct login_origin){ .address = parsed, .user_agent = SLICE("Browser/1.0") };
}

struct login_call *
call_from(const struct login_origin *origin)
{
	call = (struct login_call){ .context = &context, .pool = pool, .origin = *origin, .token = token, .session = &session };
	return &call;
}

struct slice
make_link(enum invitation_purpose purpose, struct new_invitation *made)
{
	const struct slice made_token = secret_make(pool, SECRET_USER);
	const struct digest hash = secret_hash(made_token);
	*made = (struct new_invitation){ .purpose = purpose, .valid_ms = HOUR_MS };
	memcpy(made->hash, hash.bytes, sizeof(made->hash));
	return user_token_link(pool, context.base_url, made_token);
}

uint64_t
add_user(const char *email, enum role role, struct slice *link)
{
	struct new_user user = { .account_id = role == ROLE_OPERATOR ? 0 : world->account,
		.email = slice_of(email),
		.settings = { .name = SLICE("Ada"), .role = role } };
	*link = make_link(INVITATION_WELCOME, &user.invitation);
	assert_int_equal(store_add_user(world->store, NULL, &user_manager_shell, &user), RESULT_OK);
	return user.id;
}

struct slice
token_of_link(struct slice link)
{
	const size_t slash = slice_find_last(link, '/');
	return slice_sub(link, slash + 1, link.size);
}

enum login_verdict
use_link(struct slice link, struct slice new_password)
{
	const struct login_origin origin = origin_of("192.0.2.99");
	limiter_ms += MINUTE_MS + MINUTE_MS / 10;
	assert_int_equal(login_use_link(call_from(&origin), token_of_link(link), new_password), RESULT_OK);
	return call.outcome.verdict;
}

uint64_t
add_ada(void)
{
	struct slice link;
	const uint64_t id = add_user("ada@example.org", ROLE_OWNER, &link);
	assert_int_equal(use_link(link, password), LOGIN_DONE);
	hashes = 0;
	return id;
}

static int64_t begun_ms; /* when the last login began */

enum login_verdict
log_in_from(const char *address, const char *email, struct slice given, struct slice code)
{
	const struct login_request request = { slice_of(email), given, code };
	const struct login_origin origin = origin_of(address);
	begun_ms = clock_wall_ms();
	assert_int_equal(login_open(call_from(&origin), &request, &token), RESULT_OK);
	return call.outcome.verdict;
}

enum login_verdict
log_in(struct slice given, struct slice code)
{
	limiter_ms += MINUTE_MS + MINUTE_MS / 10;
	return log_in_from("192.0.2.1", "ada@example.org", given, code);
}

bool
session_lasts(struct slice of)
{
	const struct login_origin origin = origin_of("192.0.2.1");
	const enum result result = login_find_session(&context, pool, of, origin.address, &session);
	assert_true(result == RESULT_OK || result == RESULT_NOT_FOUND);
	return result == RESULT_OK;
}

void
pass_wait(void)
{
	root_run("UPDATE t_login_attempts SET until_ms = until_ms - 900000");
}

void
hold_wait(int64_t wait_ms)
{
	root_run(
	    "UPDATE t_login_attempts SET until_ms = until_ms + %d WHERE until_ms >= %" PRId64, HELD_MS, begun_ms + wait_ms);
}

void
move_session(const char *column, int64_t ms)
{
	root_run("UPDATE t_sessions SET %s = %s - %" PRId64, column, column, ms);
}

int
run_login_tests(const struct CMUnitTest *tests, size_t count)
{
	world_options.secrets_key = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
	return private_server_installed() ? _cmocka_run_group_tests("login", tests, count, world_start, world_stop)
					  : world_skip();
}
