/* SPDX-License-Identifier: MIT
 * Turns of operators' jobs (docs/architecture.md 6.1): what each kind does and records, and where it continues. */
#include "unit.h"

#include <inttypes.h>
#include <stdio.h>

#include "compose/mail_preview.h"
#include "deliver/mail/mail_judge.h"
#include "deliver/send/single_attempt.h"
#include "engine/events.h"
#include "jobs/job_fields.h"
#include "jobs/job_kinds.h"
#include "jobs/job_parameters.h"
#include "jobs/test_mails.h"
#include "jobs/webhook_test.h"
#include "os/clock.h"
#include "store/fetched.h"
#include "store/operator/campaign_settings.h"
#include "store/operator/deliveries.h"
#include "store/state.h"

/* What was sent, and the result. */
static struct {
	uint64_t webhook;
	char address[64], content[1024];
	enum result composed;
	int status;
	bool cannot_send, accepted, needs_utf8;
	unsigned sent;
} net;
static atomic_bool stopping;

static struct job_settings host = { .has_mail = true,
	.mail_server = { .host = "mail.example.org" },
	.mail_senders = { .from = { .address = { .text = SLICE("a@example.org"), .domain = SLICE("example.org") } } },
	.form_urls = SLICE("") };

/* ---- stubs of the functions that send ---- */

struct slice
sender_error_name(enum sender_error error UNUSED)
{
	return SLICE_NONE;
}

bool
single_attempt_send(struct pool *pool UNUSED, const struct sender_options *options UNUSED, const struct due_delivery *delivery,
    int64_t now_ms UNUSED, struct attempt_result *result)
{
	net.webhook = delivery->destination->webhook_id;
	net.sent++;
	*result = (struct attempt_result){ .status = net.status, .answer = SLICE("\xff\"no\""), .duration_ms = 12 };
	return !net.cannot_send;
}

struct smtp_connection *
smtp_new(const struct smtp_server *server, const atomic_bool *stop)
{
	assert_string_equal(server->host, "mail.example.org");
	assert_ptr_equal(stop, &stopping);
	return NULL;
}

void
smtp_send(struct smtp_connection *connection UNUSED, const struct smtp_mail *mail, struct smtp_result *result)
{
	snprintf(net.address, sizeof(net.address), "%s", mail->recipient);
	snprintf(net.content, sizeof(net.content), "%.*s", SLICE_ARGS(mail->content));
	net.needs_utf8 = mail->needs_utf8;
	net.sent++;
	*result = (struct smtp_result){ .end = net.accepted ? SMTP_ACCEPTED : SMTP_REFUSED, .status = 550, .answer = "550 no" };
}

void
smtp_free(struct smtp_connection **connection UNUSED)
{
}

struct mail_judgement
mail_judge(const struct smtp_result *result)
{
	return (struct mail_judgement){ .verdict = result->end == SMTP_ACCEPTED ? MAIL_SENT : MAIL_FAIL };
}

enum result
mail_preview(const struct mail_senders *senders, struct store *store UNUSED, struct pool *pool,
    const struct preview_request *request, struct preview *preview)
{
	assert_ptr_equal(senders, &host.mail_senders);
	*preview = (struct preview){ .problem = SLICE("line 1") };
	preview->message = pool_printf(pool, "%d %s to %.*s%.*s", (int)request->kind,
	    request->language == NULL ? "" : text_language_code(*request->language).data, SLICE_ARGS(request->to),
	    SLICE_ARGS(senders->reply_to.address.text));
	return net.composed;
}

static int
open_empty(void **state)
{
	root_run("DELETE FROM t_operator_jobs");
	root_run("DELETE FROM t_due");
	root_run("DELETE FROM t_deliveries");
	root_run("DELETE FROM t_attempts");
	root_run("DELETE FROM t_events");
	net.cannot_send = net.accepted = false;
	net.sent = 0;
	net.status = 200;
	net.composed = RESULT_OK;
	host.has_mail = true;
	atomic_store(&stopping, false);
	return world_open(state);
}

