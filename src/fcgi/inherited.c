/* SPDX-License-Identifier: MIT */
#include "fcgi/inherited.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/slice.h"
#include "os/descriptors.h"

enum { LISTEN_FDS_START = 3 }; /* sd_listen_fds(3) */

static bool
announced(void)
{
	uint64_t pid, count;
	return slice_to_u64(slice_of(getenv("LISTEN_PID")), INT32_MAX, &pid) && pid == (uint64_t)getpid() &&
	       slice_to_u64(slice_of(getenv("LISTEN_FDS")), INT32_MAX, &count) && count > 0;
}

static bool
is_listening(int fd)
{
	int listening = 0;
	socklen_t size = sizeof(listening);
	return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) == 0 && listening != 0;
}

bool
fcgi_socket_is_inherited(void)
{
	return is_listening(announced() ? LISTEN_FDS_START : STDIN_FILENO);
}

int
inherited_socket(void)
{
	int fd = announced() ? LISTEN_FDS_START : STDIN_FILENO;
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
	if (!is_listening(fd) || fcntl(fd, F_SETFD, FD_CLOEXEC) != 0)
		return -1;
	return fd;
}

void
fcgi_tidy_descriptors(void)
{
	descriptors_fill();
	close_range(announced() ? LISTEN_FDS_START + 1 : STDERR_FILENO + 1, ~0U, 0);
}
