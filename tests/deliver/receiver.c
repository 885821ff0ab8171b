/* SPDX-License-Identifier: MIT */
#include "receiver.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { REQUEST_MAX = 4 * 1024 * 1024 };

static atomic_uint connections, requests;
static char last_request[REQUEST_MAX];

static bool
put(int fd, const char *text, size_t size)
{
	while (size > 0) {
		ssize_t sent = send(fd, text, size, MSG_NOSIGNAL);
		if (sent <= 0)
			return false;
		text += sent;
		size -= (size_t)sent;
	}
	return true;
}

static bool
put_text(int fd, const char *text)
{
	return put(fd, text, strlen(text));
}

/* Repeats the text until the other side closes the connection. */
static bool
put_for_ever(int fd, const char *text)
{
	while (put_text(fd, text)) {
	}
	return false;
}

/* Returns when the other side closes the connection. */
static bool
wait_for_close(int fd)
{
	char byte;
	while (recv(fd, &byte, 1, 0) > 0) {
	}
	return false;
}

static bool
answer_status(int fd, const char *argument)
{
	char head[256];
	snprintf(head, sizeof(head), "HTTP/1.1 %d Word\r\nContent-Length: 5\r\nLocation: /status/200\r\n%s\r\nhello",
	    atoi(argument), strstr(argument, "?retry-after") != NULL ? "Retry-After: 17\r\n" : "");
	return put_text(fd, head);
}

static bool
answer_last(int fd, const char *argument)
{
	(void)argument;
	put_text(fd, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
	return false;
}

static bool
answer_body(int fd, const char *argument)
{
	char head[128], block[1024];
	size_t left = strtoul(argument, NULL, 10);
	snprintf(head, sizeof(head), "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", left);
	memset(block, 'x', sizeof(block));
	bool alive = put_text(fd, head);
	while (alive && left > 0) {
		size_t part = left < sizeof(block) ? left : sizeof(block);
		alive = put(fd, block, part);
		left -= part;
	}
	return alive;
}

static bool
answer_continue(int fd, const char *argument)
{
	(void)argument;
	return put_text(fd, "HTTP/1.1 100 Continue\r\nRetry-After: 3\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
}

static bool
answer_hang(int fd, const char *argument)
{
	(void)argument;
	return wait_for_close(fd);
}

static bool
answer_half(int fd, const char *argument)
{
	(void)argument;
	return put_text(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf") && wait_for_close(fd);
}

static bool
answer_endless(int fd, const char *argument)
{
	(void)argument;
	return put_text(fd, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n") && put_for_ever(fd, "8\r\nendless \r\n");
}

static bool
answer_extension(int fd, const char *argument)
{
	(void)argument;
	return put_text(fd, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1") && put_for_ever(fd, ";name=value");
}

static bool
answer_headers(int fd, const char *argument)
{
	(void)argument;
	return put_text(fd, "HTTP/1.1 200 OK\r\n") && put_for_ever(fd, "X-Header: and another one\r\n");
}

static bool
answer_partial(int fd, const char *argument)
{
	(void)argument;
	put_text(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
	return false;
}

static bool
answer_encoded(int fd, const char *argument)
{
	static const char body[] = "15\r\n\x1f\x8b\x08\0\0\0\0\0\x02\x03\xab\0\0\x83\x16\xdc\x8c\x01\0\0\0\r\n0\r\n\r\n";
	char head[256];
	snprintf(
	    head, sizeof(head), "HTTP/1.1 200 OK\r\ntransfer-encoding: %.*s\r\n\r\n", (int)strcspn(argument, " ?"), argument);
	return put_text(fd, head) && put(fd, body, sizeof(body) - 1);
}

static bool
answer_close(int fd, const char *argument)
{
	(void)fd;
	(void)argument;
	return false;
}

static bool
answer_garbage(int fd, const char *argument)
{
	(void)argument;
	put_text(fd, "220 mail.example ESMTP\r\n");
	return false;
}

/* Each function returns whether the connection stays open. */
static const struct {
	const char *path;
	bool (*answer)(int fd, const char *argument);
} answers[] = {
	{ "/status/", answer_status },
	{ "/last", answer_last },
	{ "/body/", answer_body },
	{ "/continue", answer_continue },
	{ "/hang", answer_hang },
	{ "/half", answer_half },
	{ "/endless", answer_endless },
	{ "/extension", answer_extension },
	{ "/headers", answer_headers },
	{ "/partial", answer_partial },
	{ "/encoded/", answer_encoded },
	{ "/close", answer_close },
	{ "/garbage", answer_garbage },
};

static bool
answer(int fd, const char *request)
{
	const char *path = strchr(request, ' ');
	for (size_t i = 0; path != NULL && i < sizeof(answers) / sizeof(answers[0]); i++)
		if (strncmp(path + 1, answers[i].path, strlen(answers[i].path)) == 0)
			return answers[i].answer(fd, path + 1 + strlen(answers[i].path));
	return false;
}

/* Reads one complete request. Returns its size, 0 at the end of the connection. */
static size_t
read_request(int fd, char *request)
{
	size_t size = 0, wanted = 0;
	while (wanted == 0 || size < wanted) {
		ssize_t got = recv(fd, request + size, REQUEST_MAX - 1 - size, 0);
		if (got <= 0)
			return 0;
		size += (size_t)got;
		request[size] = '\0';
		const char *end = strstr(request, "\r\n\r\n"), *length = strcasestr(request, "\r\nContent-Length: ");
		if (end != NULL)
			wanted = (size_t)(end + 4 - request) + (length == NULL ? 0 : strtoul(length + 18, NULL, 10));
	}
	return size;
}

static void *
serve(void *context)
{
	int fd = (int)(intptr_t)context;
	char *request = malloc(REQUEST_MAX);
	size_t size;
	while (request != NULL && (size = read_request(fd, request)) > 0) {
		memcpy(last_request, request, size + 1);
		atomic_fetch_add(&requests, 1);
		if (!answer(fd, request))
			break;
	}
	free(request);
	close(fd);
	return NULL;
}

static void *
accept_all(void *context)
{
	int listener = (int)(intptr_t)context, fd;
	while ((fd = accept(listener, NULL, NULL)) >= 0) {
		pthread_t thread;
		atomic_fetch_add(&connections, 1);
		if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)fd) == 0)
			pthread_detach(thread);
	}
	return NULL;
}

int
receiver_start(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	pthread_t thread;
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 64) != 0 ||
	    getsockname(listener, (struct sockaddr *)&address, &size) != 0 ||
	    pthread_create(&thread, NULL, accept_all, (void *)(intptr_t)listener) != 0)
		abort();
	pthread_detach(thread);
	return ntohs(address.sin_port);
}

unsigned
receiver_connections(void)
{
	return atomic_load(&connections);
}

unsigned
receiver_requests(void)
{
	return atomic_load(&requests);
}

void
receiver_reset(void)
{
	atomic_store(&connections, 0);
	atomic_store(&requests, 0);
}

const char *
receiver_last_request(void)
{
	return last_request;
}
