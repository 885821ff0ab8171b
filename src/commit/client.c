/* SPDX-License-Identifier: MIT */
#include "commit/client.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "commit/frame.h"
#include "os/clock.h"
#include "os/fiber.h"
#include "os/log.h"

/* Pauses between retries. The first retry has none: an idle connection ends with its committer, and the next committer already
 * listens. */
enum { PAUSE_FIRST_MS = 2, PAUSE_DOUBLINGS = 6 };

struct commit_answers {
	struct cache *keys, *campaigns; /* encoded */
};

struct commit_client {
	const struct endpoint *endpoint;
	struct commit_answers *answers;
	int fd; /* -1: not connected */
	struct frame_reader in;
	struct buffer out;
};

/* The result of one attempt. */
enum sent {
	SENT_ANSWERED,
	SENT_NOTHING,  /* the committer did not receive the complete request, so it did nothing */
	SENT_UNKNOWN,  /* the committer ended, and may have run the request */
	SENT_LATE,     /* the deadline has passed */
	SENT_NO_PARENT /* the request did not run, and there will be no other committer */
};

static const char *const reasons[] = {
	[SENT_UNKNOWN] = "end of file",
	[SENT_LATE] = "deadline",
	[SENT_NO_PARENT] = "no parent",
};

struct commit_answers *
commit_answers_new(void)
{
	struct commit_answers *answers = memory_alloc(sizeof(*answers));
	answers->keys = cache_new(&commit_cache_limits);
	answers->campaigns = cache_new(&commit_cache_limits);
	return answers;
}

void
commit_answers_free(struct commit_answers **answers)
{
	if (*answers == NULL)
		return;
	cache_free(&(*answers)->keys);
	cache_free(&(*answers)->campaigns);
	free(*answers);
	*answers = NULL;
}

struct commit_client *
commit_client_new(const struct endpoint *endpoint, struct commit_answers *answers)
{
	struct commit_client *client = memory_alloc(sizeof(*client));
	client->endpoint = endpoint;
	client->answers = answers;
	client->fd = -1;
	frame_reader_init(&client->in);
	buffer_init(&client->out, FRAME_BUFFER_MAX);
	return client;
}

static void
disconnect(struct commit_client *client)
{
	if (client->fd >= 0) {
		fiber_forget(client->fd);
		close(client->fd);
	}
	client->fd = -1;
}

void
commit_client_free(struct commit_client **client)
{
	if (*client == NULL)
		return;
	disconnect(*client);
	frame_reader_free(&(*client)->in);
	buffer_free(&(*client)->out);
	free(*client);
	*client = NULL;
}

static enum sent
send_request(struct commit_client *client, int64_t deadline_ms)
{
	size_t sent = 0;
	for (;;) {
		enum frame_state state = frame_send(client->fd, &client->out, &sent);
		if (state == FRAME_WHOLE)
			return SENT_ANSWERED;
		if (state != FRAME_PARTIAL)
			return SENT_NOTHING;
		if (!fiber_wait(client->fd, POLLOUT, deadline_ms))
			return SENT_LATE;
	}
}

static enum sent
receive_answer(struct commit_client *client, int64_t deadline_ms)
{
	for (;;) {
		if (!fiber_wait(client->fd, POLLIN, deadline_ms))
			return SENT_LATE;
		switch (frame_read(&client->in, client->fd, FRAME_MAX_BYTES)) {
		case FRAME_PARTIAL:
			break;
		case FRAME_WHOLE:
			return SENT_ANSWERED;
		case FRAME_LOST: /* the committer ended before it had read the whole frame */
			return SENT_NOTHING;
		case FRAME_DROPPED:
		case FRAME_ENDED:
		case FRAME_BROKEN:
			return SENT_UNKNOWN;
		}
	}
}

/* Makes one attempt on the open connection, or on a new one. */
static enum sent
try_once(struct commit_client *client, int64_t deadline_ms)
{
	if (client->fd < 0) {
		client->fd = endpoint_connect(client->endpoint);
		if (client->fd >= 0)
			fiber_keep(client->fd);
	}
	/* The connection is refused if the parent, which listens, has ended. */
	if (client->fd < 0)
		return errno == ECONNREFUSED ? SENT_NO_PARENT : SENT_NOTHING;
	frame_reader_reset(&client->in);
	enum sent sent = send_request(client, deadline_ms);
	if (sent == SENT_ANSWERED)
		sent = receive_answer(client, deadline_ms);
	if (sent != SENT_ANSWERED)
		disconnect(client); /* a late answer must not be mistaken for the answer to the next request */
	return sent;
}

