/* SPDX-License-Identifier: MIT
 * The bytes of one connection, as a web server sends them, for a responder that answers what it was sent: whatever they are, it
 * comes to an end, takes no part of a body for the whole, and says nothing but whole records (src/fcgi, libfcgi). */
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buffer.h"
#include "fcgi/deadline.h"
#include "fcgi/exchange.h"
#include "fuzz.h"

enum { REQUEST_MAX = 8 * 1024, BODY_LIMIT = 1024, ANSWER_MAX = 64 * 1024, SILENCE_MS = 200, RECEIVE_MS = 1000 };
enum {
	RECORD_HEADER = 8,
	RECORD_VERSION = 1,
	RECORD_END = 3,
	RECORD_STDOUT = 6,
	RECORD_STDERR = 7,
	RECORD_VALUES = 10,
	RECORD_UNKNOWN = 11,
	END_STATUS = 4 /* its place in the content */
};

static const struct fcgi_options options = {
	.receive_timeout_ms = RECEIVE_MS,
	.silence_timeout_ms = SILENCE_MS,
};

/* libfcgi 2.4.2 forgets 48 bytes for each management record of a type that it does not know, and pads its answers to them with
 * what is on its stack. Web servers send none; no seed has one, for valgrind would tell. */
const char *__lsan_default_suppressions(void);

const char *
__lsan_default_suppressions(void)
{
	return "leak:libfcgi.so";
}

/* libfcgi's handlers give way to those that a worker has, and to the ones before. */
static struct fcgi_exchange *
start(void)
{
	struct fcgi_exchange *exchange = exchange_new(&options);
	REQUIRE(exchange != NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	signal(SIGUSR1, SIG_DFL);
	deadline_install();
	return exchange;
}

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

/* Answers with the address and the body; *said is what went out, if it did. */
static bool
echo(struct fcgi_exchange *exchange, struct buffer *said)
{
	buffer_add_text(said, "Status: 200 OK\r\n\r\n");
	buffer_add(said, fcgi_exchange_param(exchange, "REQUEST_URI"));
	buffer_add(said, fcgi_exchange_body(exchange));
	REQUIRE(buffer_ok(said));
	return fcgi_exchange_answer(exchange, buffer_slice(said));
}

/* Takes records off until the connection ends: those of the standard streams, the end of the request, and answers to what is no
 * request. What stands in the output stream goes to *said. */
static bool
read_records(struct slice rest, struct buffer *said)
{
	bool ended = false;
	while (rest.size > 0) {
		const unsigned char *header = (const unsigned char *)rest.data;
		REQUIRE(rest.size >= RECORD_HEADER && header[0] == RECORD_VERSION);
		size_t content = (size_t)header[4] << 8 | header[5], padding = header[6];
		REQUIRE(rest.size >= RECORD_HEADER + content + padding);
		REQUIRE(header[1] == RECORD_END || header[1] == RECORD_STDOUT || header[1] == RECORD_STDERR ||
			header[1] == RECORD_VALUES || header[1] == RECORD_UNKNOWN);
		REQUIRE(!ended);
		if (header[1] == RECORD_STDOUT)
			buffer_add(said, slice_sub(rest, RECORD_HEADER, RECORD_HEADER + content));
		/* with another status it ends a request that was sent into this one, and never begun */
		ended = header[1] == RECORD_END && content > END_STATUS && header[RECORD_HEADER + END_STATUS] == 0;
		rest = slice_sub(rest, RECORD_HEADER + content + padding, rest.size);
	}
	return ended;
}

/* All that came, up to the end of the connection, which must be there. */
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
	struct buffer said, came, heard;
	bool answered = false;
	buffer_init(&said, ANSWER_MAX);
	buffer_init(&came, ANSWER_MAX * 4);
	buffer_init(&heard, ANSWER_MAX);
	if (exchange_open(exchange, connection)) {
		exchange_read_body(exchange, BODY_LIMIT);
		require_state(exchange);
		answered = echo(exchange, &said);
		REQUIRE(exchange_close(exchange));
	}
	receive(peer, &came);
	bool ended = read_records(buffer_slice(&came), &heard);
	if (answered)
		REQUIRE(ended && slice_equal(buffer_slice(&heard), buffer_slice(&said)));
	buffer_free(&heard);
	buffer_free(&came);
	buffer_free(&said);
}

/* libfcgi 2.4.2 takes memory for a name and a value before they come. Lengths that together are more than an int end the
 * process, and the parent starts another one: we cannot fix that, so none is that long here. */
static ssize_t
send_bytes(int peer, const uint8_t *data, size_t size)
{
	uint8_t bytes[REQUEST_MAX];
	for (size_t i = 0; i < size; i++)
		bytes[i] = data[i] < 0x80 ? data[i] : 0x80 | (data[i] & 1);
	return write(peer, bytes, size);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fcgi_exchange *exchange;
	int ends[2];
	if (exchange == NULL)
		exchange = start();
	if (size > REQUEST_MAX)
		return 0;
	REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	/* nothing comes any more: the other end never waits for it */
	REQUIRE(send_bytes(ends[1], data, size) == (ssize_t)size && shutdown(ends[1], SHUT_WR) == 0);
	serve(exchange, ends[0], ends[1]);
	close(ends[1]);
	return 0;
}
