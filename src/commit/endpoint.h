/* SPDX-License-Identifier: MIT
 * Where responders meet the committer: a socket that the parent of both opens, so that it is there whoever of them is. */
#ifndef LEADHOOK_COMMIT_ENDPOINT_H
#define LEADHOOK_COMMIT_ENDPOINT_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/attributes.h"

struct endpoint {
	int fd; /* listens; non-blocking and close-on-exec; -1: closed */
	struct sockaddr_un address;
	socklen_t address_size;
};

/* An abstract unix socket whose name the kernel chooses: there is no file that could stay. False (logged) when it cannot. */
MUST_CHECK bool endpoint_open(struct endpoint *endpoint);
/* In whoever does not accept on it: with the last one closed connections are refused. The address stays. */
void endpoint_close(struct endpoint *endpoint);
/* A non-blocking connection, or -1 with errno set. Anybody here may try an abstract name, so both ends look whom they have:
 * EACCES when it is another account. ECONNREFUSED: nobody has it open any more. */
MUST_CHECK int endpoint_connect(const struct endpoint *endpoint);
MUST_CHECK bool endpoint_peer_is_ours(int fd);

#endif
