/* SPDX-License-Identifier: MIT */
#include "commit/client.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "commit/codec.h"
#include "commit/frame.h"

/* Pauses between retries. The first retry has none: an idle connection ends with its committer, and the next one listens. */
enum { PAUSE_FIRST_MS = 2, PAUSE_DOUBLINGS = 6 };

struct commit_client {
	const struct endpoint *endpoint;
	int fd; /* -1: not connected */
	struct frame_reader in;
	struct buffer out;
	struct cache *keys, *campaigns; /* encoded answers */
	struct log_throttle throttle;
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

struct commit_client *
commit_client_new(const struct endpoint *endpoint)
{
	struct commit_client *client = memory_alloc(sizeof(*client));
	client->endpoint = endpoint;
	client->fd = -1;
	frame_reader_init(&client->in);
	buffer_init(&client->out, FRAME_BUFFER_MAX);
	client->keys = cache_new(&commit_cache_limits);
	client->campaigns = cache_new(&commit_cache_limits);
	return client;
}

static void
disconnect(struct commit_client *client)
{
	if (client->fd >= 0)
		close(client->fd);
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
	cache_free(&(*client)->keys);
	cache_free(&(*client)->campaigns);
	free(*client);
	*client = NULL;
}

/* Waits until the connection is ready for `events`. Returns false after the deadline. */
static bool
wait_for(const struct commit_client *client, short events, int64_t deadline_ms)
{
	for (;;) {
		int64_t left = deadline_ms - clock_monotonic_ms();
		struct pollfd one = { .fd = client->fd, .events = events };
		if (left <= 0)
			return false;
		int ready = poll(&one, 1, left < INT32_MAX ? (int)left : INT32_MAX);
		if (ready > 0)
			return true;
		if (ready < 0 && errno != EINTR)
			return false;
	}
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
		if (!wait_for(client, POLLOUT, deadline_ms))
			return SENT_LATE;
	}
}

static enum sent
receive_answer(struct commit_client *client, int64_t deadline_ms)
{
	for (;;) {
		if (!wait_for(client, POLLIN, deadline_ms))
			return SENT_LATE;
		switch (frame_read(&client->in, client->fd, FRAME_MAX_BYTES)) {
		case FRAME_PARTIAL:
			break;
		case FRAME_WHOLE:
			return SENT_ANSWERED;
		case FRAME_LOST: /* the committer had not read the whole frame */
			return SENT_NOTHING;
		case FRAME_DROPPED:
		case FRAME_ENDED:
		case FRAME_BROKEN:
			return SENT_UNKNOWN;
		}
	}
}

/* One attempt on the open connection, or a new one. */
static enum sent
try_once(struct commit_client *client, int64_t deadline_ms)
{
	if (client->fd < 0)
		client->fd = endpoint_connect(client->endpoint);
	/* Refused: the parent, which listens, has ended. */
	if (client->fd < 0)
		return errno == ECONNREFUSED ? SENT_NO_PARENT : SENT_NOTHING;
	frame_reader_reset(&client->in);
	enum sent sent = send_request(client, deadline_ms);
	if (sent == SENT_ANSWERED)
		sent = receive_answer(client, deadline_ms);
	if (sent != SENT_ANSWERED)
		disconnect(client); /* a late answer must not be read as that of the next request */
	return sent;
}

static void
pause_before(unsigned attempt, int64_t deadline_ms)
{
	unsigned doublings = attempt - 2 < PAUSE_DOUBLINGS ? attempt - 2 : PAUSE_DOUBLINGS;
	int64_t ms = (int64_t)PAUSE_FIRST_MS << doublings, left = deadline_ms - clock_monotonic_ms();
	if (left > 0)
		poll(NULL, 0, (int)(ms < left ? ms : left));
}

static void
log_no_answer(struct commit_client *client, enum sent sent)
{
	uint64_t suppressed;
	if (log_throttle_passes(&client->throttle, &suppressed))
		log_warning("no_answer_of_committer", LOG_STR("reason", reasons[sent]), LOG_UINT("suppressed", suppressed));
}

/* Returns true with the answer in `client->in`. A request that may have run is sent again only if it is repeatable. */
static bool
exchange(struct commit_client *client, const struct commit_request *request, bool repeatable)
{
	int64_t deadline_ms = request->deadline_ms;
	const struct log_field *work = log_current_work();
	struct commit_request sent_request = *request;
	if (work != NULL && work->kind == LOG_TEXT)
		sent_request.id = slice_of(work->value.text);
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
		log_no_answer(client, sent);
	return sent == SENT_ANSWERED;
}

