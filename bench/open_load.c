/* SPDX-License-Identifier: MIT */
/*
 * An open-loop load of sign-ups: they arrive on a Poisson clock, whether or not earlier ones have been answered. A latency
 * begins at the time at which the request should have been sent; if no connection was free at that time, the latency includes
 * the wait. Requests, checks and result are like those of lead.lua's `create`. Arrivals of the first WARM-UP seconds are not
 * counted.
 *
 * open_load PORT RATE WARM-UP SECONDS PATH FIRST-CAMPAIGN CAMPAIGNS KEY SEED   (the PATH has a %d for the campaign)
 */
#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
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

enum {
	CONNECTIONS_MAX = 256,
	REQUEST_MAX = 2048,
	ANSWER_MAX = 65536,
	EXAMPLE_MAX = 300,
	SAMPLE = 16, /* the body of every 16th answer is checked, too */
	STATUS_AT = sizeof("HTTP/1.1 ") - 1,
	TIMEOUT_SECONDS = 20,
};

static const char expected[] = "\"campaign_id\":";

struct connection {
	int fd;            /* -1: not connected */
	bool busy, reused; /* reused: it was open before its request */
	long number;       /* of its request */
	uint64_t intended; /* the time at which its request should have been sent */
	size_t size;
	char data[ANSWER_MAX + 1];
};

static struct connection connections[CONNECTIONS_MAX];
/* The last one is used next, so that those that are not needed stay closed. */
static struct connection *free_ones[CONNECTIONS_MAX];
static size_t free_count;

/* Microseconds; a bucket is at most 1/128 of its values wide. */
enum { FINE_BITS = 7, FINE = 1 << FINE_BITS, BUCKETS = (65 - FINE_BITS) * FINE };

static struct {
	uint64_t buckets[BUCKETS];
	uint64_t requests, refused, broken, wrong, bytes, longest;
	char example[EXAMPLE_MAX + 1];
} stats;

static struct {
	const char *path, *key, *seed;
	long first_campaign, campaigns, number;
	double rate;
	uint64_t next;              /* the intended time of the next arrival, which has `number` */
	uint64_t counted_from, end; /* of the arrivals */
	struct sockaddr_in server;
	int poll;
} load;

static size_t
bucket_of(uint64_t value)
{
	unsigned shift = value < FINE ? 0 : 63 - FINE_BITS - (unsigned)__builtin_clzll(value);
	return shift * FINE + (size_t)(value >> shift);
}

/* The largest value of a bucket. */
static uint64_t
bucket_end(size_t bucket)
{
	size_t shift = bucket < FINE ? 0 : bucket / FINE - 1;
	return ((uint64_t)(bucket - shift * FINE + 1) << shift) - 1;
}

static uint64_t
percentile(double percent)
{
	uint64_t left = (uint64_t)ceil((double)stats.requests * percent / 100);
	size_t bucket = 0;
	for (; stats.buckets[bucket] < left; bucket++)
		left -= stats.buckets[bucket];
	uint64_t end = bucket_end(bucket);
	return end < stats.longest ? end : stats.longest;
}

/* The pauses of a Poisson clock are exponentially distributed. */
static uint64_t
pause_ns(void)
{
	return (uint64_t)(-log(1 - drand48()) / load.rate * (double)SECOND_NS);
}

/* Whether an arrival with this intended time is after the warm-up. */
static bool
counts(uint64_t intended)
{
	return intended >= load.counted_from;
}

/* Records the latency of a request that ends now, with or without an answer. */
static void
record(uint64_t intended)
{
	uint64_t latency = (now() - intended) / 1000;
	if (!counts(intended))
		return;
	stats.requests++;
	stats.buckets[bucket_of(latency)]++;
	stats.longest = latency > stats.longest ? latency : stats.longest;
}

static void
record_broken(uint64_t intended)
{
	record(intended);
	if (counts(intended))
		stats.broken++;
}

static void
note_example(const char *text)
{
	if (stats.example[0] != '\0')
		return;
	snprintf(stats.example, sizeof(stats.example), "%s", text);
	for (char *at = stats.example; *at != '\0'; at++)
		if ((unsigned char)*at < ' ')
			*at = ' ';
}

static void
drop(struct connection *connection)
{
	close(connection->fd);
	connection->fd = -1;
}

static void
set_free(struct connection *connection)
{
	connection->busy = false;
	free_ones[free_count++] = connection;
}

/* On the loopback interface, this takes microseconds. */
static void
open_connection(struct connection *connection)
{
	int on = 1;
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = connection };
	connection->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (connection->fd < 0 || setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) != 0 ||
	    connect(connection->fd, (struct sockaddr *)&load.server, sizeof(load.server)) != 0 ||
	    epoll_ctl(load.poll, EPOLL_CTL_ADD, connection->fd, &event) != 0)
		fail("connect");
}

static void
write_request(char *text, size_t size, long number)
{
	char body[REQUEST_MAX / 2], path[REQUEST_MAX / 8];
	int length = snprintf(body, sizeof(body),
	    "{\"email\":\"u%ld-%s@bench.example\",\"first_name\":\"Ada\",\"last_name\":\"Lovelace\",\"plan\":\"pro\","
	    "\"utm_source\":\"news\",\"utm_campaign\":\"launch\",\"ip\":\"203.0.113.%ld\"}",
	    number, load.seed, number % 250 + 1);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* the format is an argument */
	snprintf(path, sizeof(path), load.path, (int)(load.first_campaign + number % load.campaigns));
#pragma GCC diagnostic pop
	snprintf(text, size,
	    "POST %s HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"
	    "Content-Length: %d\r\n\r\n%s",
	    path, load.key, length, body);
}

