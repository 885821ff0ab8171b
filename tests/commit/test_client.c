/* SPDX-License-Identifier: MIT
 * docs/architecture.md 7: how a responder handles a committer that ends, hangs or has not started. The peer is a thread that
 * follows the steps of the test, one for each connection. */
#include "unit.h"

#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "commit/client.h"
#include "commit/codec.h"
#include "commit/frame.h"
#include "os/clock.h"
#include "with_pool.h"

enum step {
	ANSWER,         /* all requests, until the client closes the connection */
	ANSWER_ONCE,    /* one request, then closes */
	END_UNREAD,     /* closes with the request unread */
	END_HALF_READ,  /* closes with only the first bytes of the request read */
	END_READ,       /* closes with the whole request read */
	END_IN_ANSWER,  /* closes with the whole request read, and half of an answer sent */
	TAKE_NO_MORE,   /* reads only what has been sent so far, and closes when the client does */
	ANSWER_GARBAGE, /* a frame that is not an answer */
	ANSWER_OTHER,   /* the answer to another kind of request */
	REFUSE,         /* refuses the request, as with a full queue */
	STAY_SILENT     /* sends nothing until the client closes */
};

enum { TEXT_BYTES = 1024 * 1024, TIMEOUT_MS = 10000, SHORT_MS = 200, STEPS_MAX = 8 };

static struct fake {
	struct endpoint endpoint;
	pthread_t thread;
	enum step steps[STEPS_MAX];
	size_t step_count;
	bool runs;
	unsigned requests_read; /* complete requests read */
	int64_t read_ms;
	enum result result;
} fake;

static struct commit_client *client;
static struct commit_answers *answers;

static void
wait_readable(int fd)
{
	poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, TIMEOUT_MS);
}

/* Returns false if the client has closed. */
static bool
read_request(int fd, struct frame_reader *reader, struct pool *own, struct commit_request *request)
{
	enum frame_state state;
	frame_reader_reset(reader);
	while ((state = frame_read(reader, fd, FRAME_MAX_BYTES)) == FRAME_PARTIAL)
		wait_readable(fd);
	if (state != FRAME_WHOLE)
		return false;
	fake.requests_read++;
	return commit_decode_request(own, frame_content(reader), request);
}

static struct commit_answer
answer_to(const struct commit_request *request)
{
	struct commit_answer answer = { .kind = ANSWER_OUTCOME, .result = fake.result, .read_ms = fake.read_ms };
	switch (request->kind) {
	case REQUEST_COMMAND:
		answer.as.outcome.body = request->as.command.as.signup.email;
		break;
	case REQUEST_LOOK_UP:
		answer.as.outcome.body = request->as.look_up.reference.value;
		break;
	case REQUEST_KEY:
		answer.kind = ANSWER_KEY;
		answer.as.key.id = request->as.key.bytes[0];
		break;
	case REQUEST_CAMPAIGN:
		answer.kind = ANSWER_CAMPAIGN;
		answer.as.found.campaign.id = request->as.campaign_id;
		answer.as.found.campaign.name = SLICE("Campaign");
		answer.as.found.now_ms = 1000;
		break;
	case REQUEST_READINESS:
		answer.kind = ANSWER_READINESS;
		break;
	}
	return answer;
}

static void
send_some(int fd, struct buffer *out, size_t size)
{
	size_t sent = 0;
	out->size = size < out->size ? size : out->size;
	while (frame_send(fd, out, &sent) == FRAME_PARTIAL)
		poll(&(struct pollfd){ .fd = fd, .events = POLLOUT }, 1, TIMEOUT_MS);
}

static void
send_answer(int fd, enum step step, const struct commit_request *request)
{
	struct commit_answer answer = answer_to(request);
	struct buffer out;
	buffer_init(&out, FRAME_BUFFER_MAX);
	if (step == REFUSE)
		answer.kind = ANSWER_REFUSED;
	else if (step == ANSWER_OTHER)
		answer.kind = request->kind == REQUEST_KEY ? ANSWER_CAMPAIGN : ANSWER_KEY;
	frame_begin(&out);
	if (step == ANSWER_GARBAGE)
		buffer_add(&out, SLICE("\377garbage"));
	else
		commit_encode_answer(&out, &answer);
	if (frame_end(&out))
		send_some(fd, &out, step == END_IN_ANSWER ? out.size / 2 : out.size);
	buffer_free(&out);
}