#define JOB_TEST(name) cmocka_unit_test_setup_teardown(name, open_empty, world_close)

static uint64_t
add(struct world *w, enum job_kind kind, struct slice parameters)
{
	const struct job_request request = { w->account, w->campaign, kind, parameters, SLICE("a test") };
	uint64_t id;
	assert_int_equal(store_add_job(w->store, NULL, &request, &id), RESULT_OK);
	return id;
}

static struct operator_job
find(struct world *w, uint64_t id)
{
	struct operator_job job;
	assert_int_equal(store_find_job(w->store, w->pool, id, &job), RESULT_OK);
	return job;
}

/* Leases the only job and takes a turn with it; returns the job as it is stored afterwards. */
static struct operator_job
turn(struct world *w, int64_t turn_ms, struct id_set under_way)
{
	struct operator_job job;
	assert_int_equal(store_lease_job(w->store, w->pool, owners[0], LONG_MS, &job), RESULT_OK);
	struct job_turn taken = { .settings = &host,
		.store = w->store,
		.pool = w->pool,
		.owner = owners[0],
		.under_way = under_way,
		.deadline_ms = clock_monotonic_ms() + turn_ms,
		.stop = &stopping,
		.job = &job };
	assert_int_equal(job_take_turn(&taken), RESULT_OK);
	return find(w, job.id);
}

static struct slice
all_of(struct world *w, uint64_t webhook)
{
	const struct delivery_filter filter = {
		.webhook_id = webhook, .event = -1, .state = -1, .since_ms = -1, .until_ms = -1, .limit = SIZE_MAX
	};
	return job_redelivery_parameters(w->pool, &filter);
}

/* Makes ended deliveries of a webhook as copies of its pending ones, with consecutive ids. */
static uint64_t
make_ended(struct world *w, unsigned count)
{
	const uint64_t webhook = make_due(w, 1);
	root_run("INSERT INTO t_events (id, campaign_id, lead_id, type, deliveries, created_ms, payload) SELECT id + 10 * seq, "
		 "campaign_id, lead_id, type, 1, created_ms, payload FROM t_events JOIN seq_1_to_%u",
	    count);
	root_run("INSERT INTO t_deliveries (id, event_id, webhook_id, state, attempts, ended_ms) SELECT id + 1, id, %" PRIu64
		 ", 'failed', 1, 1 FROM t_events",
	    webhook);
	root_run("DELETE FROM t_due");
	return webhook;
}

/* Every delivery is due again, and only once. */
static void
a_redelivery_goes_on_in_turns(void **state)
{
	enum { MANY = 2999 };
	struct world *w = *state;
	const uint64_t webhook = make_ended(w, MANY), id = add(w, JOB_REDELIVERY, all_of(w, webhook));
	struct operator_job job = turn(w, 0, no_ids); /* the first turn redelivers one page */
	assert_int_equal(job.state, JOB_RUNNING);
	assert_true(job.done > 0 && job.done < MANY + 1 && job.position > 0);
	assert_int_equal(root_number(DUE, webhook), job.done);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_due WHERE id < %" PRIu64, job.position), 0);
	root_run("DELETE FROM t_due"); /* the deliveries end again */
	const uint64_t before = job.done;
	while (job.state == JOB_RUNNING)
		job = turn(w, 0, no_ids);
	assert_int_equal(job.state, JOB_DONE);
	assert_int_equal(job.done, MANY + 1);
	assert_int_equal(root_number(DUE, webhook), MANY + 1 - before);
	assert_slice(job.result, "{\"queued\":3000,\"held\":0,\"under_way\":0,\"without_webhook\":0,\"without_event\":0,\"at_"
				 "limit\":0,\"missing\":0}");
	assert_true(job.id == id && job.total == 0);
}

