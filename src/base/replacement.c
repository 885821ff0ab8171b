/* SPDX-License-Identifier: MIT */
#include "base/replacement.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/pool.h"

enum { SUFFIX_MAX = 32 };

static char *
copy(struct slice text, const char *suffix)
{
	const size_t size = strlen(suffix);
	char *out = memory_alloc(text.size + size + 1);
	memcpy(out, text.data, text.size);
	memcpy(out + text.size, suffix, size + 1);
	return out;
}

static void
free_all(struct replacement *replacement)
{
	free(replacement->path);
	free(replacement->folder);
	free(replacement->new_path);
	*replacement = (struct replacement){ .fd = -1 };
}

/* The link in /proc to an open file. */
static void
descriptor_path(int fd, char out[SUFFIX_MAX])
{
	snprintf(out, SUFFIX_MAX, "/proc/self/fd/%d", fd);
}

static int
open_unnamed(const char *folder)
{
	char path[SUFFIX_MAX];
	const int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR);
	if (fd < 0)
		return -1;
	descriptor_path(fd, path);
	if (access(path, F_OK) == 0)
		return fd;
	close(fd);
	return -1;
}

/* The name has the process id: what has it is left from a process that is gone. */
static int
open_named(const char *path)
{
	unlink(path);
	return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
}

static int
begin(struct replacement *replacement, struct slice all)
{
	const size_t stroke = slice_find_last(all, '/');
	const struct slice folder = stroke == all.size ? SLICE(".") : stroke == 0 ? SLICE("/") : slice_sub(all, 0, stroke);
	char suffix[SUFFIX_MAX];
	snprintf(suffix, sizeof(suffix), ".new-%ld", (long)getpid());
	*replacement = (struct replacement){ copy(all, ""), copy(folder, ""), copy(all, suffix), -1, false };
	replacement->fd = open_unnamed(replacement->folder);
	replacement->named = replacement->fd < 0;
	if (replacement->named)
		replacement->fd = open_named(replacement->new_path);
	if (replacement->fd >= 0)
		return 0;
	const int number = errno;
	free_all(replacement);
	return number;
}

int
replacement_begin(struct replacement *replacement, const char *path)
{
	char *target = realpath(path, NULL); /* NULL: there is no file yet, or what it links to */
	const int number = begin(replacement, slice_of(target == NULL ? path : target));
	free(target);
	return number;
}

static bool
give_name(const struct replacement *replacement)
{
	char path[SUFFIX_MAX];
	if (replacement->named)
		return true;
	descriptor_path(replacement->fd, path);
	unlink(replacement->new_path);
	return linkat(AT_FDCWD, path, AT_FDCWD, replacement->new_path, AT_SYMLINK_FOLLOW) == 0;
}

static bool
take_attributes(const struct replacement *replacement, mode_t mode)
{
	struct stat before;
	if (stat(replacement->path, &before) != 0)
		return fchmod(replacement->fd, mode) == 0;
	mode_t same = before.st_mode & (mode_t)~S_IFMT;
	/* a group that it cannot have must not leave rights to another */
	if (fchown(replacement->fd, before.st_uid, before.st_gid) != 0) {
		if (before.st_uid != geteuid())
			return false;
		same &= (mode_t)~S_IRWXG;
	}
	return fchmod(replacement->fd, same) == 0;
}

/* After a power failure the file is the old or the new one. */
static bool
sync_folder(const char *folder)
{
	const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const bool synced = fd >= 0 && fsync(fd) == 0;
	if (fd >= 0)
		close(fd);
	return synced;
}

int
replacement_finish(struct replacement *replacement, mode_t mode)
{
	bool good = take_attributes(replacement, mode) && fsync(replacement->fd) == 0 && give_name(replacement);
	int number = good ? 0 : errno;
	close(replacement->fd);
	if (good && rename(replacement->new_path, replacement->path) != 0) {
		number = errno;
		good = false;
	}
	if (!good)
		unlink(replacement->new_path); /* where it has a name already */
	else if (!sync_folder(replacement->folder))
		number = errno;
	free_all(replacement);
	return number;
}

void
replacement_abandon(struct replacement *replacement)
{
	close(replacement->fd);
	if (replacement->named)
		unlink(replacement->new_path);
	free_all(replacement);
}

int
write_fully(int fd, struct slice bytes)
{
	while (bytes.size > 0) {
		const ssize_t written = write(fd, bytes.data, bytes.size);
		if (written < 0 && errno != EINTR)
			return errno;
		bytes = slice_sub(bytes, written > 0 ? (size_t)written : 0, bytes.size);
	}
	return 0;
}

int
replace_file(const char *path, struct slice bytes, mode_t mode)
{
	struct replacement replacement;
	int number = replacement_begin(&replacement, path);
	if (number != 0)
		return number;
	number = write_fully(replacement.fd, bytes);
	if (number == 0)
		return replacement_finish(&replacement, mode);
	replacement_abandon(&replacement);
	return number;
}
