/* SPDX-License-Identifier: MIT */
#include "fcgi/exchange.h"

#include <errno.h>
#include <fastcgi.h>
#include <fcgiapp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/pool.h"
#include "fcgi/deadline.h"
#include "fcgi/slow_answers.h"
#include "os/log.h"

enum {
	CHUNK_BYTES = 16 * 1024,
	/* bytes of a too large body that are read and discarded: a web server whose connection closes while it is sending
	 * reports its own error instead of our 413 */
	DISCARD_MAX_BYTES = 16 * 1024 * 1024,
	RECORDS_MORE = 3 /* in addition to full ones: the rest of the response, the end of the stream, the end of the request */
};

struct fcgi_exchange {
	FCGX_Request request;
	const struct fcgi_options *options;
	struct slow_answers *slow;
	struct buffer body;
	enum fcgi_body_state state;
	bool open;
};

struct fcgi_exchange *
exchange_new(const struct fcgi_options *options, struct slow_answers *slow)
{
	struct fcgi_exchange *exchange = memory_alloc(sizeof(*exchange));
	exchange->options = options;
	exchange->slow = slow;
	buffer_init(&exchange->body, 0);
	/* Without a listening socket, libfcgi cannot itself accept another connection after a broken one. */
	if (FCGX_Init() != 0 || FCGX_InitRequest(&exchange->request, -1, 0) != 0) {
		log_error("fcgi_init_failed", LOG_ERRNO(errno));
		exchange_free(&exchange);
	}
	return exchange;
}

void
exchange_free(struct fcgi_exchange **exchange)
{
	if (*exchange == NULL)
		return;
	buffer_free(&(*exchange)->body);
	free(*exchange);
	*exchange = NULL;
}

static bool
limit_silence(int connection, int64_t ms)
{
	struct timeval time = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 };
	return setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time)) == 0 &&
	       setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof(time)) == 0;
}

/* Always closes, even when the web server requested a persistent connection: it would occupy this process until the web server
 * closes it. */
static void
finish(struct fcgi_exchange *exchange)
{
	exchange->request.keepConnection = 0;
	FCGX_Finish_r(&exchange->request);
	deadline_stop();
	buffer_free(&exchange->body);
	exchange->open = false;
}

bool
exchange_open(struct fcgi_exchange *exchange, int connection)
{
	FCGX_Request *request = &exchange->request;
	if (!limit_silence(connection, exchange->options->silence_timeout_ms)) {
		close(connection);
		return false;
	}
	deadline_start(connection, exchange->options->receive_timeout_ms);
	request->ipcFd = connection;
	request->keepConnection = 1; /* FCGX_Accept_r finishes the previous request: there is none on this connection */
	FCGX_Detach(request);        /* libfcgi's way to close(2) without waiting up to 2 s for the peer to close first */
	exchange->open = FCGX_Accept_r(request) == 0; /* on failure it has closed the connection */
	/* libfcgi takes parameters that end between two pairs for complete; only the error tells that they were truncated. */
	if (exchange->open && FCGX_GetError(request->in) != 0) {
		FCGX_Free(request, 1); /* closes, without the response that FCGX_Finish_r would generate */
		exchange->open = false;
	}
	if (!exchange->open)
		deadline_stop();
	return exchange->open;
}

/* The announced length; returns false when it is not a number. If it is absent or empty (as nginx sends it), the length is
 * `came`. */
static bool
announced_length(const struct fcgi_exchange *exchange, size_t came, uint64_t *length)
{
	struct slice text = fcgi_exchange_param(exchange, "CONTENT_LENGTH");
	*length = came;
	if (text.size == 0)
		return true;
	while (text.size > 1 && text.data[0] == '0') /* 1*DIGIT, RFC 9110 8.6 */
		text = slice_sub(text, 1, text.size);
	return slice_to_u64(text, UINT64_MAX, length);
}

static enum fcgi_body_state
judge_body(const struct fcgi_exchange *exchange, size_t came, size_t limit)
{
	uint64_t announced;
	bool number = announced_length(exchange, came, &announced);
	if (came > limit || (number && announced > limit))
		return FCGI_BODY_TOO_LARGE;
	if (FCGX_GetError(exchange->request.in) != 0)
		return FCGI_BODY_ABORTED;
	return number && announced == came ? FCGI_BODY_COMPLETE : FCGI_BODY_WRONG_LENGTH;
}

