/* SPDX-License-Identifier: MIT */
#include "base/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/pool.h"

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

int
directory_of(int at, const char *path, const char **name)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash == NULL ? NULL : strndup(path, (size_t)(slash - path) + 1);
	if (slash != NULL && folder == NULL)
		memory_exhausted();
	*name = slash == NULL ? path : slash + 1;
	const int fd = openat(at, slash == NULL ? "." : folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	const int number = errno;
	free(folder);
	errno = number;
	return fd;
}

bool
directory_is_ours(int fd)
{
	struct stat status;
	return fstat(fd, &status) == 0 && (status.st_uid == geteuid() || status.st_uid == 0) &&
	       (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}
