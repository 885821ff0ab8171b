/* SPDX-License-Identifier: MIT */
/*
 * The receiver of all deliveries: one process with epoll that answers 200 and counts. It records the time of each delivery's
 * first byte, and its latency when the lead's address has the time of its sign-up (t<nanoseconds>-…@…).
 *
 * POST /hang      is never answered
 * GET  /count     number of deliveries since the last reset
 * GET  /stats     statistics as JSON; times are those of CLOCK_MONOTONIC
 * GET  /reset     clears them
 * any other POST  is a delivery
 *
 * receiver PORT
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "common.h"

enum { BACKLOG = 4096, CONNECTIONS_MAX = 8192, REQUEST_MAX = 65536, EVENTS_MAX = 256, STORED_MAX = 4 << 20, ANSWER_MAX = 1024 };

static const char delivered[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
static const char event_mark[] = "\"__event\":\"";
static const char stamp_mark[] = "\"email\":\"t";

struct connection {
	uint64_t began; /* time of the request's first byte */
	size_t size;
	bool hangs;
	char data[REQUEST_MAX + 1];
};

static struct connection *connections[CONNECTIONS_MAX];

/* The values of /stats. The arrays have room for STORED_MAX; more deliveries are only counted. */
static struct {
	uint64_t count, wrong, hanging, bytes, first, last;
	uint64_t *arrivals, *latencies;
	size_t arrival_count, latency_count;
} stats;

static void
reset(void)
{
	stats.count = stats.wrong = stats.hanging = stats.bytes = stats.first = stats.last = 0;
	stats.arrival_count = stats.latency_count = 0;
}

static int
compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* `values` must be sorted. */
static uint64_t
percentile(const uint64_t *values, size_t count, size_t percent)
{
	return count == 0 ? 0 : values[(count - 1) * percent / 100];
}

static int
write_count(char *body, size_t size)
{
	return snprintf(body, size, "%ju", stats.count);
}

static int
write_stats(char *body, size_t size)
{
	qsort(stats.arrivals, stats.arrival_count, sizeof(uint64_t), compare);
	qsort(stats.latencies, stats.latency_count, sizeof(uint64_t), compare);
	const uint64_t *arrivals = stats.arrivals, *latencies = stats.latencies;
	return snprintf(body, size,
	    "{\"count\":%ju,\"wrong\":%ju,\"hanging\":%ju,\"bytes\":%ju,\"first_ns\":%ju,\"last_ns\":%ju,\"arrival_p50_ns\":%"
	    "ju,"
	    "\"arrival_p99_ns\":%ju,\"latencies\":%zu,\"latency_p50_ns\":%ju,\"latency_p99_ns\":%ju,\"latency_max_ns\":%ju}",
	    stats.count, stats.wrong, stats.hanging, stats.bytes, stats.first, stats.last,
	    percentile(arrivals, stats.arrival_count, 50), percentile(arrivals, stats.arrival_count, 99), stats.latency_count,
	    percentile(latencies, stats.latency_count, 50), percentile(latencies, stats.latency_count, 99),
	    percentile(latencies, stats.latency_count, 100));
}

static bool
send_text(int fd, int (*write_body)(char *, size_t))
{
	char body[ANSWER_MAX], text[2 * ANSWER_MAX];
	int length = snprintf(
	    text, sizeof(text), "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", write_body(body, sizeof(body)), body);
	return send(fd, text, (size_t)length, MSG_NOSIGNAL) == length;
}

static void
record(const struct connection *connection, const char *body, size_t size)
{
	uint64_t began = connection->began;
	stats.first = stats.count == 0 ? began : stats.first;
	stats.last = began;
	stats.count++;
	stats.bytes += size;
	if (stats.arrival_count < STORED_MAX)
		stats.arrivals[stats.arrival_count++] = began;
	if (memmem(body, size, event_mark, sizeof(event_mark) - 1) == NULL)
		stats.wrong++;
	const char *stamp = memmem(body, size, stamp_mark, sizeof(stamp_mark) - 1);
	if (stamp == NULL || stats.latency_count == STORED_MAX)
		return;
	uint64_t signed_up = strtoull(stamp + sizeof(stamp_mark) - 1, NULL, 10);
	stats.latencies[stats.latency_count++] = began > signed_up ? began - signed_up : 0;
}

