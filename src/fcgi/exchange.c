/* SPDX-License-Identifier: MIT */
#include "fcgi/exchange.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/pool.h"
#include "fcgi/slow_answers.h"
#include "os/clock.h"
#include "os/fiber.h"
#include "os/log.h"

/* FastCGI 1.0, 3.3 and 8. */
enum {
	RECORD_VERSION = 1,
	RECORD_HEADER_BYTES = 8,
	RECORD_MAX_BYTES = 65535,
	RECORD_BEGIN = 1,
	RECORD_ABORT = 2,
	RECORD_END = 3,
	RECORD_PARAMS = 4,
	RECORD_STDIN = 5,
	RECORD_STDOUT = 6,
	BEGIN_BYTES = 8,
	ROLE_RESPONDER = 1
};

enum {
	INPUT_BYTES = 16 * 1024,
	/* web servers send at most some headers of 64 KiB */
	PARAMS_MAX_BYTES = 1024 * 1024,
	/* bytes of a too large body that are read and discarded: a web server whose connection closes while it is sending
	 * reports its own error instead of our 413 */
	DISCARD_MAX_BYTES = 16 * 1024 * 1024,
	/* in addition to full ones: the rest of the response, the end of the stream, the end of the request */
	RECORDS_MORE = 3,
	KEEP_BYTES = 16 * 1024 /* larger buffers are freed after the request */
};

struct param {
	struct slice name, value;
};

struct fcgi_exchange {
	const struct fcgi_options *options;
	struct slow_answers *slow;
	int connection;
	unsigned id;         /* of the request */
	int64_t deadline_ms; /* for all bytes of the request */
	bool open, aborted;
	enum fcgi_body_state state;
	char input[INPUT_BYTES]; /* bytes received, of which those before `used` are processed */
	size_t used, received;
	size_t most;          /* bytes received at once, for this request */
	struct buffer stream; /* the parameters as they were sent */
	struct param *params;
	size_t param_count, param_capacity;
	struct buffer body, records;
};

struct fcgi_exchange *
exchange_new(const struct fcgi_options *options, struct slow_answers *slow)
{
	struct fcgi_exchange *exchange = memory_alloc(sizeof(*exchange));
	exchange->options = options;
	exchange->slow = slow;
	buffer_init(&exchange->stream, PARAMS_MAX_BYTES);
	buffer_init(&exchange->body, 0);
	buffer_init(&exchange->records, SIZE_MAX / 2);
	return exchange;
}

void
exchange_free(struct fcgi_exchange **exchange)
{
	if (*exchange == NULL)
		return;
	buffer_free(&(*exchange)->stream);
	buffer_free(&(*exchange)->body);
	buffer_free(&(*exchange)->records);
	free((*exchange)->params);
	free(*exchange);
	*exchange = NULL;
}

/* The connection belongs to somebody else, or is closed. */
static void
forget(struct fcgi_exchange *exchange)
{
	explicit_bzero(exchange->input, exchange->most);
	buffer_recycle(&exchange->stream, KEEP_BYTES);
	buffer_free(&exchange->body);
	if (exchange->param_capacity * sizeof(*exchange->params) > KEEP_BYTES) {
		free(exchange->params);
		exchange->params = NULL;
		exchange->param_capacity = 0;
	}
	exchange->param_count = 0;
	exchange->open = false;
}

/* ---- receiving ---- */

/* Waits for the next byte, but not longer than the time for all bytes allows. */
static bool
wait_for_bytes(const struct fcgi_exchange *exchange)
{
	const int64_t silent_ms = clock_monotonic_ms() + exchange->options->silence_timeout_ms;
	return fiber_wait(exchange->connection, POLLIN, silent_ms < exchange->deadline_ms ? silent_ms : exchange->deadline_ms);
}

/* Receives more input. Returns false when there is none any more: the peer has closed, or is too slow. */
static bool
receive(struct fcgi_exchange *exchange)
{
	exchange->used = exchange->received = 0;
	do {
		const ssize_t size = recv(exchange->connection, exchange->input, INPUT_BYTES, MSG_DONTWAIT);
		if (size > 0)
			exchange->received = (size_t)size;
		else if (size == 0 || (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK))
			return false;
		else if (errno != EINTR && !wait_for_bytes(exchange))
			return false;
	} while (exchange->received == 0);
	if (exchange->received > exchange->most)
		exchange->most = exchange->received;
	return clock_monotonic_ms() < exchange->deadline_ms;
}

/* Takes the next `size` bytes and adds them to the buffer, if there is one. Returns false when they do not come. */
static bool
take(struct fcgi_exchange *exchange, size_t size, struct buffer *to)
{
	while (size > 0) {
		if (exchange->used == exchange->received && !receive(exchange))
			return false;
		const size_t left = exchange->received - exchange->used, part = size < left ? size : left;
		if (to != NULL)
			buffer_add(to, (struct slice){ exchange->input + exchange->used, part });
		exchange->used += part;
		size -= part;
	}
	return true;
}

struct record {
	unsigned type, id;
	size_t content, padding; /* bytes */
};

