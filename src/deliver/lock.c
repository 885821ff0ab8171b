/* SPDX-License-Identifier: MIT */
#include "deliver/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/encode.h"
#include "base/log.h"
#include "base/pool.h"

enum { HEX_SIZE = 2 * LOCK_OWNER_SIZE };

struct lock {
	int fd;
	const char *path;
	bool has_previous;
	unsigned char previous[LOCK_OWNER_SIZE];
};

/* An empty or incomplete file has no id. */
static void
read_previous(struct lock *lock)
{
	char text[HEX_SIZE];
	struct slice id;
	if (pread(lock->fd, text, sizeof(text), 0) != (ssize_t)sizeof(text))
		return;
	struct pool *pool = pool_new();
	if (decode_hex(pool, (struct slice){ text, sizeof(text) }, &id)) {
		memcpy(lock->previous, id.data, sizeof(lock->previous));
		lock->has_previous = true;
	}
	pool_free(&pool);
}

/* True if the file is empty or has all or part of what lock_set_owner writes. Any other file is not ours and is not
 * overwritten. */
static bool
is_lock_file(int fd)
{
	static const char ours[] = "0123456789abcdef"; /* and the terminating zero */
	char text[HEX_SIZE + 2];
	struct stat status;
	const ssize_t size = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? pread(fd, text, sizeof(text), 0) : -1;
	for (ssize_t i = 0; i < size; i++)
		if (memchr(ours, text[i], sizeof(ours)) == NULL && !(i == HEX_SIZE && text[i] == '\n'))
			return false;
	return size >= 0 && size <= HEX_SIZE + 1;
}

/* Logs a hint. After a run as root the file belongs to root, and the account of the cron job cannot open it. */
static void
log_cannot_lock(const char *path, int number)
{
	const char *hint = "set dispatch.lock_file to another path";
	if (number == EACCES && access(path, F_OK) == 0)
		hint = "remove the file, or run as the account that it belongs to";
	else if (number == EACCES)
		hint = "let this account write to the directory, or set dispatch.lock_file";
	else if (number == ENOENT)
		hint = "make the directory, or set dispatch.lock_file";
	log_error("cannot_lock", LOG_STR("path", path), LOG_ERRNO(number), LOG_STR("hint", hint));
}

enum result
lock_take(const char *path, struct lock **lock)
{
	/* The lock belongs to the open file description, not to the process: closing another descriptor of the file does not
	 * release it (fcntl(2)). */
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640);
	if (fd < 0 || fcntl(fd, F_OFD_SETLK, &whole) != 0) {
		bool taken = fd >= 0 && (errno == EAGAIN || errno == EACCES);
		if (!taken)
			log_cannot_lock(path, errno);
		if (fd >= 0)
			close(fd);
		return taken ? RESULT_CONFLICT : RESULT_FAILED;
	}
	if (!is_lock_file(fd)) {
		log_error("not_a_lock_file", LOG_STR("path", path), LOG_STR("hint", "remove it, or set dispatch.lock_file"));
		close(fd);
		return RESULT_FAILED;
	}
	*lock = memory_alloc(sizeof(**lock));
	(*lock)->fd = fd;
	(*lock)->path = path;
	read_previous(*lock);
	return RESULT_OK;
}

void
lock_free(struct lock **lock)
{
	if (*lock == NULL)
		return;
	close((*lock)->fd);
	free(*lock);
	*lock = NULL;
}

bool
lock_previous_owner(const struct lock *lock, unsigned char owner[LOCK_OWNER_SIZE])
{
	if (lock->has_previous)
		memcpy(owner, lock->previous, LOCK_OWNER_SIZE);
	return lock->has_previous;
}

void
lock_set_owner(struct lock *lock, const unsigned char owner[LOCK_OWNER_SIZE])
{
	struct pool *pool = pool_new();
	struct slice text =
	    pool_printf(pool, "%.*s\n", SLICE_ARGS(encode_hex(pool, (struct slice){ (const char *)owner, LOCK_OWNER_SIZE })));
	/* Overwrites the old id in one write: after a crash the file has one of the two. */
	if (pwrite(lock->fd, text.data, text.size, 0) != (ssize_t)text.size)
		log_warning("cannot_write_lock", LOG_STR("path", lock->path), LOG_ERRNO(errno));
	pool_free(&pool);
}

void
lock_clear_owner(struct lock *lock)
{
	if (ftruncate(lock->fd, 0) != 0)
		log_warning("cannot_write_lock", LOG_STR("path", lock->path), LOG_ERRNO(errno));
}