/* The job is cancelled during a turn: the transaction under way is rolled back. */
static void
a_cancelled_redelivery_queues_no_more(void **state)
{
	struct world *w = *state;
	const uint64_t webhook = make_ended(w, 600);
	add(w, JOB_REDELIVERY, all_of(w, webhook));
	struct operator_job job;
	assert_int_equal(store_lease_job(w->store, w->pool, owners[0], LONG_MS, &job), RESULT_OK);
	assert_int_equal(store_cancel_job(w->store, job.id), RESULT_OK);
	struct job_turn taken = { .settings = &host,
		.store = w->store,
		.pool = w->pool,
		.owner = owners[0],
		.deadline_ms = CLOCK_NEVER,
		.stop = &stopping,
		.job = &job };
	assert_int_equal(job_take_turn(&taken), RESULT_OK);
	assert_int_equal(root_number(DUE, webhook), 0);
	assert_int_equal(find(w, job.id).state, JOB_CANCELLED);
	assert_int_equal(find(w, job.id).done, 0);
}

/* docs/deliveries.md 3.2: deliveries under way are left alone, and each reason is counted. */
static void
a_redelivery_counts_what_it_cannot_queue(void **state)
{
	struct world *w = *state;
	const uint64_t webhook = make_ended(w, 9);
	uint64_t ids[2] = { (uint64_t)root_number("SELECT MIN(id) FROM t_deliveries"),
		(uint64_t)root_number("SELECT MAX(id) FROM t_deliveries") };
	add(w, JOB_REDELIVERY, all_of(w, webhook));
	root_run("UPDATE t_webhooks SET state = 'disabled' WHERE id = %" PRIu64, webhook);
	root_run("UPDATE t_deliveries SET attempts = 1000 WHERE id > %" PRIu64 " ORDER BY id LIMIT 1", ids[0]);
	const struct operator_job job = turn(w, LONG_MS, id_set(ids, 2));
	assert_int_equal(job.state, JOB_DONE);
	assert_int_equal(root_number(DUE, webhook), 7);
	assert_slice(job.result,
	    "{\"queued\":7,\"held\":7,\"under_way\":2,\"without_webhook\":0,\"without_event\":0,\"at_limit\":1,\"missing\":0}");
	assert_int_equal(job.done, 10);
}

/* The limit of a filter applies to the whole job; its campaign is the job's. */
static void
filters_of_a_redelivery(void **state)
{
	struct world *w = *state;
	const uint64_t webhook = make_ended(w, 2999);
	add(w, JOB_REDELIVERY,
	    SLICE("{\"event\":\"new_signup\",\"state\":\"failed\",\"since_ms\":1,\"until_ms\":90000000000000,\"limit\":1400}"));
	struct operator_job job = turn(w, 0, no_ids);
	assert_int_equal(job.state, JOB_RUNNING);
	while (job.state == JOB_RUNNING)
		job = turn(w, 0, no_ids);
	assert_int_equal(job.done, 1400);
	assert_int_equal(root_number(DUE, webhook), 1400);
	root_run("DELETE FROM t_due");
	w->campaign = add_campaign(w);
	add(w, JOB_REDELIVERY, all_of(w, webhook)); /* deliveries of a webhook of another campaign */
	assert_int_equal(turn(w, LONG_MS, no_ids).state, JOB_DONE);
	assert_int_equal(root_number(DUE, webhook), 0);
}

/* Parameters that are not understood must not be ignored: otherwise the job would send more than was requested. */
static void
parameters_of_a_later_version_are_refused(void **state)
{
	static const struct slice bad[] = { SLICE("{\"webhook\":1,\"colour\":\"red\"}"), SLICE("{\"webhook\":\"1\"}"),
		SLICE("{\"event\":\"later\"}"), SLICE("{\"webhook\":[1]}"), SLICE("[]"), SLICE("{\"limit\":-1}"), SLICE("{") };
	struct world *w = *state;
	const uint64_t webhook = make_ended(w, 1);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		add(w, JOB_REDELIVERY, bad[i]);
		const struct operator_job job = turn(w, LONG_MS, no_ids);
		assert_int_equal(job.state, JOB_FAILED);
		assert_true(slice_present(job.error));
	}
	assert_int_equal(root_number(DUE, webhook), 0);
}

