/* SPDX-License-Identifier: MIT */
#include "commit/endpoint.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "os/log.h"

bool
endpoint_open(struct endpoint *endpoint)
{
	*endpoint = (struct endpoint){ .address.sun_family = AF_UNIX, .address_size = sizeof(endpoint->address) };
	struct sockaddr *address = (struct sockaddr *)&endpoint->address;
	endpoint->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (endpoint->fd >= 0 && bind(endpoint->fd, address, offsetof(struct sockaddr_un, sun_path)) == 0 &&
	    getsockname(endpoint->fd, address, &endpoint->address_size) == 0 && listen(endpoint->fd, SOMAXCONN) == 0)
		return true;
	log_error("committer_socket_failed", LOG_ERRNO(errno));
	endpoint_close(endpoint);
	return false;
}

void
endpoint_close(struct endpoint *endpoint)
{
	if (endpoint->fd >= 0)
		close(endpoint->fd);
	endpoint->fd = -1;
}

bool
endpoint_peer_is_ours(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);
	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

int
endpoint_connect(const struct endpoint *endpoint)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), number = EACCES;
	if (fd < 0)
		return -1;
	if (connect(fd, (const struct sockaddr *)&endpoint->address, endpoint->address_size) != 0)
		number = errno;
	else if (endpoint_peer_is_ours(fd))
		return fd;
	close(fd);
	errno = number;
	return -1;
}