static void
take_no_more(int fd)
{
	char bytes[4096];
	wait_readable(fd);
	shutdown(fd, SHUT_RD);
	while (recv(fd, bytes, sizeof(bytes), 0) > 0)
		continue;
}

static void
until_closed(int fd)
{
	poll(&(struct pollfd){ .fd = fd, .events = POLLRDHUP }, 1, TIMEOUT_MS);
}

/* Reads complete requests and answers them according to the step. */
static void
converse(int fd, enum step step)
{
	struct pool *own = pool_new();
	struct frame_reader reader;
	struct commit_request request;
	frame_reader_init(&reader);
	while (read_request(fd, &reader, own, &request) && step != END_READ) {
		if (step == STAY_SILENT)
			until_closed(fd);
		else
			send_answer(fd, step, &request);
		if (step == ANSWER_ONCE || step == END_IN_ANSWER)
			break;
	}
	frame_reader_free(&reader);
	pool_free(&own);
}

static void
serve(int fd, enum step step)
{
	char bytes[2];
	wait_readable(fd);
	if (step == TAKE_NO_MORE)
		take_no_more(fd);
	else if (step == END_HALF_READ)
		assert_int_equal(recv(fd, bytes, sizeof(bytes), 0), sizeof(bytes));
	else if (step != END_UNREAD)
		converse(fd, step);
	close(fd);
}

static void *
run_fake(void *context UNUSED)
{
	for (size_t i = 0; i < fake.step_count; i++) {
		wait_readable(fake.endpoint.fd);
		int fd = accept(fake.endpoint.fd, NULL, NULL);
		if (fd < 0)
			break;
		serve(fd, fake.steps[i]);
	}
	return NULL;
}

#define FAKE(...) start_fake((const enum step[]){ __VA_ARGS__ }, sizeof((const enum step[]){ __VA_ARGS__ }) / sizeof(enum step))

static void
start_fake(const enum step *steps, size_t count)
{
	memcpy(fake.steps, steps, count * sizeof(*steps));
	fake.step_count = count;
	fake.runs = pthread_create(&fake.thread, NULL, run_fake, NULL) == 0;
	assert_true(fake.runs);
}

/* Closes the client first, so that the fake committer ends. */
static void
stop_fake(void)
{
	commit_client_free(&client);
	if (fake.runs)
		assert_int_equal(pthread_join(fake.thread, NULL), 0);
	fake.runs = false;
}

static int
open_all(void **state)
{
	begin(state);
	fake = (struct fake){ .read_ms = clock_monotonic_ms(), .result = RESULT_OK };
	answers = commit_answers_new();
	client = commit_client_new(&fake.endpoint, answers);
	return endpoint_open(&fake.endpoint) ? 0 : -1;
}

static int
close_all(void **state)
{
	stop_fake();
	commit_answers_free(&answers);
	endpoint_close(&fake.endpoint);
	return end(state);
}

static struct commit_answer
run_request(struct commit_request request, int64_t timeout_ms)
{
	struct commit_answer answer;
	request.deadline_ms = clock_monotonic_ms() + timeout_ms;
	commit_client_request(client, pool, &request, &answer);
	return answer;
}

static struct outcome
execute(struct slice email, int64_t timeout_ms)
{
	const struct command command = { .kind = COMMAND_SIGNUP, .as.signup.email = email };
	return run_request((struct commit_request){ .kind = REQUEST_COMMAND, .as.command = command }, timeout_ms).as.outcome;
}

static void
assert_done(const char *email)
{
	struct outcome outcome = execute(slice_of(email), TIMEOUT_MS);
	assert_int_equal(outcome.failure, FAILURE_NONE);
	assert_slice(outcome.body, email);
}

/* Asserts FAILURE_UNAVAILABLE, at once or at a short deadline. */
static void
assert_unavailable(int64_t timeout_ms)
{
	int64_t started = clock_monotonic_ms();
	assert_int_equal(execute(SLICE("a"), timeout_ms).failure, FAILURE_UNAVAILABLE);
	assert_true(clock_monotonic_ms() - started < (timeout_ms < TIMEOUT_MS ? TIMEOUT_MS : SHORT_MS * 10));
}

static void
test_several_commands_on_one_connection(void **state UNUSED)
{
	FAKE(ANSWER);
	assert_done("one");
	assert_done("two");
	assert_done("three");
	stop_fake();
	assert_int_equal(fake.requests_read, 3);
}

