/* SPDX-License-Identifier: MIT
 * The bytes of one connection from a web server, for a responder that echoes: no matter what the bytes are, it ends, treats no
 * partial body as complete, and writes only complete records (src/fcgi). */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buffer.h"
#include "fcgi/exchange.h"
#include "fcgi/slow_answers.h"
#include "fuzz.h"

enum { REQUEST_MAX = 8 * 1024, BODY_LIMIT = 1024, ANSWER_MAX = 64 * 1024, SILENCE_MS = 200, RECEIVE_MS = 1000 };
enum { RECORD_HEADER = 8, RECORD_VERSION = 1, RECORD_END = 3, RECORD_STDOUT = 6 };

static const struct fcgi_options options = {
	.receive_timeout_ms = RECEIVE_MS,
	.silence_timeout_ms = SILENCE_MS,
};

static void
require_state(const struct fcgi_exchange *exchange)
{
	struct slice body = fcgi_exchange_body(exchange), announced = fcgi_exchange_param(exchange, "CONTENT_LENGTH");
	uint64_t length;
	REQUIRE(body.size <= BODY_LIMIT);
	if (fcgi_exchange_body_state(exchange) != FCGI_BODY_COMPLETE)
		REQUIRE(body.size == 0);
	else if (slice_to_u64(announced, UINT64_MAX, &length))
		REQUIRE(length == body.size);
}

/* Answers with the URI and the body. *sent is the answer. Returns whether it was sent. */
static bool
echo(struct fcgi_exchange *exchange, struct buffer *sent)
{
	buffer_add_text(sent, "Status: 200 OK\r\n\r\n");
	buffer_add(sent, fcgi_exchange_param(exchange, "REQUEST_URI"));
	buffer_add(sent, fcgi_exchange_body(exchange));
	REQUIRE(buffer_ok(sent));
	return fcgi_exchange_answer(exchange, buffer_slice(sent));
}

/* Reads records until the connection ends: the output stream, which is appended to *sent, and the end of the request. Returns
 * whether the request ended. */
static bool
read_records(struct slice rest, struct buffer *sent)
{
	bool ended = false;
	while (rest.size > 0) {
		const unsigned char *header = (const unsigned char *)rest.data;
		REQUIRE(rest.size >= RECORD_HEADER && header[0] == RECORD_VERSION);
		size_t content = (size_t)header[4] << 8 | header[5], padding = header[6];
		REQUIRE(rest.size >= RECORD_HEADER + content + padding);
		REQUIRE((header[1] == RECORD_END || header[1] == RECORD_STDOUT) && !ended);
		if (header[1] == RECORD_STDOUT)
			buffer_add(sent, slice_sub(rest, RECORD_HEADER, RECORD_HEADER + content));
		ended = header[1] == RECORD_END;
		rest = slice_sub(rest, RECORD_HEADER + content + padding, rest.size);
	}
	return ended;
}

/* Reads all bytes up to the end of the connection, which must have ended. */
static void
receive(int peer, struct buffer *bytes)
{
	char chunk[4096];
	ssize_t size;
	while ((size = recv(peer, chunk, sizeof(chunk), MSG_DONTWAIT)) > 0)
		buffer_add(bytes, (struct slice){ chunk, (size_t)size });
	REQUIRE(size == 0 && buffer_ok(bytes));
}

static void
serve(struct fcgi_exchange *exchange, int connection, int peer)
{
	struct buffer sent, bytes_read, received;
	bool answered = false;
	buffer_init(&sent, ANSWER_MAX);
	buffer_init(&bytes_read, ANSWER_MAX * 4);
	buffer_init(&received, ANSWER_MAX);
	if (exchange_open(exchange, connection)) {
		exchange_read_body(exchange, BODY_LIMIT);
		require_state(exchange);
		answered = echo(exchange, &sent);
		REQUIRE(exchange_close(exchange));
	}
	receive(peer, &bytes_read);
	bool ended = read_records(buffer_slice(&bytes_read), &received);
	if (answered)
		REQUIRE(ended && slice_equal(buffer_slice(&received), buffer_slice(&sent)));
	buffer_free(&received);
	buffer_free(&bytes_read);
	buffer_free(&sent);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fcgi_exchange *exchange;
	int ends[2];
	if (exchange == NULL)
		exchange = exchange_new(&options, slow_answers_new(event_loop_new(), SLOW_ANSWERS_MAX, RECEIVE_MS));
	if (size > REQUEST_MAX)
		return 0;
	REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	/* no more bytes follow, so that the reader never waits */
	REQUIRE(write(ends[1], data, size) == (ssize_t)size && shutdown(ends[1], SHUT_WR) == 0);
	serve(exchange, ends[0], ends[1]);
	close(ends[1]);
	return 0;
}