static void
pause_before(unsigned attempt, int64_t deadline_ms)
{
	unsigned doublings = attempt - 2 < PAUSE_DOUBLINGS ? attempt - 2 : PAUSE_DOUBLINGS;
	int64_t ms = (int64_t)PAUSE_FIRST_MS << doublings, left = deadline_ms - clock_monotonic_ms();
	if (left > 0)
		fiber_pause(ms < left ? ms : left);
}

static void
log_no_answer(enum sent sent)
{
	static _Thread_local struct log_throttle throttle; /* for all clients of the thread */
	uint64_t suppressed;
	if (log_throttle_passes(&throttle, &suppressed))
		log_warning("no_answer_of_committer", LOG_STR("reason", reasons[sent]), LOG_UINT("suppressed", suppressed));
}

/* Returns true with the answer in `client->in`. A request that may have run is sent again only if it is repeatable. */
static bool
exchange(struct commit_client *client, const struct commit_request *request)
{
	const bool repeatable = request->kind != REQUEST_COMMAND;
	int64_t deadline_ms = request->deadline_ms;
	const struct log_field *work = log_current_work();
	struct commit_request sent_request = *request;
	if (work != NULL && work->kind == LOG_TEXT)
		sent_request.id = work->value.text;
	frame_begin(&client->out);
	commit_encode_request(&client->out, &sent_request);
	if (!frame_end(&client->out)) {
		log_error("command_too_large", LOG_UINT("maximum", FRAME_MAX_BYTES));
		frame_clear(&client->out);
		return false;
	}
	enum sent sent = SENT_NOTHING;
	for (unsigned attempt = 0; sent == SENT_NOTHING || (sent == SENT_UNKNOWN && repeatable); attempt++) {
		if (attempt > 1)
			pause_before(attempt, deadline_ms);
		sent = clock_monotonic_ms() < deadline_ms ? try_once(client, deadline_ms) : SENT_LATE;
	}
	frame_clear(&client->out);
	if (sent != SENT_ANSWERED)
		log_no_answer(sent);
	return sent == SENT_ANSWERED;
}

/* Returns false, with *answer unchanged, when the request was refused, or when the answer is invalid or of another kind. */
static bool
read_answer(struct pool *pool, struct slice bytes, struct commit_answer *answer)
{
	struct commit_answer read;
	const bool good = commit_decode_answer(pool, bytes, &read);
	const bool wanted = good && read.kind == answer->kind;
	if (wanted)
		*answer = read;
	else if (!good || read.kind != ANSWER_REFUSED)
		log_error("committer_answer_broken", LOG_UINT("bytes", bytes.size));
	return wanted;
}

/* The cache of the answers to requests of this kind; NULL: none. */
static struct cache *
cache_of(const struct commit_client *client, enum commit_request_kind kind)
{
	if (kind == REQUEST_KEY)
		return client->answers->keys;
	return kind == REQUEST_CAMPAIGN ? client->answers->campaigns : NULL;
}

void
commit_client_request(
    struct commit_client *client, struct pool *pool, const struct commit_request *request, struct commit_answer *answer)
{
	struct cache *cache = cache_of(client, request->kind);
	const struct slice name = cache == NULL ? SLICE_NONE : commit_directory_name(request);
	const struct slice cached = cache == NULL ? SLICE_NONE : cache_find(cache, name, clock_monotonic_ms());
	*answer = commit_failed_answer(request, FAILURE_UNAVAILABLE, RESULT_UNAVAILABLE);
	if (slice_present(cached)) {
		(void)!read_answer(pool, pool_copy(pool, cached), answer);
		return;
	}
	if (exchange(client, request)) {
		const struct slice bytes = pool_copy(pool, frame_content(&client->in));
		if (read_answer(pool, bytes, answer) && cache != NULL && answer->result == RESULT_OK)
			cache_put(cache, name, bytes, answer->read_ms);
	}
	frame_reader_reset(&client->in);
}
