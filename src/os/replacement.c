/* SPDX-License-Identifier: MIT */
#include "os/replacement.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "os/descriptors.h"
#include "os/folder.h"

enum { LINKS_MAX = 40, DESCRIPTOR_PATH_SIZE = 32 };

/* ---- where the file is ---- */

static bool
set_name(struct replacement *replacement, const char *name, size_t size)
{
	errno = size == 0 ? EISDIR : ENAMETOOLONG;
	if (size == 0 || size > NAME_MAX)
		return false;
	memcpy(replacement->name, name, size);
	replacement->name[size] = '\0';
	return true;
}

/* /dev/stdout leads there. Its links stand for open files, which may have no path. */
static bool
is_proc(int folder)
{
	struct statfs about;
	return fstatfs(folder, &about) == 0 && about.f_type == PROC_SUPER_MAGIC;
}

/* Enters a folder. Returns EAGAIN, or another errno value. */
static int
enter(struct replacement *replacement, const char *name, int flags)
{
	const int at = replacement->folder;
	replacement->folder = openat(at, name, O_PATH | O_DIRECTORY | O_CLOEXEC | flags);
	const int number = replacement->folder < 0 ? errno : EAGAIN;
	descriptor_close(at);
	return number;
}

static size_t
strokes(const char *path)
{
	return strspn(path, "/");
}

static void
cut(char *path, size_t size)
{
	memmove(path, path + size, strlen(path + size) + 1);
}

/* Replaces the first name of the path with the contents of a link. */
static int
follow(char path[PATH_MAX], size_t name_size, const char *target, size_t size)
{
	const size_t rest = strlen(path + name_size) + 1;
	if (size + rest > PATH_MAX)
		return ENAMETOOLONG;
	memmove(path + size, path + name_size, rest);
	memcpy(path, target, size);
	return EAGAIN;
}

/* Moves on by one name of the path. Returns 0 at the name of the file, EAGAIN before it, or another errno value. */
static int
step(struct replacement *replacement, char path[PATH_MAX], unsigned *links)
{
	char target[PATH_MAX];
	const int folder = replacement->folder;
	const size_t size = strcspn(path, "/");
	if (*path == '/') {
		cut(path, strokes(path));
		return enter(replacement, "/", 0);
	}
	if (!set_name(replacement, path, size))
		return errno;
	const bool is_ours = folder_is_ours(folder), in_proc = is_proc(folder);
	const ssize_t found = in_proc ? -1 : readlinkat(folder, replacement->name, target, sizeof(target));
	if (found >= 0)
		return is_ours && ++*links <= LINKS_MAX ? follow(path, size, target, (size_t)found) : ELOOP;
	if (path[size] == '\0')
		return 0;
	cut(path, size + strokes(path + size));
	return enter(replacement, replacement->name, is_ours && in_proc ? 0 : O_NOFOLLOW);
}

/* A link of another account is never followed, wherever it is in the path. */
static int
find(struct replacement *replacement, const char *given)
{
	char path[PATH_MAX];
	const size_t size = strlen(given) + 1;
	unsigned links = 0;
	if (size > sizeof(path))
		return ENAMETOOLONG;
	memcpy(path, given, size);
	replacement->folder = AT_FDCWD;
	int number = enter(replacement, ".", 0);
	while (number == EAGAIN)
		number = step(replacement, path, &links);
	if (number == 0)
		snprintf(replacement->new_name, sizeof(replacement->new_name), "%s.new-%ld", replacement->name, (long)getpid());
	return number;
}

/* ---- the new file ---- */

/* The link in /proc to an open file. */
static void
descriptor_path(int fd, char out[DESCRIPTOR_PATH_SIZE])
{
	snprintf(out, DESCRIPTOR_PATH_SIZE, "/proc/self/fd/%d", fd);
}

static int
open_unnamed(int folder)
{
	char path[DESCRIPTOR_PATH_SIZE];
	const int fd = openat(folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR);
	if (fd < 0)
		return -1;
	descriptor_path(fd, path);
	if (access(path, F_OK) == 0)
		return fd;
	close(fd);
	return -1;
}