/* Returns false when the request was refused, or the answer is invalid or of another kind. */
static bool
read_answer(struct pool *pool, struct slice bytes, enum commit_answer_kind wanted, struct commit_answer *answer)
{
	bool good = commit_decode_answer(pool, bytes, answer);
	if (!good || (answer->kind != wanted && answer->kind != ANSWER_REFUSED))
		log_error("committer_answer_broken", LOG_UINT("bytes", bytes.size));
	return good && answer->kind == wanted;
}

static void
request_outcome(struct commit_client *client, struct pool *pool, const struct commit_request *request, bool repeatable,
    struct outcome *outcome)
{
	struct commit_answer answer;
	*outcome = (struct outcome){ .failure = FAILURE_UNAVAILABLE };
	if (exchange(client, request, repeatable) &&
	    read_answer(pool, pool_copy(pool, frame_content(&client->in)), ANSWER_OUTCOME, &answer))
		*outcome = answer.as.outcome;
	frame_reader_reset(&client->in);
}

void
commit_client_execute(struct commit_client *client, struct pool *pool, const struct command *command, int64_t deadline_ms,
    struct outcome *outcome)
{
	const struct commit_request request = {
		.kind = REQUEST_COMMAND,
		.deadline_ms = deadline_ms,
		.as.command = *command,
	};
	request_outcome(client, pool, &request, false, outcome);
}

void
commit_client_look_up(struct commit_client *client, struct pool *pool, const struct look_up *look_up, int64_t deadline_ms,
    struct outcome *outcome)
{
	const struct commit_request request = {
		.kind = REQUEST_LOOK_UP,
		.deadline_ms = deadline_ms,
		.as.look_up = *look_up,
	};
	request_outcome(client, pool, &request, true, outcome);
}

/* Answers from the cache or the committer. Texts are in the pool; NULL: the answer has none. */
static enum result
find_in_directory(
    struct commit_client *client, struct pool *pool, const struct commit_request *request, struct commit_answer *answer)
{
	struct cache *cache = request->kind == REQUEST_KEY ? client->keys : client->campaigns;
	struct slice name = commit_directory_name(request);
	struct slice bytes = cache_find(cache, name, clock_monotonic_ms());
	bool hit = slice_present(bytes);
	if (!hit && !exchange(client, request, true))
		return RESULT_UNAVAILABLE;
	if (!hit)
		bytes = frame_content(&client->in);
	if (pool != NULL)
		bytes = pool_copy(pool, bytes);
	if (!read_answer(pool, bytes, commit_directory_answer(request), answer))
		return RESULT_UNAVAILABLE;
	if (!hit && answer->result == RESULT_OK)
		cache_put(cache, name, bytes, answer->read_ms);
	return answer->result;
}

enum result
commit_client_find_key(struct commit_client *client, const unsigned char hash[32], int64_t deadline_ms, struct api_key *key)
{
	struct commit_request request = { .kind = REQUEST_KEY, .deadline_ms = deadline_ms };
	struct commit_answer answer;
	memcpy(request.as.key.bytes, hash, sizeof(request.as.key.bytes));
	enum result result = find_in_directory(client, NULL, &request, &answer);
	if (result == RESULT_OK)
		*key = answer.as.key;
	return result;
}

enum result
commit_client_find_campaign(struct commit_client *client, struct pool *pool, uint64_t id, int64_t deadline_ms,
    struct campaign *campaign, int64_t *now_ms)
{
	const struct commit_request request = {
		.kind = REQUEST_CAMPAIGN,
		.deadline_ms = deadline_ms,
		.as.campaign_id = id,
	};
	struct commit_answer answer;
	enum result result = find_in_directory(client, pool, &request, &answer);
	if (result != RESULT_OK)
		return result;
	*campaign = answer.as.found.campaign;
	*now_ms = commit_answer_now_ms(&answer);
	return RESULT_OK;
}

enum result
commit_client_ready(struct commit_client *client, int64_t deadline_ms)
{
	const struct commit_request request = { .kind = REQUEST_READINESS, .deadline_ms = deadline_ms };
	struct commit_answer answer = { .result = RESULT_UNAVAILABLE };
	if (exchange(client, &request, true) && !read_answer(NULL, frame_content(&client->in), ANSWER_READINESS, &answer))
		answer.result = RESULT_UNAVAILABLE;
	return answer.result;
}
