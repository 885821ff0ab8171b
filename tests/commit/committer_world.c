/* SPDX-License-Identifier: MIT */
#include "committer_world.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

#include "commit/committer.h"
#include "os/clock.h"
#include "os/wake.h"
#include "store/batch.h"
#include "store/schema.h"

struct pool *pool;
struct shared *shared;
struct endpoint endpoint;
static struct suspects *suspects;
pid_t committer;
int peers[PEERS_MAX];
int wakes;
static char wake_path[] = "/tmp/leadhook-committer-XXXXXX";
static struct wake_sender *dispatcher;
static size_t peer_count;

static void
note(const char *call, size_t number)
{
	size_t used = strlen(shared->calls);
	snprintf(shared->calls + used, CALLS_MAX - used, number > 0 ? "%s%zu " : "%s ", call, number);
}

/* --- The store --- */

static void
crash_if_poisoned(struct slice email)
{
	if (slice_equal(email, POISON))
		_exit(EX_SOFTWARE);
}

void
store_execute(struct store *store UNUSED, struct pool *own, struct execution *execution)
{
	note("E", execution->count);
	atomic_fetch_add(&shared->batches, 1);
	const bool unknown = atomic_exchange(&shared->unknown, false);
	if (unknown)
		execution->unknown_begins(execution->context);
	while (atomic_load(&shared->hold)) {
		atomic_store(&shared->held, true);
		poll(NULL, 0, 1);
	}
	if (unknown)
		execution->unknown_ends(execution->context);
	if (atomic_exchange(&shared->hold_next, false))
		atomic_store(&shared->hold, true);
	for (size_t i = 0; i < execution->count; i++) {
		const struct command *command = execution->commands[i];
		crash_if_poisoned(command->as.signup.email);
		execution->outcomes[i] =
		    (struct outcome){ .body = pool_copy(own, command->as.signup.email), .work = { .rows = 1 } };
		execution->locked[i] = command->campaign_id == LOCKED && atomic_load(&shared->locked);
	}
	execution->made_deliveries = atomic_load(&shared->made_deliveries);
}

static int64_t until_ms; /* deadline that was set for the store; 0: none */

void
store_set_deadline(struct store *store UNUSED, int64_t deadline_ms)
{
	until_ms = deadline_ms;
}

/* Notes a read, which must have the deadline of its request. */
static void
note_reading(const char *what, uint64_t number)
{
	note(until_ms > clock_monotonic_ms() ? what : "endless", number);
	until_ms = 0;
}

void
store_answer_look_ups(
    struct store *store UNUSED, struct pool *own, const struct look_up *const *look_ups, size_t count, struct outcome *outcomes)
{
	note_reading("L", count);
	for (size_t i = 0; i < count; i++) {
		crash_if_poisoned(look_ups[i]->reference.value);
		outcomes[i] = (struct outcome){ .body = pool_copy(own, look_ups[i]->reference.value) };
	}
}

enum result
store_find_key(struct store *store UNUSED, const unsigned char hash[32], struct api_key *key)
{
	note_reading("K", 0);
	*key = (struct api_key){ .id = hash[0], .account_id = 5 };
	return hash[0] == UNKNOWN ? RESULT_NOT_FOUND : hash[0] == UNREACHABLE ? RESULT_UNAVAILABLE : RESULT_OK;
}

enum result
store_find_campaign(struct store *store UNUSED, struct pool *own, uint64_t id, struct campaign *campaign, int64_t *now_ms)
{
	note_reading("C", 0);
	if (id == POISONED)
		_exit(EX_SOFTWARE);
	*campaign = (struct campaign){ .id = id, .name = pool_copy(own, SLICE("Campaign")) };
	*now_ms = 1000;
	return RESULT_OK;
}

enum result
store_ready(struct store *store UNUSED, uint32_t *found)
{
	note_reading("R", 0);
	*found = 1;
	return atomic_load(&shared->away) ? RESULT_UNAVAILABLE : RESULT_OK;
}