static void lose(struct connection *connection);

static void
send_request(struct connection *connection)
{
	char text[REQUEST_MAX];
	write_request(text, sizeof(text), connection->number);
	size_t length = strlen(text);
	connection->size = 0;
	connection->reused = connection->fd >= 0;
	if (!connection->reused)
		open_connection(connection);
	if (send(connection->fd, text, length, MSG_NOSIGNAL) != (ssize_t)length)
		lose(connection);
}

/* Ends a connection that the server has closed. As HTTP clients do, it repeats a request that may have met an idle
   connection as the server was closing it. */
static void
lose(struct connection *connection)
{
	drop(connection);
	if (!connection->busy)
		return;
	if (connection->reused && connection->size == 0) {
		send_request(connection);
		return;
	}
	record_broken(connection->intended);
	set_free(connection);
}

static void
send_next(struct connection *connection)
{
	connection->busy = true;
	connection->number = load.number++;
	connection->intended = load.next;
	load.next += pause_ns();
	send_request(connection);
}

/* Returns the text after a header's name, or NULL; `head` ends at `end`. */
static const char *
header(const char *head, const char *end, const char *name)
{
	const char *at = strcasestr(head, name);
	return at != NULL && at < end ? at + strlen(name) : NULL;
}

static void
check(const char *status, const char *body)
{
	if (strncmp(status, "200 ", 4) != 0) {
		stats.refused++;
		note_example(status);
	} else if (stats.requests % SAMPLE == 0 && strstr(body, expected) == NULL) {
		stats.wrong++;
		note_example(body);
	}
}

/* Takes the answer if it is complete. */
static void
take_answer(struct connection *connection)
{
	connection->data[connection->size] = '\0';
	const char *end = strstr(connection->data, "\r\n\r\n");
	const char *length = end == NULL ? NULL : header(connection->data, end, "\r\nContent-Length:");
	if (length == NULL || connection->size < (size_t)(end + 4 - connection->data) + strtoul(length, NULL, 10))
		return;
	record(connection->intended);
	if (counts(connection->intended)) {
		stats.bytes += connection->size;
		check(connection->data + STATUS_AT, end + 4);
	}
	if (header(connection->data, end, "\r\nConnection: close") != NULL)
		drop(connection);
	set_free(connection);
}

static void
receive(struct connection *connection)
{
	ssize_t got = recv(connection->fd, connection->data + connection->size, ANSWER_MAX - connection->size, 0);
	if (got > 0 && connection->busy) {
		connection->size += (size_t)got;
		take_answer(connection);
		return;
	}
	lose(connection);
}

/* Waits for answers, and for the next arrival if there is a connection for it. */
static void
wait_for_events(void)
{
	struct epoll_event events[CONNECTIONS_MAX];
	uint64_t time = now(), wait = SECOND_NS;
	if (free_count > 0 && load.next < load.end)
		wait = load.next > time ? load.next - time : 0;
	struct timespec timeout = { .tv_sec = (time_t)(wait / SECOND_NS), .tv_nsec = (long)(wait % SECOND_NS) };
	int count = epoll_pwait2(load.poll, events, CONNECTIONS_MAX, &timeout, NULL);
	if (count < 0 && errno != EINTR)
		fail("epoll_pwait2");
	for (int i = 0; i < count; i++)
		receive(events[i].data.ptr);
}

static void
run(void)
{
	while ((load.next < load.end || free_count < CONNECTIONS_MAX) && now() < load.end + TIMEOUT_SECONDS * SECOND_NS) {
		wait_for_events();
		while (free_count > 0 && load.next < load.end && load.next <= now())
			send_next(free_ones[--free_count]);
	}
	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		if (connections[i].busy)
			record_broken(connections[i].intended);
	for (; load.next < load.end; load.next += pause_ns())
		record_broken(load.next);
}

int
main(int argc, char **argv)
{
	if (argc != 10) {
		fputs("usage: open_load PORT RATE WARM-UP SECONDS PATH FIRST-CAMPAIGN CAMPAIGNS KEY SEED\n", stderr);
		return 2;
	}
	load.server = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[1])) };
	load.server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	load.rate = atof(argv[2]);
	load.path = argv[5];
	load.first_campaign = atol(argv[6]);
	load.campaigns = atol(argv[7]);
	load.key = argv[8];
	load.seed = argv[9];
	if (load.rate <= 0 || load.campaigns < 1)
		return 2;
	load.poll = epoll_create1(EPOLL_CLOEXEC);
	if (load.poll < 0)
		fail("epoll_create1");
	for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
		connections[i].fd = -1;
		set_free(&connections[i]);
	}
	uint64_t begin = now();
	load.counted_from = begin + (uint64_t)atol(argv[3]) * SECOND_NS;
	load.end = load.counted_from + (uint64_t)atol(argv[4]) * SECOND_NS;
	load.next = begin + pause_ns();
	run();
	printf("RESULT requests=%ju microseconds=%ju bytes=%ju p50=%ju p99=%ju p999=%ju max=%ju wrong=%ju refused=%ju "
	       "broken=%ju\n",
	    stats.requests, (load.end - load.counted_from) / 1000, stats.bytes, percentile(50), percentile(99),
	    percentile(99.9), stats.longest, stats.wrong, stats.refused + stats.broken, stats.broken);
	printf("EXAMPLE %s\n", stats.example);
	return 0;
}
