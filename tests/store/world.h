/* SPDX-License-Identifier: MIT
 * The fixture of this folder's tests: an installed database, an open store, an account and a campaign for the test. */
#pragma once

#include "base/attributes.h"
#include "private_server.h"
#include "store/operator/campaign_settings.h"
#include "store/store.h"

#define TABLE_PREFIX "t_"

enum { BATCH_MAX = 64, UNKNOWN_ID = 999999 /* an id that nothing has */ };

struct world {
	struct store *store;
	struct pool *pool;
	uint64_t account, campaign;
};

/* Options of every store here. */
extern struct store_options world_options;
/* Another installation in the same database; not installed yet. */
struct store *store_with_prefix(const char *prefix);

/* For the group: server and schema. */
int world_start(void **state);
int world_stop(void **state);
/* For each test. */
int world_open(void **state);
int world_close(void **state);
#define WORLD_TEST(name) cmocka_unit_test_setup_teardown(name, world_open, world_close)
/* Runs a program's tests, or reports that there is no server for them. */
#define WORLD_MAIN(tests) (private_server_installed() ? cmocka_run_group_tests(tests, world_start, world_stop) : world_skip())
int world_skip(void);

struct campaign_settings plain_campaign(void);
uint64_t add_campaign(struct world *w);
struct campaign find_campaign(struct world *w, uint64_t id);
/* store_edit_campaign with this edit. */
MUST_CHECK enum result change_campaign(
    struct store *store, uint64_t id, bool (*edit)(void *context, struct campaign_settings *settings), void *context);
/* Gives a campaign all these settings. */
MUST_CHECK enum result set_campaign(struct world *w, uint64_t id, struct campaign_settings settings);
/* Applies a change of max_per_ip completely; returns the number of pieces. */
unsigned count_addresses(struct world *w);
/* Sets its end time, -1 for none. */
void set_end(struct world *w, uint64_t id, int64_t ends_ms);
uint64_t add_webhook(struct world *w, uint64_t campaign, const char *url, uint32_t events);

/* A sign-up with the account's key; `email` must stay valid. */
struct command signup(const struct world *w, uint64_t campaign, const char *email);
/* "<stem><number>@example.org", in the pool. */
const char *numbered_email(struct pool *pool, const char *stem, size_t number);
/* store_execute with a deadline of ten seconds. */
void execute(struct store *store, struct pool *pool, const struct command *commands, size_t count, struct outcome *outcomes);
/* Runs commands as one batch; all must succeed. */
void run_all(struct world *w, const struct command *commands, size_t count);
/* A sign-up with the social id of its referrer; returns the lead. */
struct command referred_signup(struct world *w, const char *email, struct slice referrer);
struct lead sign_up_referred(struct world *w, const char *email, struct slice referrer);
/* The change that a bulk call makes. */
struct command change_of(const struct world *w, uint64_t lead_id, enum lead_action action);
/* Changes columns of a campaign as an operator's command does: "points_signup = 3". */
void set_columns(uint64_t campaign, const char *columns);
/* Two tags, two actions and a reward level; their ids begin with ten times the campaign's and 1. */
void plant_definitions(uint64_t campaign);
/* An existing lead. */
struct lead find_lead(struct world *w, uint64_t campaign, enum lead_identity identity, const char *value);
/* `count` sign-ups with new emails in batches of BATCH_MAX; all must succeed. */
void sign_up_many(struct world *w, const char *stem, size_t count);

/* Runs `body` in `count` processes at the same time, each with a connected store of its own. `shared` is memory that all of
 * them see, zeroed for each test. Assertions do not work in `body`: it returns whether it succeeded. processes_end waits for
 * them, and returns whether all succeeded. */
enum { SHARED_MAX = 1024, PROCESSES_MAX = 16 };
extern uint64_t *shared;
typedef bool process_body(struct store *store, const struct world *world, unsigned index);
void processes_start(const struct world *world, unsigned count, process_body *body);
MUST_CHECK bool processes_end(void);