static bool
take_header(struct fcgi_exchange *exchange, struct record *record)
{
	char bytes[RECORD_HEADER_BYTES + 1];
	const unsigned char *at = (const unsigned char *)bytes;
	struct buffer header = { .data = bytes, .capacity = sizeof(bytes), .maximum = RECORD_HEADER_BYTES };
	if (!take(exchange, RECORD_HEADER_BYTES, &header) || at[0] != RECORD_VERSION)
		return false;
	*record = (struct record){ at[1], (unsigned)at[2] << 8 | at[3], (size_t)at[4] << 8 | at[5], at[6] };
	return true;
}

static bool
skip(struct fcgi_exchange *exchange, const struct record *record)
{
	return take(exchange, record->content + record->padding, NULL);
}

/* The beginning of a request. Another role than that of a responder is none of ours. */
static bool
take_begin(struct fcgi_exchange *exchange)
{
	char bytes[BEGIN_BYTES + 1];
	struct buffer begin = { .data = bytes, .capacity = sizeof(bytes), .maximum = BEGIN_BYTES };
	struct record record;
	if (!take_header(exchange, &record) || record.type != RECORD_BEGIN || record.id == 0 || record.content != BEGIN_BYTES ||
	    !take(exchange, record.content, &begin) || !take(exchange, record.padding, NULL))
		return false;
	exchange->id = record.id;
	return bytes[0] == 0 && bytes[1] == ROLE_RESPONDER;
}

/* The state of a stream, which is a sequence of records. */
enum stream { STREAM_MORE, STREAM_ENDED, STREAM_ABORTED, STREAM_LOST };

/* Takes the next record, and adds the content of a record of the stream to the buffer. A record of another request, or of
 * another type, is skipped: web servers do not send any. */
static enum stream
take_record(struct fcgi_exchange *exchange, unsigned type, struct buffer *to, size_t *size)
{
	struct record record;
	*size = 0;
	if (!take_header(exchange, &record))
		return STREAM_LOST;
	if (record.id != exchange->id || (record.type != type && record.type != RECORD_ABORT))
		return skip(exchange, &record) ? STREAM_MORE : STREAM_LOST;
	if (record.type == RECORD_ABORT)
		return STREAM_ABORTED;
	*size = record.content;
	if (!take(exchange, record.content, to) || !take(exchange, record.padding, NULL))
		return STREAM_LOST;
	return record.content == 0 ? STREAM_ENDED : STREAM_MORE;
}

/* ---- parameters ---- */

/* Takes the length of a name or value (FastCGI 1.0, 3.4). */
static bool
take_length(struct slice *bytes, size_t *length)
{
	const unsigned char *at = (const unsigned char *)bytes->data;
	if (bytes->size == 0)
		return false;
	const size_t size = (at[0] & 0x80) == 0 ? 1 : 4;
	if (bytes->size < size)
		return false;
	*length = size == 1 ? at[0] : (size_t)(at[0] & 0x7f) << 24 | (size_t)at[1] << 16 | (size_t)at[2] << 8 | at[3];
	*bytes = slice_sub(*bytes, size, bytes->size);
	return true;
}

static bool
take_pair(struct slice *bytes, struct param *param)
{
	size_t name, value;
	if (!take_length(bytes, &name) || !take_length(bytes, &value) || name > bytes->size || value > bytes->size - name)
		return false;
	*param = (struct param){ slice_sub(*bytes, 0, name), slice_sub(*bytes, name, name + value) };
	param->value.size = strnlen(param->value.data, value); /* as in the environment of a process */
	*bytes = slice_sub(*bytes, name + value, bytes->size);
	return true;
}

static bool
parse_params(struct fcgi_exchange *exchange)
{
	struct slice bytes = buffer_slice(&exchange->stream);
	while (bytes.size > 0) {
		if (exchange->param_count == exchange->param_capacity) {
			exchange->param_capacity = exchange->param_capacity == 0 ? 32 : 2 * exchange->param_capacity;
			exchange->params =
			    memory_realloc(exchange->params, exchange->param_capacity * sizeof(*exchange->params));
		}
		if (!take_pair(&bytes, &exchange->params[exchange->param_count++]))
			return false;
	}
	return true;
}

static bool
read_params(struct fcgi_exchange *exchange)
{
	enum stream stream = STREAM_MORE;
	size_t size;
	while (stream == STREAM_MORE && buffer_ok(&exchange->stream))
		stream = take_record(exchange, RECORD_PARAMS, &exchange->stream, &size);
	return stream == STREAM_ENDED && buffer_ok(&exchange->stream) && parse_params(exchange);
}

bool
exchange_open(struct fcgi_exchange *exchange, int connection)
{
	exchange->connection = connection;
	exchange->deadline_ms = clock_monotonic_ms() + exchange->options->receive_timeout_ms;
	exchange->used = exchange->received = exchange->most = 0;
	exchange->open = true;
	if (take_begin(exchange) && read_params(exchange))
		return true;
	close(connection);
	forget(exchange);
	return false;
}