static void
drop(int fd)
{
	close(fd);
	free(connections[fd]);
	connections[fd] = NULL;
}

/* The value of Content-Length, or 0; `head` ends at `end`, and the data with a zero byte. */
static size_t
content_length(const char *head, const char *end)
{
	static const char name[] = "\r\nContent-Length:";
	const char *at = strcasestr(head, name);
	return at != NULL && at < end ? strtoul(at + sizeof(name) - 1, NULL, 10) : 0;
}

/* Answers one request. Returns false when the connection must end. Every answer fits the socket's buffer. */
static bool
answer(int fd, struct connection *connection, const char *body, size_t size)
{
	if (strncmp(connection->data, "GET /count ", 11) == 0)
		return send_text(fd, write_count);
	if (strncmp(connection->data, "GET /stats ", 11) == 0)
		return send_text(fd, write_stats);
	if (strncmp(connection->data, "POST /hang ", 11) == 0) {
		stats.hanging++;
		connection->hangs = true;
		return true;
	}
	if (strncmp(connection->data, "GET /reset ", 11) == 0)
		reset();
	else
		record(connection, body, size);
	return send(fd, delivered, sizeof(delivered) - 1, MSG_NOSIGNAL) == (ssize_t)sizeof(delivered) - 1;
}

/* Answers all complete requests in the buffer. */
static bool
answer_all(int fd, struct connection *connection)
{
	while (!connection->hangs) {
		connection->data[connection->size] = '\0';
		const char *end = memmem(connection->data, connection->size, "\r\n\r\n", 4);
		if (end == NULL)
			return connection->size < REQUEST_MAX;
		size_t head = (size_t)(end + 4 - connection->data), body = content_length(connection->data, end);
		if (body > REQUEST_MAX - head)
			return false;
		if (connection->size < head + body)
			return true;
		if (!answer(fd, connection, end + 4, body))
			return false;
		connection->size -= head + body;
		memmove(connection->data, connection->data + head + body, connection->size);
		connection->began = now();
	}
	return true;
}

static void
receive(int fd)
{
	struct connection *connection = connections[fd];
	if (connection->size == 0)
		connection->began = now();
	ssize_t got = connection->hangs ? recv(fd, connection->data, REQUEST_MAX, 0)
					: recv(fd, connection->data + connection->size, REQUEST_MAX - connection->size, 0);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got > 0 && !connection->hangs)
		connection->size += (size_t)got;
	if (got <= 0 || !answer_all(fd, connection))
		drop(fd);
}

static void
accept_all(int listener, int poll)
{
	int fd;
	while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		int on = 1;
		struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };
		if (fd >= CONNECTIONS_MAX || (connections[fd] = malloc(sizeof(struct connection))) == NULL) {
			close(fd);
			continue;
		}
		connections[fd]->size = 0;
		connections[fd]->hangs = false;
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		if (epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event) != 0)
			fail("epoll_ctl");
	}
}

static int
listen_on(int port)
{
	int on = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
	    bind(listener, (struct sockaddr *)&address, sizeof(address)) != 0 || listen(listener, BACKLOG) != 0)
		fail("listen");
	return listener;
}

int
main(int argc, char **argv)
{
	int port = argc == 2 ? atoi(argv[1]) : 0;
	if (port < 1 || port > 65535) {
		fputs("usage: receiver PORT\n", stderr);
		return 2;
	}
	stats.arrivals = malloc(STORED_MAX * sizeof(uint64_t));
	stats.latencies = malloc(STORED_MAX * sizeof(uint64_t));
	int listener = listen_on(port), poll = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event = { .events = EPOLLIN, .data.fd = listener }, events[EVENTS_MAX];
	if (stats.arrivals == NULL || stats.latencies == NULL || poll < 0 ||
	    epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event) != 0)
		fail("receiver");
	for (;;) {
		int count = epoll_wait(poll, events, EVENTS_MAX, -1);
		for (int i = 0; i < count; i++)
			if (events[i].data.fd == listener)
				accept_all(listener, poll);
			else
				receive(events[i].data.fd);
	}
}
