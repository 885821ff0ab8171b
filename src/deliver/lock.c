/* SPDX-License-Identifier: MIT */
#include "deliver/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/panic.h"
#include "os/folder.h"
#include "os/log.h"

/* ---- the file ---- */

#define MAGIC "leadhook-dispatch lock 1\n"

/* Delivery 0: the place is unused. The id is written last: until then, the place counts as unused. */
struct place {
	_Atomic uint64_t delivery_id;
	_Atomic uint32_t attempt, attempts_before;
};

struct content {
	char magic[32];
	unsigned char owner[DISPATCH_OWNER_SIZE]; /* zeros: none */
	struct place under_way[];
};

/* More slots than a dispatcher has when dispatch.in_flight is at its maximum. */
enum { PLACES_MAX = 32768 };

static size_t
size_with(size_t places)
{
	return sizeof(struct content) + places * sizeof(struct place);
}

static size_t
places_in(size_t size)
{
	const size_t places = size < sizeof(struct content) ? 0 : (size - sizeof(struct content)) / sizeof(struct place);
	return places < PLACES_MAX ? places : PLACES_MAX;
}

struct lock {
	int fd;
	struct content *content;
	size_t places, mapped_places; /* our places; the mapped ones, more if a predecessor had more */
	bool has_previous;
	struct lock_previous previous;
};

enum file_kind { FILE_NEW, FILE_OURS, FILE_FOREIGN };

/* A new file is empty; it has only zeros if the process that created it was killed. Any other file without our magic is not
 * overwritten. */
static enum file_kind
kind_of(int fd, const struct stat *status)
{
	struct content content;
	const char *bytes = (const char *)&content;
	if (!S_ISREG(status->st_mode))
		return FILE_FOREIGN;
	const ssize_t size = pread(fd, &content, sizeof(content), 0);
	if (size == (ssize_t)sizeof(content) && memcmp(content.magic, MAGIC, sizeof(MAGIC)) == 0)
		return FILE_OURS;
	for (ssize_t i = 0; i < size; i++)
		if (bytes[i] != '\0')
			return FILE_FOREIGN;
	return size < 0 ? FILE_FOREIGN : FILE_NEW;
}

/* ---- taking it ---- */

static void
read_previous(struct lock *lock, size_t places)
{
	static const unsigned char none[DISPATCH_OWNER_SIZE];
	struct lock_previous *previous = &lock->previous;
	lock->has_previous = memcmp(lock->content->owner, none, sizeof(none)) != 0;
	memcpy(previous->owner, lock->content->owner, sizeof(previous->owner));
	previous->under_way = memory_alloc((places + 1) * sizeof(*previous->under_way));
	for (size_t i = 0; lock->has_previous && i < places; i++) {
		const struct place *place = &lock->content->under_way[i];
		if (place->delivery_id != 0)
			previous->under_way[previous->count++] = (struct interrupted_delivery){
				.id = place->delivery_id, .attempt = place->attempt, .attempts_before = place->attempts_before
			};
	}
}

/* The blocks are allocated now: without space for them, a write to the mapping would end the process. */
static bool
map(struct lock *lock, size_t places_before)
{
	lock->mapped_places = lock->places > places_before ? lock->places : places_before;
	const size_t size = size_with(lock->mapped_places);
	errno = posix_fallocate(lock->fd, 0, (off_t)size);
	if (errno != 0)
		return false;
	void *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, lock->fd, 0);
	if (mapped == MAP_FAILED)
		return false;
	lock->content = mapped;
	/* a child would hold the lock, too */
	return madvise(mapped, size, MADV_DONTFORK) == 0;
}

/* Logs a hint. After a run as root the file belongs to root, and the account of the cron job cannot open it. In a folder where
 * other users can create files, their files are refused (EPERM): its owner could hold the lock, and could truncate the mapped
 * file. */
static void
log_cannot_lock(const char *path, int number)
{
	const char *hint = "set dispatch.lock_file to another path";
	if (number == EPERM || (number == EACCES && access(path, F_OK) == 0))
		hint = "remove the file, or run as the account that it belongs to";
	else if (number == EACCES)
		hint = "let this account write to the directory, or set dispatch.lock_file";
	else if (number == ENOENT)
		hint = "make the directory, or set dispatch.lock_file";
	else if (number == ENOSPC || number == EDQUOT)
		hint = "free disk space, or set dispatch.lock_file";
	log_error("cannot_lock", LOG_STR("path", path), LOG_ERRNO(number), LOG_STR("hint", hint));
}