static void
a_webhook_is_tested(void **state)
{
	struct world *w = *state;
	const uint64_t webhook = make_due(w, 0);
	add(w, JOB_WEBHOOK_TEST, job_test_parameters(w->pool, &(struct job_test){ .webhook_id = webhook }));
	struct operator_job job = turn(w, LONG_MS, no_ids);
	assert_int_equal(job.state, JOB_DONE);
	assert_true(net.webhook == webhook && net.sent == 1);
	assert_slice(job.result,
	    "{\"ok\":true,\"status\":200,\"location\":null,\"moved\":false,\"error\":null,\"duration_ms\":12,"
	    "\"answer\":\"\xef\xbf\xbd\\\"no\\\"\"}");
	net.status = 500; /* the job is done nevertheless: this status is the result of the test */
	add(w, JOB_WEBHOOK_TEST, job_test_parameters(w->pool, &(struct job_test){ .webhook_id = webhook }));
	job = turn(w, LONG_MS, no_ids);
	assert_int_equal(job.state, JOB_DONE);
	assert_true(slice_starts_with(job.result, SLICE("{\"ok\":false,\"status\":500,")));
	add(w, JOB_WEBHOOK_TEST, job_test_parameters(w->pool, &(struct job_test){ .webhook_id = UNKNOWN_ID }));
	job = turn(w, LONG_MS, no_ids);
	assert_int_equal(job.state, JOB_FAILED);
	assert_slice(job.error, "there is no such webhook");
	net.cannot_send = true;
	add(w, JOB_WEBHOOK_TEST, job_test_parameters(w->pool, &(struct job_test){ .webhook_id = webhook }));
	assert_int_equal(turn(w, LONG_MS, no_ids).state, JOB_FAILED);
}

static void
mail_is_tested(void **state)
{
	struct world *w = *state;
	add(w, JOB_MAIL_TEST, job_test_parameters(w->pool, &(struct job_test){ .address = SLICE("ada@example.org") }));
	struct operator_job job = turn(w, LONG_MS, no_ids);
	assert_int_equal(job.state, JOB_DONE);
	assert_string_equal(net.address, "ada@example.org");
	assert_true(slice_starts_with(
	    job.result, SLICE("{\"ok\":false,\"status\":550,\"answer\":\"550 no\",\"reason\":null,\"error\":null,")));
	/* a dispatcher that ends abandons the mail: the next one sends it */
	atomic_store(&stopping, true);
	add(w, JOB_MAIL_TEST, job_test_parameters(w->pool, &(struct job_test){ .address = SLICE("ada@example.org") }));
	job = turn(w, LONG_MS, no_ids);
	assert_int_equal(job.state, JOB_RUNNING);
	atomic_store(&stopping, false);
	net.accepted = true;
	root_run("UPDATE t_message_channels SET held_until_ms = 9000000000000000 WHERE channel = 'mail'");
	assert_int_equal(turn(w, LONG_MS, no_ids).state, JOB_DONE);
	assert_int_equal(root_number("SELECT held_until_ms FROM t_message_channels WHERE channel = 'mail'"), 0);
	host.has_mail = false;
	add(w, JOB_MAIL_TEST, job_test_parameters(w->pool, &(struct job_test){ .address = SLICE("ada@example.org") }));
	job = turn(w, LONG_MS, no_ids);
	assert_int_equal(job.state, JOB_FAILED);
	assert_int_equal(net.sent, 3);
}