/* Takes the next value of a parameter. *place: the number of parameters that were looked at. */
static struct slice
next_value(const struct fcgi_exchange *exchange, struct slice name, size_t *place)
{
	while (*place < exchange->param_count) {
		const struct param *param = &exchange->params[(*place)++];
		if (param->name.size == name.size && memcmp(param->name.data, name.data, name.size) == 0)
			return param->value;
	}
	return SLICE_NONE;
}

/* Web servers convert several headers to one name (X-Forwarded-For, X_Forwarded_For), and lighttpd sends them all: one of the
 * values may come from the client, the other from a proxy. */
static bool
has_one_value(const struct fcgi_exchange *exchange, struct slice name, struct slice *value)
{
	struct slice found;
	size_t place = 0;
	*value = next_value(exchange, name, &place);
	while (slice_present(found = next_value(exchange, name, &place)))
		if (!slice_equal(*value, found))
			return false;
	return true;
}

struct slice
fcgi_exchange_param(const struct fcgi_exchange *exchange, const char *name)
{
	struct slice value;
	return has_one_value(exchange, slice_of(name), &value) ? value : SLICE_NONE;
}

struct slice
fcgi_exchange_param_lines(const struct fcgi_exchange *exchange, struct pool *pool, const char *name)
{
	struct slice list = SLICE_NONE, found;
	size_t place = 0;
	while (slice_present(found = next_value(exchange, slice_of(name), &place)))
		list = slice_present(list) ? POOL_JOIN(pool, list, SLICE(", "), found) : found;
	return list;
}

bool
fcgi_exchange_param_is_ambiguous(const struct fcgi_exchange *exchange, const char *name)
{
	struct slice value;
	return !has_one_value(exchange, slice_of(name), &value);
}

/* ---- the body ---- */

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
judge_body(const struct fcgi_exchange *exchange, enum stream stream, size_t came, size_t limit)
{
	uint64_t announced;
	bool number = announced_length(exchange, came, &announced);
	if (came > limit || (number && announced > limit))
		return FCGI_BODY_TOO_LARGE;
	if (stream != STREAM_ENDED)
		return FCGI_BODY_ABORTED;
	return number && announced == came ? FCGI_BODY_COMPLETE : FCGI_BODY_WRONG_LENGTH;
}

void
exchange_read_body(struct fcgi_exchange *exchange, size_t limit)
{
	enum stream stream = STREAM_MORE;
	size_t came = 0, size;
	buffer_init(&exchange->body, limit);
	while (stream == STREAM_MORE && (came <= limit || came - limit < DISCARD_MAX_BYTES)) {
		stream = take_record(exchange, RECORD_STDIN, &exchange->body, &size);
		came += size;
	}
	exchange->state = judge_body(exchange, stream, came, limit);
	if (exchange->state != FCGI_BODY_COMPLETE)
		buffer_free(&exchange->body);
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

/* ---- the answer ---- */

static void
add_record(const struct fcgi_exchange *exchange, unsigned type, struct slice content, struct buffer *records)
{
	const char header[RECORD_HEADER_BYTES] = { RECORD_VERSION, (char)type, (char)(exchange->id >> 8), (char)exchange->id,
		(char)(content.size >> 8), (char)content.size, 0, 0 };
	buffer_add(records, (struct slice){ header, sizeof(header) });
	buffer_add(records, content);
}

/* The response as the output of the request, and the end of the request, which is closed even when the web server requested a
 * persistent connection: it would occupy a lane until the web server closes it. */
static void
write_records(struct fcgi_exchange *exchange, struct slice response)
{
	static const char completed[] = { 0, 0, 0, 0, 0, 0, 0, 0 }; /* FCGI_EndRequestBody: status 0, FCGI_REQUEST_COMPLETE */
	struct buffer *records = &exchange->records;
	const size_t count = response.size / RECORD_MAX_BYTES + RECORDS_MORE;
	(void)!buffer_reserve(records, response.size + count * RECORD_HEADER_BYTES + sizeof(completed));
	for (size_t at = 0; at < response.size; at += RECORD_MAX_BYTES)
		add_record(exchange, RECORD_STDOUT, slice_sub(response, at, at + RECORD_MAX_BYTES), records);
	add_record(exchange, RECORD_STDOUT, SLICE_NONE, records);
	add_record(exchange, RECORD_END, (struct slice){ completed, sizeof(completed) }, records);
}

static bool
answer(struct fcgi_exchange *exchange, struct slice response)
{
	write_records(exchange, response);
	const bool sent = slow_answers_send(exchange->slow, exchange->connection, buffer_slice(&exchange->records));
	buffer_recycle(&exchange->records, KEEP_BYTES);
	forget(exchange);
	return sent;
}

bool
fcgi_exchange_answer(struct fcgi_exchange *exchange, struct slice response)
{
	return exchange->open && answer(exchange, response);
}

bool
exchange_close(struct fcgi_exchange *exchange)
{
	const bool answered = !exchange->open;
	if (!answered)
		(void)!answer(exchange, SLICE_NONE);
	return answered;
}