static enum result
open_locked(const char *path, int *fd)
{
	/* The lock belongs to the open file description, not to the process: closing another descriptor of the file does not
	 * release it (fcntl(2)). */
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	*fd = folder_open_file(path, O_RDWR | O_CREAT | O_NOFOLLOW);
	if (*fd >= 0 && fcntl(*fd, F_OFD_SETLK, &whole) == 0)
		return RESULT_OK;
	if (*fd >= 0 && (errno == EAGAIN || errno == EACCES))
		return RESULT_CONFLICT;
	log_cannot_lock(path, errno);
	return RESULT_FAILED;
}

static enum result
map_content(struct lock *lock, const char *path)
{
	struct stat status;
	enum file_kind kind = fstat(lock->fd, &status) == 0 ? kind_of(lock->fd, &status) : FILE_FOREIGN;
	if (kind == FILE_FOREIGN) {
		log_error("not_a_lock_file", LOG_STR("path", path), LOG_STR("hint", "remove it, or set dispatch.lock_file"));
		return RESULT_FAILED;
	}
	const size_t places_before = kind == FILE_OURS ? places_in((size_t)status.st_size) : 0;
	if (!map(lock, places_before)) {
		log_cannot_lock(path, errno);
		return RESULT_FAILED;
	}
	if (kind == FILE_NEW)
		memset(lock->content, 0, sizeof(*lock->content));
	read_previous(lock, places_before);
	memcpy(lock->content->magic, MAGIC, sizeof(MAGIC));
	return RESULT_OK;
}

enum result
lock_take(const char *path, size_t under_way, struct lock **lock)
{
	require(under_way <= PLACES_MAX);
	struct lock *taken = memory_alloc(sizeof(*taken));
	taken->places = under_way;
	enum result result = open_locked(path, &taken->fd);
	if (result == RESULT_OK)
		result = map_content(taken, path);
	if (result != RESULT_OK)
		lock_free(&taken);
	*lock = taken;
	return result;
}

void
lock_free(struct lock **lock)
{
	if (*lock == NULL)
		return;
	if ((*lock)->content != NULL)
		munmap((*lock)->content, size_with((*lock)->mapped_places));
	if ((*lock)->fd >= 0)
		close((*lock)->fd);
	free((*lock)->previous.under_way);
	free(*lock);
	*lock = NULL;
}

const struct lock_previous *
lock_previous(const struct lock *lock)
{
	return lock->has_previous ? &lock->previous : NULL;
}

/* The old notes are removed while there is no owner, so that they are never mistaken for those of the new owner. */
void
lock_set_owner(struct lock *lock, const unsigned char owner[DISPATCH_OWNER_SIZE])
{
	lock_clear_owner(lock);
	memset(lock->content->under_way, 0, lock->mapped_places * sizeof(struct place));
	atomic_thread_fence(memory_order_seq_cst);
	memcpy(lock->content->owner, owner, DISPATCH_OWNER_SIZE);
	lock->has_previous = false;
}

void
lock_clear_owner(struct lock *lock)
{
	memset(lock->content->owner, 0, DISPATCH_OWNER_SIZE);
	atomic_thread_fence(memory_order_seq_cst);
}

/* ---- what is under way ---- */

void
lock_note_attempt(struct lock *lock, size_t place, const struct due_delivery *delivery)
{
	require(place < lock->places);
	lock->content->under_way[place].attempt = delivery->attempt;
	lock->content->under_way[place].attempts_before = delivery->attempts_before;
	lock->content->under_way[place].delivery_id = delivery->id;
}

void
lock_note_recorded(struct lock *lock, size_t place)
{
	require(place < lock->places);
	lock->content->under_way[place].delivery_id = 0;
}

/* True when another process has the lock. */
static bool
is_locked(int fd)
{
	struct flock whole = { .l_type = F_RDLCK, .l_whence = SEEK_SET };
	return fcntl(fd, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
}

struct dispatcher_seen
lock_read(struct pool *pool, const char *path)
{
	struct dispatcher_seen seen = { .is_running = false };
	struct stat status;
	const int fd = folder_open_file(path, O_RDONLY | O_NOFOLLOW);
	if (fd < 0)
		return seen;
	if (fstat(fd, &status) == 0 && kind_of(fd, &status) == FILE_OURS) {
		const size_t places = places_in((size_t)status.st_size), size = size_with(places);
		struct content *content = pool_alloc(pool, size);
		uint64_t *ids = POOL_ARRAY(pool, places, uint64_t);
		const bool complete = pread(fd, content, size, 0) == (ssize_t)size;
		seen.is_running = is_locked(fd);
		if (complete)
			seen.owner = (struct slice){ (const char *)content->owner, sizeof(content->owner) };
		for (size_t i = 0; complete && seen.is_running && i < places; i++)
			if (content->under_way[i].delivery_id != 0)
				ids[seen.under_way.count++] = content->under_way[i].delivery_id;
		seen.under_way = id_set(ids, seen.under_way.count);
	}
	close(fd);
	return seen;
}
