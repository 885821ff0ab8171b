/* SPDX-License-Identifier: MIT */
#include "store/hooks/webhooks.h"
#include "store/schema.h"
#include "world.h"

#include "unit.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/clock.h"
#include "store/batch.h"
#include "store/operator/accounts.h"
#include "store/operator/campaign_settings.h"
#include "store/operator/upgrade.h"

enum { TIME_MS = 10 * 1000 };

struct store_options world_options = {
	.user = PRIVATE_SERVER_USER,
	.password = PRIVATE_SERVER_PASSWORD,
	.database = PRIVATE_SERVER_DATABASE,
	.prefix = TABLE_PREFIX,
	.connect_timeout_s = 5,
	.io_timeout_s = 20,
	.base_url = "https://lead.example",
	.avatar_url = "",
	.form_urls = "form.example",
	.custom_fields = { 50, 16384, 0 },
	.retention_ms = INT64_C(30) * 24 * 3600 * 1000,
};

uint64_t *shared;
static pid_t processes[PROCESSES_MAX];
static unsigned process_count;

struct store *
store_with_prefix(const char *prefix)
{
	struct store_options options = world_options;
	options.prefix = prefix;
	return store_new(&options);
}

int
world_start(void **state UNUSED)
{
	uint32_t from;
	shared = mmap(NULL, SHARED_MAX * sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || !private_server_start())
		return -1;
	world_options.socket = private_server_socket();
	struct store *store = store_new(&world_options);
	enum result result = store_upgrade(store, &from);
	store_free(&store);
	return result == RESULT_OK ? 0 : -1;
}

int
world_stop(void **state UNUSED)
{
	private_server_stop();
	return 0;
}

int
world_skip(void)
{
	puts("1..0 # SKIP mariadbd is not installed");
	return 0;
}

int
world_open(void **state)
{
	struct world *w = memory_alloc(sizeof(*w));
	memset(shared, 0, SHARED_MAX * sizeof(*shared));
	w->store = store_new(&world_options);
	w->pool = pool_new();
	*state = w;
	if (store_add_account(w->store, NULL, SLICE("Account"), &w->account) != RESULT_OK)
		return -1;
	w->campaign = add_campaign(w);
	return 0;
}

int
world_close(void **state)
{
	struct world *w = *state;
	root_run("ROLLBACK"); /* the transaction of a test that failed */
	store_free(&w->store);
	pool_free(&w->pool);
	free(w);
	return 0;
}

struct campaign_settings
plain_campaign(void)
{
	return (struct campaign_settings){ .name = SLICE("Campaign"), .ends_ms = -1, .privacy = true };
}

uint64_t
add_campaign(struct world *w)
{
	struct campaign_settings settings = plain_campaign();
	uint64_t id;
	assert_int_equal(store_add_campaign(w->store, NULL, w->account, &settings, INT64_MAX, &id), RESULT_OK);
	return id;
}

struct campaign
find_campaign(struct world *w, uint64_t id)
{
	struct campaign campaign;
	int64_t now_ms;
	assert_int_equal(store_find_campaign(w->store, w->pool, id, &campaign, &now_ms), RESULT_OK);
	assert_true(now_ms >= campaign.created_ms);
	return campaign;
}

enum result
change_campaign(
    struct store *store, uint64_t id, bool (*edit)(void *context, struct campaign_settings *settings), void *context)
{
	struct campaign_change change = { .edit = edit, .context = context };
	return store_edit_campaign(store, NULL, id, &change);
}

static bool
replace(void *context, struct campaign_settings *settings)
{
	*settings = *(const struct campaign_settings *)context;
	return true;
}

enum result
set_campaign(struct world *w, uint64_t id, struct campaign_settings settings)
{
	return change_campaign(w->store, id, replace, &settings);
}

unsigned
count_addresses(struct world *w)
{
	unsigned pieces = 0;
	for (bool done = false; !done; pieces++)
		assert_int_equal(store_count_addresses(w->store, w->campaign, &done), RESULT_OK);
	return pieces;
}

static bool
replace_end(void *context, struct campaign_settings *settings)
{
	settings->ends_ms = *(const int64_t *)context;
	return true;
}

void
set_end(struct world *w, uint64_t id, int64_t ends_ms)
{
	assert_int_equal(change_campaign(w->store, id, replace_end, &ends_ms), RESULT_OK);
}

uint64_t
add_webhook(struct world *w, uint64_t campaign, const char *url, uint32_t events)
{
	struct webhook_put put = {
		.campaign_id = campaign, .url = slice_of(url), .events = events, .secret = SLICE("whsec_secret"), .maximum = 100
	};
	uint64_t id;
	bool created;
	assert_int_equal(store_put_webhook(w->store, NULL, &put, &id, &created), RESULT_OK);
	assert_true(created);
	return id;
}

struct command
signup(const struct world *w, uint64_t campaign, const char *email)
{
	struct command command = {
		.rights = RIGHTS_FULL_KEY, .campaign_id = campaign, .account_id = w->account, .view = { .full = true }
	};
	command.as.signup.email = command.as.signup.email_key = slice_of(email);
	return command;
}

const char *
numbered_email(struct pool *pool, const char *stem, size_t number)
{
	return pool_printf(pool, "%s%zu@example.org", stem, number).data;
}