enum result
store_payload_settings(struct store *store UNUSED, const struct payload_settings **found)
{
	static const struct payload_settings settings;
	*found = &settings;
	return atomic_load(&shared->sealed) ? RESULT_FAILED : RESULT_OK;
}

enum result
store_touch_key(struct store *store UNUSED, const struct api_key *key)
{
	note("T", key->id);
	return RESULT_OK;
}

void
store_disconnect_idle(struct store *store UNUSED, int64_t idle_ms)
{
	if (idle_ms == 77)
		atomic_fetch_add(&shared->rests, 1);
}

/* --- The process --- */

static void
report(void *context, enum committer_state state)
{
	if (state == COMMITTER_READY)
		atomic_store(&((struct shared *)context)->ready, true);
}

static bool
is_ready(void)
{
	return atomic_load(&shared->ready);
}

static bool
is_held(void)
{
	return atomic_load(&shared->held);
}

bool
has_rested(void)
{
	return atomic_load(&shared->rests) > 0;
}

void
wait_until(bool (*condition)(void))
{
	int64_t end_ms = clock_monotonic_ms() + TIMEOUT_MS;
	while (!condition()) {
		assert_true(clock_monotonic_ms() < end_ms);
		poll(NULL, 0, 1);
	}
}

void
start_committer(void)
{
	const struct committer_options options = { .endpoint = &endpoint,
		.suspects = suspects,
		.dispatcher = dispatcher,
		.idle_ms = 77,
		.report = report,
		.context = shared };
	committer = fork();
	if (committer == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that is killed leaves no process behind */
		_exit(committer_run(&options));
	}
}

static bool
open_wakes(void)
{
	strcpy(strrchr(wake_path, '-'), "-XXXXXX");
	const int file = mkstemp(wake_path);
	wakes = file < 0 ? -1 : wake_open(wake_path);
	close(file);
	dispatcher = wake_sender_new(wake_path);
	return wakes >= 0;
}

int
open_all(void **state UNUSED)
{
	pool = pool_new();
	sigset_t signals;
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	suspects = suspects_new();
	if (shared == MAP_FAILED || suspects == NULL || !endpoint_open(&endpoint) || !open_wakes())
		return -1;
	start_committer();
	wait_until(is_ready);
	return committer > 0 ? 0 : -1;
}

void
restart_committer(void)
{
	assert_int_equal(WEXITSTATUS(ended()), EX_SOFTWARE);
	atomic_store(&shared->ready, false);
	shared->calls[0] = '\0';
	start_committer();
	wait_until(is_ready);
}

int
ended(void)
{
	int status = 0;
	atomic_store(&shared->hold, false);
	assert_int_equal(waitpid(committer, &status, 0), committer);
	committer = 0;
	return status;
}

int
close_all(void **state UNUSED)
{
	if (committer > 0) {
		kill(committer, SIGTERM);
		ended();
	}
	for (size_t i = 0; i < peer_count; i++)
		close(peers[i]);
	peer_count = 0;
	wake_sender_free(&dispatcher);
	close(wakes);
	unlink(wake_path);
	endpoint_close(&endpoint);
	suspects_free(&suspects);
	munmap(shared, sizeof(*shared));
	pool_free(&pool);
	return 0;
}

/* --- Responders --- */

void
connect_peers(size_t count)
{
	for (size_t i = 0; i < count; i++) {
		peers[peer_count] = endpoint_connect(&endpoint);
		assert_true(peers[peer_count++] >= 0);
	}
}

struct buffer
frame_of(const struct commit_request *request)
{
	struct buffer out;
	buffer_init(&out, FRAME_BUFFER_MAX);
	frame_begin(&out);
	commit_encode_request(&out, request);
	assert_true(frame_end(&out));
	return out;
}

void
send_request(size_t peer, const struct commit_request *request)
{
	struct buffer out = frame_of(request);
	size_t sent = 0;
	assert_int_equal(frame_send(peers[peer], &out, &sent), FRAME_WHOLE);
	buffer_free(&out);
}