static void
samples_are_sent(void **state)
{
	struct world *w = *state;
	const struct job_test german = {
		.address = SLICE("ada@example.org"), .kind = SLICE("reward"), .language = SLICE("de")
	};
	const struct job_test any = { .address = SLICE("ada@example.org"), .kind = SLICE("verify") };
	net.accepted = true;
	root_run("UPDATE t_message_channels SET held_until_ms = 9000000000000000 WHERE channel = 'mail'");
	add(w, JOB_SAMPLE_MAIL, job_test_parameters(w->pool, &german));
	struct operator_job job = turn(w, LONG_MS, no_ids);
	assert_int_equal(job.state, JOB_DONE);
	assert_string_equal(net.address, "ada@example.org");
	assert_string_equal(net.content, "2 de to ada@example.org");
	assert_true(slice_starts_with(job.result, SLICE("{\"ok\":true,")));
	assert_int_not_equal(root_number("SELECT held_until_ms FROM t_message_channels WHERE channel = 'mail'"), 0);
	net.composed = RESULT_REFUSED;
	add(w, JOB_SAMPLE_MAIL, job_test_parameters(w->pool, &any));
	job = turn(w, LONG_MS, no_ids);
	assert_int_equal(job.state, JOB_DONE);
	assert_slice(job.result,
	    "{\"ok\":false,\"status\":null,\"answer\":null,\"reason\":\"not_composed\",\"error\":\"line 1\","
	    "\"hint\":null,\"duration_ms\":0}");
	net.composed = RESULT_NOT_FOUND;
	add(w, JOB_SAMPLE_MAIL, job_test_parameters(w->pool, &any));
	assert_int_equal(turn(w, LONG_MS, no_ids).state, JOB_FAILED);
	host.has_mail = false;
	add(w, JOB_SAMPLE_MAIL, job_test_parameters(w->pool, &any));
	assert_int_equal(turn(w, LONG_MS, no_ids).state, JOB_FAILED);
	assert_int_equal(net.sent, 1);
}

/* docs/mail.md 4, SMTPUTF8: a reply address that is not ASCII needs it, too. */
static void
samples_with_a_utf8_address_need_smtputf8(void **state)
{
	struct world *w = *state;
	const struct job_test sample = { .address = SLICE("ada@example.org"), .kind = SLICE("verify") };
	static const struct slice replies[] = { SLICE("a@example.org"), SLICE("j\xc3\xb6rg@example.org") };
	net.accepted = true;
	for (size_t i = 0; i < ARRAY_SIZE(replies); i++) {
		host.mail_senders.reply_to.address.text = replies[i];
		add(w, JOB_SAMPLE_MAIL, job_test_parameters(w->pool, &sample));
		assert_int_equal(turn(w, LONG_MS, no_ids).state, JOB_DONE);
		assert_int_equal(net.needs_utf8, i == 1);
	}
	host.mail_senders.reply_to = (struct mailbox){ .name = SLICE_NONE };
}

/* docs/architecture.md 5: in chunks, whose progress is stored in the campaign's own row */
static void
addresses_are_counted(void **state)
{
	struct world *w = *state;
	make_due(w, 3);
	root_run("UPDATE t_campaign_counters SET last_subscription_number = 25000 WHERE campaign_id = %" PRIu64, w->campaign);
	struct campaign_settings settings = plain_campaign();
	settings.max_per_ip = 2;
	assert_int_equal(set_campaign(w, w->campaign, settings), RESULT_OK);
	add(w, JOB_ADDRESS_COUNT, SLICE("{}"));
	struct operator_job job = turn(w, 0, no_ids);
	assert_int_equal(job.state, JOB_RUNNING);
	assert_true(job.done == 39 && job.total == 100); /* percent */
	job = turn(w, LONG_MS, no_ids);
	assert_int_equal(job.state, JOB_DONE);
	assert_true(job.done == job.total);
	assert_int_equal(find_campaign(w, w->campaign).ip_counted_to, UINT32_MAX);
	w->campaign = UNKNOWN_ID;
	add(w, JOB_ADDRESS_COUNT, SLICE("{}"));
	assert_int_equal(turn(w, 0, no_ids).state, JOB_FAILED);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		JOB_TEST(a_redelivery_goes_on_in_turns),
		JOB_TEST(a_cancelled_redelivery_queues_no_more),
		JOB_TEST(a_redelivery_counts_what_it_cannot_queue),
		JOB_TEST(filters_of_a_redelivery),
		JOB_TEST(parameters_of_a_later_version_are_refused),
		JOB_TEST(a_webhook_is_tested),
		JOB_TEST(mail_is_tested),
		JOB_TEST(samples_are_sent),
		JOB_TEST(samples_with_a_utf8_address_need_smtputf8),
		JOB_TEST(addresses_are_counted),
	};
	return WORLD_MAIN(tests);
}