/* The name contains the process id: a file with this name was left by a process that is gone. */
static int
open_named(const struct replacement *replacement)
{
	unlinkat(replacement->folder, replacement->new_name, 0);
	return openat(replacement->folder, replacement->new_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
}

static bool
give_name(struct replacement *replacement)
{
	char path[DESCRIPTOR_PATH_SIZE];
	descriptor_path(replacement->fd, path);
	if (!replacement->named) {
		unlinkat(replacement->folder, replacement->new_name, 0);
		replacement->named = linkat(AT_FDCWD, path, replacement->folder, replacement->new_name, AT_SYMLINK_FOLLOW) == 0;
	}
	return replacement->named;
}

static int
take_attributes(int fd, const struct stat *old, mode_t mode)
{
	mode_t same = old->st_mode & (mode_t)~S_IFMT;
	if (fchown(fd, old->st_uid, old->st_gid) != 0) {
		if (old->st_uid != geteuid())
			return fchmod(fd, mode);
		same &= (mode_t)~S_IRWXG; /* if the group cannot be set, its rights must not go to another group */
	}
	return fchmod(fd, same);
}

/* `old`: the file that has the name; NULL: none. */
static int
open_new(struct replacement *replacement, const struct stat *old, mode_t mode)
{
	replacement->fd = open_unnamed(replacement->folder);
	replacement->named = replacement->fd < 0;
	if (replacement->named)
		replacement->fd = open_named(replacement);
	if (replacement->fd < 0)
		return errno;
	/* in others' directories, they could replace one of our files with another */
	const bool keeps = old != NULL && folder_is_ours(replacement->folder);
	return (keeps ? take_attributes(replacement->fd, old, mode) : fchmod(replacement->fd, mode)) == 0 ? 0 : errno;
}

static int
open_in_place(struct replacement *replacement, int flags)
{
	if (!folder_is_ours(replacement->folder))
		return EPERM;
	replacement->fd = openat(replacement->folder, replacement->name, O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC | flags);
	if (replacement->fd < 0)
		return errno;
	close(replacement->folder);
	replacement->folder = -1;
	return 0;
}

static int
open_file(struct replacement *replacement, mode_t mode)
{
	struct stat old;
	if (is_proc(replacement->folder))
		return open_in_place(replacement, 0);
	if (fstatat(replacement->folder, replacement->name, &old, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? open_new(replacement, NULL, mode) : errno;
	if (S_ISDIR(old.st_mode))
		return EISDIR;
	return S_ISREG(old.st_mode) ? open_new(replacement, &old, mode) : open_in_place(replacement, O_NOFOLLOW);
}

int
replacement_begin(struct replacement *replacement, const char *path, mode_t mode)
{
	*replacement = (struct replacement){ .fd = -1, .folder = -1 };
	int number = find(replacement, path);
	if (number == 0)
		number = open_file(replacement, mode);
	if (number != 0)
		replacement_abandon(replacement);
	return number;
}

/* After a power failure, the file is either the old or the new one. */
static bool
sync_folder(int folder)
{
	const int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const bool synced = fd >= 0 && fsync(fd) == 0;
	descriptor_close(fd);
	return synced;
}

static bool
put_in_place(struct replacement *replacement)
{
	if (fsync(replacement->fd) != 0 || !give_name(replacement) ||
	    renameat(replacement->folder, replacement->new_name, replacement->folder, replacement->name) != 0)
		return false;
	replacement->named = false; /* it no longer has the new name */
	return sync_folder(replacement->folder);
}

int
replacement_finish(struct replacement *replacement)
{
	const bool good = replacement->folder < 0 || put_in_place(replacement);
	const int number = good ? 0 : errno;
	replacement_abandon(replacement);
	return number;
}

void
replacement_abandon(struct replacement *replacement)
{
	if (replacement->named && replacement->fd >= 0)
		unlinkat(replacement->folder, replacement->new_name, 0);
	descriptor_close(replacement->fd);
	descriptor_close(replacement->folder);
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
	int number = replacement_begin(&replacement, path, mode);
	if (number != 0)
		return number;
	number = write_fully(replacement.fd, bytes);
	if (number == 0)
		return replacement_finish(&replacement);
	replacement_abandon(&replacement);
	return number;
}