static void
test_a_large_command(void **state UNUSED)
{
	static char text[TEXT_BYTES];
	memset(text, 'x', sizeof(text));
	FAKE(ANSWER);
	struct outcome outcome = execute((struct slice){ text, sizeof(text) }, TIMEOUT_MS);
	assert_int_equal(outcome.body.size, TEXT_BYTES);
	assert_done("next");
}

/* A request that was not completely read has not run, so it is sent again. */
static void
test_a_request_that_was_not_taken(void **state UNUSED)
{
	FAKE(END_UNREAD, END_HALF_READ, ANSWER);
	assert_done("one");
	stop_fake();
	assert_int_equal(fake.requests_read, 1);
}

static void
test_a_committer_that_ends_between_requests(void **state UNUSED)
{
	FAKE(ANSWER_ONCE, ANSWER_ONCE, ANSWER);
	assert_done("one");
	assert_done("two");
	assert_done("three");
}

/* The rest of the request cannot be sent, so the whole request goes to the next committer. */
static void
test_a_committer_that_ends_in_a_request(void **state UNUSED)
{
	static char text[TEXT_BYTES];
	memset(text, 'x', sizeof(text));
	FAKE(TAKE_NO_MORE, ANSWER);
	struct outcome outcome = execute((struct slice){ text, sizeof(text) }, TIMEOUT_MS);
	assert_int_equal(outcome.failure, FAILURE_NONE);
	assert_int_equal(outcome.body.size, TEXT_BYTES);
	stop_fake();
	assert_int_equal(fake.requests_read, 1);
}

/* The request may have run, so it is not sent again. */
static void
test_a_request_that_was_taken(void **state UNUSED)
{
	FAKE(END_READ, END_IN_ANSWER, ANSWER);
	assert_unavailable(TIMEOUT_MS);
	assert_unavailable(TIMEOUT_MS);
	assert_done("three");
	stop_fake();
	assert_int_equal(fake.requests_read, 3);
}

static void
test_invalid_answers(void **state UNUSED)
{
	FAKE(ANSWER_GARBAGE);
	assert_unavailable(TIMEOUT_MS);
	stop_fake();
}

static void
test_an_answer_to_something_else(void **state UNUSED)
{
	FAKE(ANSWER_OTHER);
	assert_unavailable(TIMEOUT_MS);
}

static void
test_a_refusal(void **state UNUSED)
{
	FAKE(REFUSE);
	assert_unavailable(TIMEOUT_MS);
}

/* A late answer is not mistaken for the answer to the next request. */
static void
test_the_deadline(void **state UNUSED)
{
	FAKE(STAY_SILENT, ANSWER);
	assert_unavailable(SHORT_MS);
	assert_done("two");
	stop_fake();
	assert_int_equal(fake.requests_read, 2);
}

static void
test_a_deadline_in_the_past(void **state UNUSED)
{
	assert_unavailable(0);
}

/* The parent listens: connections wait in its queue until there is a committer. */
static void
test_no_committer_accepts_yet(void **state UNUSED)
{
	assert_unavailable(SHORT_MS);
	FAKE(ANSWER, ANSWER);
	assert_done("one");
}

/* Sending also ends at the deadline. */
static void
test_no_committer_reads(void **state UNUSED)
{
	static char text[TEXT_BYTES];
	int64_t started = clock_monotonic_ms();
	memset(text, 'x', sizeof(text));
	assert_int_equal(execute((struct slice){ text, sizeof(text) }, SHORT_MS).failure, FAILURE_UNAVAILABLE);
	assert_in_range(clock_monotonic_ms() - started, SHORT_MS, TIMEOUT_MS);
}

/* Without the parent, the request fails at once, because this process has to end. */
static void
test_no_parent_listens(void **state UNUSED)
{
	endpoint_close(&fake.endpoint);
	assert_unavailable(TIMEOUT_MS);
}

static enum result
find_key(unsigned char first)
{
	const struct commit_answer answer =
	    run_request((struct commit_request){ .kind = REQUEST_KEY, .as.key = { { first } } }, TIMEOUT_MS);
	if (answer.result == RESULT_OK)
		assert_int_equal(answer.as.key.id, first);
	return answer.result;
}

static void
test_keys_are_cached(void **state UNUSED)
{
	FAKE(ANSWER);
	assert_int_equal(find_key(1), RESULT_OK);
	assert_int_equal(find_key(2), RESULT_OK);
	assert_int_equal(find_key(1), RESULT_OK);
	stop_fake();
	assert_int_equal(fake.requests_read, 2);
}

