/* SPDX-License-Identifier: MIT */
#include "base/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"

enum { PAUSE_MS = 10 };

static bool
lock_in_time(int fd)
{
	const int64_t end_ms = clock_monotonic_ms() + DIRECTORY_LOCK_WAIT_MS;
	while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return false;
		if (clock_monotonic_ms() >= end_ms) {
			errno = ETIMEDOUT;
			return false;
		}
		poll(NULL, 0, PAUSE_MS);
	}
	return true;
}

int
directory_lock(const char *path)
{
	const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || lock_in_time(fd))
		return fd;
	const int number = errno;
	close(fd);
	errno = number;
	return -1;
}

bool
directory_is_ours(int fd)
{
	struct stat status;
	return fstat(fd, &status) == 0 && (status.st_uid == geteuid() || status.st_uid == 0) &&
	       (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}