void
execute(struct store *store, struct pool *pool, const struct command *commands, size_t count, struct outcome *outcomes)
{
	const struct command *pointers[BATCH_MAX];
	for (size_t i = 0; i < count; i++)
		pointers[i] = &commands[i];
	store_execute(store, pool,
	    &(struct execution){
		.commands = pointers, .count = count, .deadline_ms = clock_monotonic_ms() + TIME_MS, .outcomes = outcomes });
}

struct lead
find_lead(struct world *w, uint64_t campaign, enum lead_identity identity, const char *value)
{
	struct lead_reference reference = { .identity = identity, .value = slice_of(value) };
	struct lead lead = { 0 };
	assert_int_equal(store_find_lead(w->store, w->pool, campaign, &reference, &lead), RESULT_OK);
	return lead;
}

void
run_all(struct world *w, const struct command *commands, size_t count)
{
	struct outcome outcomes[BATCH_MAX];
	execute(w->store, w->pool, commands, count, outcomes);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(outcomes[i].failure, FAILURE_NONE);
}

struct command
referred_signup(struct world *w, const char *email, struct slice referrer)
{
	struct command command = signup(w, w->campaign, email);
	command.as.signup.referrer_id = referrer;
	return command;
}

struct lead
sign_up_referred(struct world *w, const char *email, struct slice referrer)
{
	struct command command = referred_signup(w, email, referrer);
	run_all(w, &command, 1);
	return find_lead(w, w->campaign, LEAD_BY_EMAIL, email);
}

struct command
change_of(const struct world *w, uint64_t lead_id, enum lead_action action)
{
	return (struct command){ .kind = COMMAND_CHANGE,
		.campaign_id = w->campaign,
		.as.change = { .action = action, .lead = { .identity = LEAD_BY_ID, .id = lead_id } } };
}

void
sign_up_many(struct world *w, const char *stem, size_t count)
{
	struct command commands[BATCH_MAX];
	struct outcome outcomes[BATCH_MAX];
	for (size_t done = 0, size; done < count; done += size) {
		size = count - done < BATCH_MAX ? count - done : BATCH_MAX;
		for (size_t i = 0; i < size; i++)
			commands[i] = signup(w, w->campaign, numbered_email(w->pool, stem, done + i));
		execute(w->store, w->pool, commands, size, outcomes);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(outcomes[i].failure, FAILURE_NONE);
	}
}

/* Waits until the parent closes the other end, when all processes are ready. */
static bool
run_process(const struct world *world, const int gate[2], const int ready[2], unsigned index, process_body *body)
{
	struct store *store = store_new(&world_options);
	uint32_t found;
	char byte = 0;
	close(gate[1]);
	bool done = store_ready(store, &found) == RESULT_OK && write(ready[1], &byte, 1) == 1 && read(gate[0], &byte, 1) == 0 &&
		    body(store, world, index);
	store_free(&store);
	return done;
}

void
processes_start(const struct world *world, unsigned count, process_body *body)
{
	int gate[2], ready[2];
	char byte;
	pid_t parent = getpid();
	assert_int_equal(pipe(gate), 0);
	assert_int_equal(pipe(ready), 0);
	process_count = count;
	fflush(NULL);
	for (unsigned i = 0; i < count; i++) {
		processes[i] = fork();
		assert_true(processes[i] >= 0);
		if (processes[i] == 0) {
			bool alive = prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent;
			_exit(alive && run_process(world, gate, ready, i, body) ? EXIT_SUCCESS : EXIT_FAILURE);
		}
	}
	close(ready[1]);
	for (unsigned i = 0; i < count; i++)
		assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(gate[0]);
	close(gate[1]);
}

bool
processes_end(void)
{
	bool all = true;
	for (unsigned i = 0; i < process_count; i++) {
		int status;
		all = waitpid(processes[i], &status, 0) == processes[i] && status == 0 && all;
	}
	return all;
}

static void
note_change(uint64_t campaign)
{
	root_run(
	    "UPDATE t_campaign_counters SET settings_version = settings_version + 1 WHERE campaign_id = %" PRIu64, campaign);
}

void
set_columns(uint64_t campaign, const char *columns)
{
	root_run("UPDATE t_campaigns SET %s WHERE id = %" PRIu64, columns, campaign);
	note_change(campaign);
}

void
plant_definitions(uint64_t campaign)
{
	root_run("INSERT INTO t_tags (id, campaign_id, name, description, points) VALUES (%" PRIu64 ", %" PRIu64
		 ", 'aaa', 'why', -5), (%" PRIu64 ", %" PRIu64 ", 'zzz', NULL, 7)",
	    campaign * 10 + 2, campaign, campaign * 10 + 1, campaign);
	root_run("INSERT INTO t_actions (id, campaign_id, text, points, tag_id) VALUES (%" PRIu64 ", %" PRIu64
		 ", 'share', 3, NULL), (%" PRIu64 ", %" PRIu64 ", 'be tagged', 4, %" PRIu64 ")",
	    campaign * 10 + 1, campaign, campaign * 10 + 2, campaign, campaign * 10 + 1);
	root_run("INSERT INTO t_reward_levels (id, campaign_id, subject, required_points, emailed) VALUES (%" PRIu64
		 ", %" PRIu64 ", 'mug', 4294967295, TRUE)",
	    campaign * 10 + 1, campaign);
	note_change(campaign);
}