/* The age of a value counts from the time at which the committer read it. */
static enum result
ready(int64_t timeout_ms)
{
	return run_request((struct commit_request){ .kind = REQUEST_READINESS }, timeout_ms).result;
}

/* Readiness is what the committer answers; without an answer, the database counts as not ready. */
static void
test_readiness(void **state UNUSED)
{
	FAKE(ANSWER);
	assert_int_equal(ready(TIMEOUT_MS), RESULT_OK);
	fake.result = RESULT_WRONG_SCHEMA;
	assert_int_equal(ready(TIMEOUT_MS), RESULT_WRONG_SCHEMA);
	stop_fake();
	assert_int_equal(fake.requests_read, 2);
}

static void
test_readiness_without_an_answer(void **state UNUSED)
{
	static const enum step steps[] = { ANSWER_GARBAGE, ANSWER_OTHER, REFUSE, STAY_SILENT };
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		client = client == NULL ? commit_client_new(&fake.endpoint, answers) : client;
		FAKE(steps[i]);
		assert_int_equal(ready(steps[i] == STAY_SILENT ? SHORT_MS : TIMEOUT_MS), RESULT_UNAVAILABLE);
		stop_fake();
	}
}

static void
test_an_old_key_is_requested_again(void **state UNUSED)
{
	fake.read_ms -= COMMIT_CACHE_AGE_MS;
	FAKE(ANSWER);
	assert_int_equal(find_key(1), RESULT_OK);
	assert_int_equal(find_key(1), RESULT_OK);
	stop_fake();
	assert_int_equal(fake.requests_read, 2);
}

static void
test_an_unknown_key_is_never_cached(void **state UNUSED)
{
	fake.result = RESULT_NOT_FOUND;
	FAKE(ANSWER);
	assert_int_equal(find_key(1), RESULT_NOT_FOUND);
	assert_int_equal(find_key(1), RESULT_NOT_FOUND);
	stop_fake();
	assert_int_equal(fake.requests_read, 2);
}

/* Look-ups are repeatable. */
static void
test_a_look_up_is_repeated(void **state UNUSED)
{
	FAKE(END_READ, END_IN_ANSWER, END_UNREAD, ANSWER);
	assert_int_equal(find_key(1), RESULT_OK);
	stop_fake();
	assert_int_equal(fake.requests_read, 3);
}

/* The database's time advances while the campaign is cached; its texts are in the pool. */
static void
test_campaigns_are_cached(void **state UNUSED)
{
	const struct commit_request request = { .kind = REQUEST_CAMPAIGN, .as.campaign_id = 7 };
	fake.read_ms = clock_monotonic_ms() - 100;
	FAKE(ANSWER);
	const struct commit_answer first = run_request(request, TIMEOUT_MS);
	const int64_t now_ms = commit_answer_now_ms(&first);
	assert_in_range(now_ms, 1100, 1100 + COMMIT_CACHE_AGE_MS);
	const struct commit_answer second = run_request(request, TIMEOUT_MS);
	assert_in_range(commit_answer_now_ms(&second), now_ms, 1100 + COMMIT_CACHE_AGE_MS);
	stop_fake();
	assert_int_equal(fake.requests_read, 1);
	assert_int_equal(second.as.found.campaign.id, 7);
	assert_slice(first.as.found.campaign.name, "Campaign");
	assert_slice(second.as.found.campaign.name, "Campaign");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_several_commands_on_one_connection),
		TEST(test_a_large_command),
		TEST(test_a_request_that_was_not_taken),
		TEST(test_a_committer_that_ends_between_requests),
		TEST(test_a_committer_that_ends_in_a_request),
		TEST(test_a_request_that_was_taken),
		TEST(test_invalid_answers),
		TEST(test_an_answer_to_something_else),
		TEST(test_a_refusal),
		TEST(test_the_deadline),
		TEST(test_a_deadline_in_the_past),
		TEST(test_no_committer_accepts_yet),
		TEST(test_no_committer_reads),
		TEST(test_no_parent_listens),
		TEST(test_keys_are_cached),
		TEST(test_readiness),
		TEST(test_readiness_without_an_answer),
		TEST(test_an_old_key_is_requested_again),
		TEST(test_an_unknown_key_is_never_cached),
		TEST(test_a_look_up_is_repeated),
		TEST(test_campaigns_are_cached),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
