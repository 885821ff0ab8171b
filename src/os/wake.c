/* SPDX-License-Identifier: MIT */
#include "os/wake.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/pool.h"
#include "os/clock.h"
#include "os/descriptors.h"
#include "os/log.h"

enum { DRAIN_MAX = 256, RETRY_MS = 1000 };

struct address {
	struct sockaddr_un name;
	socklen_t size;
};

struct wake_sender {
	const char *path;
	int socket; /* -1: none */
	struct address address;
	bool is_found;    /* the socket with `address` may be open */
	int64_t retry_ms; /* the file is not searched for again before this time */
};

/* Returns false, with errno set, when there is no such file. */
static bool
find_address(const char *path, struct address *address)
{
	struct stat status;
	if (stat(path, &status) != 0)
		return false;
	address->name = (struct sockaddr_un){ .sun_family = AF_UNIX };
	/* a zero byte in front makes it abstract */
	const int size = snprintf(address->name.sun_path + 1, sizeof(address->name.sun_path) - 1, "leadhook-wake-%jx-%jx",
	    (uintmax_t)status.st_dev, (uintmax_t)status.st_ino);
	address->size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)size);
	return true;
}

static int
open_socket(void)
{
	return socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

int
wake_open(const char *path)
{
	struct address address;
	const int fd = open_socket();
	if (fd >= 0 && find_address(path, &address) && bind(fd, (struct sockaddr *)&address.name, address.size) == 0)
		return fd;
	log_warning("no_wake_socket", LOG_STR("path", path), LOG_ERRNO(errno),
	    LOG_STR("consequence", "deliveries wait for the next poll"));
	descriptor_close(fd);
	return -1;
}

void
wake_drain(int socket)
{
	char byte;
	for (int i = 0; socket >= 0 && i < DRAIN_MAX && recv(socket, &byte, sizeof(byte), 0) >= 0; i++)
		;
}

struct wake_sender *
wake_sender_new(const char *path)
{
	struct wake_sender *sender = memory_alloc(sizeof(*sender));
	sender->path = path;
	sender->socket = open_socket();
	return sender;
}

void
wake_sender_free(struct wake_sender **sender)
{
	if (*sender == NULL)
		return;
	descriptor_close((*sender)->socket);
	free(*sender);
	*sender = NULL;
}

static bool
find_receiver(struct wake_sender *sender)
{
	const int64_t now_ms = clock_monotonic_ms();
	if (now_ms < sender->retry_ms)
		return false;
	sender->retry_ms = now_ms + RETRY_MS;
	return find_address(sender->path, &sender->address);
}

void
wake_send(struct wake_sender *sender)
{
	if (sender == NULL || sender->socket < 0 || (!sender->is_found && !find_receiver(sender)))
		return;
	const ssize_t sent =
	    sendto(sender->socket, "", 1, 0, (const struct sockaddr *)&sender->address.name, sender->address.size);
	/* EAGAIN: enough wakes are waiting there */
	sender->is_found = sent >= 0 || errno == EAGAIN;
}
