/* SPDX-License-Identifier: MIT */
#include "os/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/pool.h"
#include "os/clock.h"
#include "os/descriptors.h"

enum { PAUSE_MS = 10 };

static bool
lock_in_time(int fd)
{
	const int64_t end_ms = clock_monotonic_ms() + FOLDER_LOCK_WAIT_MS;
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
folder_lock(const char *path)
{
	const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || lock_in_time(fd))
		return fd;
	return descriptor_close(fd);
}

static bool
belongs_to(const struct stat *folder, uid_t account)
{
	return (folder->st_uid == account || folder->st_uid == 0) && (folder->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool
folder_is_ours(int fd)
{
	struct stat status;
	return fstat(fd, &status) == 0 && belongs_to(&status, geteuid());
}

bool
folder_admits(const struct stat *folder, const struct stat *file, uid_t account)
{
	return file->st_uid == account || file->st_uid == 0 || file->st_uid == folder->st_uid || belongs_to(folder, account);
}

int
folder_of(const char *path, const char **name)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash == NULL ? NULL : strndup(path, (size_t)(slash - path) + 1);
	if (slash != NULL && folder == NULL)
		memory_exhausted();
	*name = slash == NULL ? path : slash + 1;
	const int fd = open(slash == NULL ? "." : folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	const int number = errno;
	free(folder);
	errno = number;
	return fd;
}

int
folder_open_file(const char *path, int flags)
{
	const char *name;
	struct stat status, file;
	const int folder = folder_of(path, &name);
	if (folder < 0 || fstat(folder, &status) != 0)
		return descriptor_close(folder);
	flags |= O_CLOEXEC | O_NONBLOCK | (belongs_to(&status, geteuid()) ? 0 : O_NOFOLLOW);
	const int fd = openat(folder, name, flags, 0640);
	descriptor_close(folder);
	if (fd < 0 || fstat(fd, &file) != 0)
		return descriptor_close(fd);
	if (folder_admits(&status, &file, geteuid()))
		return fd;
	errno = EPERM;
	return descriptor_close(fd);
}