struct commit_request
request_of(enum commit_request_kind kind)
{
	return (struct commit_request){ .kind = kind, .deadline_ms = clock_monotonic_ms() + TIMEOUT_MS };
}

struct commit_request
sign_up(struct slice email)
{
	struct commit_request request = request_of(REQUEST_COMMAND);
	request.as.command.as.signup.email = email;
	return request;
}

void
request_sign_up(size_t peer)
{
	struct commit_request request = sign_up(pool_printf(pool, "%zu@example.org", peer));
	request.as.command.as.signup.email_key = request.as.command.as.signup.email;
	send_request(peer, &request);
}

void
request_locked(size_t peer, int64_t deadline_ms)
{
	struct commit_request request = sign_up(pool_printf(pool, "%zu@example.org", peer));
	request.as.command.campaign_id = LOCKED;
	request.deadline_ms = deadline_ms;
	send_request(peer, &request);
}

void
request_points(size_t peer, size_t leads)
{
	struct commit_request request = request_of(REQUEST_COMMAND);
	request.as.command.kind = COMMAND_POINTS;
	request.as.command.as.points.leads = POOL_ARRAY(pool, leads, struct lead_reference);
	request.as.command.as.points.lead_count = leads;
	send_request(peer, &request);
}

void
request_lead(size_t peer)
{
	struct commit_request request = request_of(REQUEST_LOOK_UP);
	request.as.look_up.reference.value = pool_printf(pool, "%zu@example.org", peer);
	send_request(peer, &request);
}

void
request_key(size_t peer, unsigned char first)
{
	struct commit_request request = request_of(REQUEST_KEY);
	request.as.key.bytes[0] = first;
	send_request(peer, &request);
}

void
request_readiness(size_t peer)
{
	struct commit_request request = request_of(REQUEST_READINESS);
	send_request(peer, &request);
}

/* FRAME_WHOLE: *answer is set, in the pool. */
static enum frame_state
receive(size_t peer, struct commit_answer *answer)
{
	struct frame_reader reader;
	enum frame_state state;
	frame_reader_init(&reader);
	while ((state = frame_read(&reader, peers[peer], FRAME_MAX_BYTES)) == FRAME_PARTIAL)
		assert_int_equal(poll(&(struct pollfd){ .fd = peers[peer], .events = POLLIN }, 1, TIMEOUT_MS), 1);
	if (state == FRAME_WHOLE)
		assert_true(commit_decode_answer(pool, pool_copy(pool, frame_content(&reader)), answer));
	frame_reader_free(&reader);
	return state;
}

struct commit_answer
answer_of(size_t peer)
{
	struct commit_answer answer = { .kind = ANSWER_REFUSED };
	assert_int_equal(receive(peer, &answer), FRAME_WHOLE);
	return answer;
}

void
assert_own_outcome(size_t peer)
{
	struct commit_answer answer = answer_of(peer);
	assert_int_equal(answer.kind, ANSWER_OUTCOME);
	assert_slices_equal(answer.as.outcome.body, pool_printf(pool, "%zu@example.org", peer));
}

void
assert_closed(size_t peer)
{
	struct commit_answer answer;
	enum frame_state state = receive(peer, &answer);
	assert_true(state == FRAME_ENDED || state == FRAME_LOST);
}

void
hold_peer(size_t peer)
{
	atomic_store(&shared->held, false);
	atomic_store(&shared->hold, true);
	request_sign_up(peer);
	wait_until(is_held);
}

void
hold(void)
{
	connect_peers(1);
	hold_peer(0);
}

void
release(void)
{
	atomic_store(&shared->hold, false);
	assert_own_outcome(0);
}

static unsigned batches_before;

static bool
next_began(void)
{
	return atomic_load(&shared->batches) > batches_before;
}

void
hold_next(void)
{
	batches_before = atomic_load(&shared->batches);
	atomic_store(&shared->hold_next, true);
	atomic_store(&shared->hold, false);
	wait_until(next_began);
}
