/* SPDX-License-Identifier: MIT
 * The socket of the committer. The parent opens it, so that it exists while responders and committers are replaced. */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/attributes.h"

struct endpoint {
	int fd; /* listening, non-blocking, close-on-exec; -1: closed */
	struct sockaddr_un address;
	socklen_t address_size;
};

/* Opens an abstract unix socket whose name the kernel chooses, so that no file is left over. Logs a failure. */
MUST_CHECK bool endpoint_open(struct endpoint *endpoint);
/* For processes that do not accept connections. Once all have closed it, connections are refused. The address stays valid. */
void endpoint_close(struct endpoint *endpoint);
/* Returns a non-blocking connection, or -1 with errno set. Every user of the host can connect to an abstract name, so both ends
 * verify their peer. EACCES: the peer runs as another user. ECONNREFUSED: no process has the socket open. */
MUST_CHECK int endpoint_connect(const struct endpoint *endpoint);
MUST_CHECK bool endpoint_peer_is_ours(int fd);