void
exchange_read_body(struct fcgi_exchange *exchange, size_t limit)
{
	char chunk[CHUNK_BYTES];
	size_t came = 0;
	int size;
	buffer_init(&exchange->body, limit);
	do {
		size = FCGX_GetStr(chunk, CHUNK_BYTES, exchange->request.in);
		came += (size_t)size;
		buffer_add(&exchange->body, (struct slice){ chunk, (size_t)size });
	} while (size == CHUNK_BYTES && (came <= limit || came - limit < DISCARD_MAX_BYTES));
	deadline_stop(); /* no time limit for the handler */
	exchange->state = judge_body(exchange, came, limit);
	if (exchange->state != FCGI_BODY_COMPLETE)
		buffer_free(&exchange->body);
}

bool
exchange_close(struct fcgi_exchange *exchange)
{
	bool answered = !exchange->open;
	if (!answered)
		finish(exchange);
	return answered;
}

/* Takes the next value of a parameter. *pair is NULL after the last one. */
static struct slice
next_value(char ***pair, const char *name, size_t size)
{
	while (*pair != NULL && **pair != NULL) {
		const char *text = *(*pair)++;
		/* most pairs differ in the first character, and a call costs more than the comparison */
		if (*text == *name && strncmp(text, name, size) == 0 && text[size] == '=')
			return slice_of(text + size + 1);
	}
	*pair = NULL;
	return SLICE_NONE;
}

static char **
first_pair(const struct fcgi_exchange *exchange)
{
	return exchange->open ? exchange->request.envp : NULL;
}

/* Web servers convert several headers to one name (X-Forwarded-For, X_Forwarded_For), and lighttpd sends them all: one of the
 * values may come from the client, the other from a proxy. */
struct slice
fcgi_exchange_param(const struct fcgi_exchange *exchange, const char *name)
{
	const size_t size = strlen(name);
	struct slice value = SLICE_NONE, found;
	for (char **pair = first_pair(exchange); slice_present(found = next_value(&pair, name, size));) {
		if (slice_present(value) && !slice_equal(value, found))
			return SLICE_NONE;
		value = found;
	}
	return value;
}

struct slice
fcgi_exchange_param_lines(const struct fcgi_exchange *exchange, struct pool *pool, const char *name)
{
	const size_t size = strlen(name);
	struct slice list = SLICE_NONE, found;
	for (char **pair = first_pair(exchange); slice_present(found = next_value(&pair, name, size));)
		list = slice_present(list) ? POOL_JOIN(pool, list, SLICE(", "), found) : found;
	return list;
}

bool
fcgi_exchange_param_is_ambiguous(const struct fcgi_exchange *exchange, const char *name)
{
	const bool sent = exchange->open && FCGX_GetParam(name, exchange->request.envp) != NULL;
	return sent && !slice_present(fcgi_exchange_param(exchange, name));
}

struct slice
fcgi_exchange_body(const struct fcgi_exchange *exchange)
{
	return buffer_slice(&exchange->body);
}

enum fcgi_body_state
fcgi_exchange_body_state(const struct fcgi_exchange *exchange)
{
	return exchange->state;
}

/* FastCGI 1.0, 3.3, without padding. */
static void
add_record(struct buffer *records, unsigned type, int id, struct slice content)
{
	const char header[] = { FCGI_VERSION_1, (char)type, (char)(id >> 8), (char)id, (char)(content.size >> 8),
		(char)content.size, 0, 0 };
	buffer_add(records, (struct slice){ header, sizeof(header) });
	buffer_add(records, content);
}

/* Sends the response as the output of the request, and its end. libfcgi would wait until the web server has taken all of it. */
static void
write_records(struct buffer *records, int id, struct slice response)
{
	static const FCGI_EndRequestBody completed = { .protocolStatus = FCGI_REQUEST_COMPLETE };
	const size_t count = response.size / FCGI_MAX_LENGTH + RECORDS_MORE;
	buffer_init(records, response.size + count * FCGI_HEADER_LEN + sizeof(completed));
	for (size_t at = 0; at < response.size; at += FCGI_MAX_LENGTH)
		add_record(records, FCGI_STDOUT, id, slice_sub(response, at, at + FCGI_MAX_LENGTH));
	add_record(records, FCGI_STDOUT, id, SLICE_NONE);
	add_record(records, FCGI_END_REQUEST, id, (struct slice){ (const char *)&completed, sizeof(completed) });
}

bool
fcgi_exchange_answer(struct fcgi_exchange *exchange, struct slice response)
{
	FCGX_Request *request = &exchange->request;
	struct buffer records;
	if (!exchange->open)
		return false;
	write_records(&records, request->requestId, response);
	const bool sent = slow_answers_send(exchange->slow, request->ipcFd, &records);
	FCGX_Free(request, 0);
	buffer_free(&exchange->body);
	exchange->open = false;
	return sent;
}
