/* SPDX-License-Identifier: MIT */
#include "os/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/pool.h"
#include "base/slice.h"
#include "os/descriptors.h"
#include "os/folder.h"
#include "os/log.h"
#include "os/random.h"

enum { BOOT_SIZE = 64, CACHE_LINE = 64, NAME_SIZE = 64, MS_PER_S = 1000, NS_PER_MS = 1000 * 1000, NS_PER_S = 1000 * NS_PER_MS };

/* Marks every such file, whatever its contents, so that files of earlier versions can be replaced. */
static const char magic[16] = "leadhook limits";

/* The header of the file, complete before the file gets its name. */
struct header {
	char magic[sizeof(magic)];
	char version[32];
	char boot[BOOT_SIZE]; /* clock and locks are valid within one boot */
	unsigned char layout[SHARED_LAYOUT_SIZE];
	uint64_t size;
	uint64_t lock_size; /* of the C library */
	unsigned char secret[SHARED_SECRET_SIZE];
	pthread_mutex_t locks[SHARED_LOCKS];
};

/* The file to find or create. */
struct place {
	const char *folder, *name;
	int directory;
	size_t size;          /* of the whole mapping */
	enum log_level level; /* at which failures are logged */
	struct header wanted;
};

static size_t
header_size(void)
{
	return (sizeof(struct header) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

/* Reads the kernel's boot id; "" when it cannot be read. */
static void
read_boot(char boot[BOOT_SIZE])
{
	const int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	const ssize_t size = fd < 0 ? -1 : read(fd, boot, BOOT_SIZE - 1);
	if (size <= 0)
		boot[0] = '\0';
	descriptor_close(fd);
}

static void
describe(struct place *place, const unsigned char layout[SHARED_LAYOUT_SIZE])
{
	struct header *wanted = &place->wanted;
	memset(wanted, 0, sizeof(*wanted));
	memcpy(wanted->magic, magic, sizeof(magic));
	strncpy(wanted->version, LEADHOOK_VERSION, sizeof(wanted->version) - 1);
	read_boot(wanted->boot);
	memcpy(wanted->layout, layout, SHARED_LAYOUT_SIZE);
	wanted->size = place->size;
	wanted->lock_size = sizeof(pthread_mutex_t);
}

static bool
log_failure(const struct place *place, const char *hint)
{
	LOG_AT(place->level, "no_shared_memory", LOG_STR("folder", place->folder), LOG_STR("file", place->name),
	    LOG_ERRNO(errno), LOG_STR("hint", hint));
	return false;
}

/* Robust locks can be acquired after their owner has died (pthread_mutexattr_setrobust(3)). */
static void
make_locks(struct header *header)
{
	pthread_mutexattr_t attributes;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	for (size_t i = 0; i < SHARED_LOCKS; i++)
		pthread_mutex_init(&header->locks[i], &attributes);
	pthread_mutexattr_destroy(&attributes);
}

static void
fill(void *mapping, const struct place *place)
{
	struct header *header = mapping;
	memcpy(header, &place->wanted, sizeof(*header));
	random_bytes(header->secret, sizeof(header->secret));
	make_locks(header);
}

static bool
map(int fd, size_t size, void **mapping)
{
	const int flags = fd < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED;
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);
	if (memory == MAP_FAILED)
		return false;
	*mapping = memory;
	return true;
}

/* Allocates all blocks at once, because a missing block would cause SIGBUS later. */
static bool
make_file(const struct place *place, void **mapping)
{
	char name[NAME_SIZE];
	snprintf(name, sizeof(name), "%s.new", place->name);
	if (unlinkat(place->directory, name, 0) != 0 && errno != ENOENT)
		return log_failure(place, "remove the file with the suffix .new");
	const int fd = openat(place->directory, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return log_failure(place, "let this account write to the directory, or set server.state_dir");
	errno = posix_fallocate(fd, 0, (off_t)place->size);
	bool made = errno == 0 && map(fd, place->size, mapping);
	if (made) {
		fill(*mapping, place);
		made = renameat(place->directory, name, place->directory, place->name) == 0;
		if (!made)
			munmap(*mapping, place->size);
	}
	const int number = errno;
	close(fd);
	if (made)
		return true;
	unlinkat(place->directory, name, 0);
	errno = number;
	return log_failure(place, "make room there, or lower limits.memory, the size of the file limits");
}

enum found { FOUND_MINE, FOUND_NONE, FOUND_FOREIGN, FOUND_BROKEN, FOUND_UNSAFE };

static bool
header_fits(const struct place *place, const struct header *header)
{
	const struct header *wanted = &place->wanted;
	return wanted->boot[0] != '\0' && memcmp(header, wanted, offsetof(struct header, secret)) == 0;
}

/* Finds the file. Only an empty file, or one with our magic number, may be replaced. */
static enum found
find_file(const struct place *place, void **mapping)
{
	struct header header;
	struct stat status;
	const int fd = openat(place->directory, place->name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return errno == ENOENT ? FOUND_NONE : FOUND_FOREIGN;
	enum found found = FOUND_FOREIGN;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid()) {
		const ssize_t size = pread(fd, &header, sizeof(header), 0);
		const bool ours =
		    size == 0 || (size >= (ssize_t)sizeof(magic) && memcmp(header.magic, magic, sizeof(magic)) == 0);
		const bool fits =
		    size == (ssize_t)sizeof(header) && (uint64_t)status.st_size == place->size && header_fits(place, &header);
		found = !ours ? FOUND_FOREIGN : !fits ? FOUND_NONE : map(fd, place->size, mapping) ? FOUND_MINE : FOUND_BROKEN;
	}
	close(fd);
	return found;
}

static const char *const hints[] = {
	[FOUND_FOREIGN] = "remove the file, or run as the account that it belongs to",
	[FOUND_BROKEN] = "lower limits.memory, the size of the file limits",
	[FOUND_UNSAFE] =
	    "let the directory belong to this account or to root, and neither its group nor others write there (chmod 700)",
};

/* Finds or creates the file, one process at a time. */
static bool
open_file(struct place *place, void **mapping)
{
	if (mkdir(place->folder, 0700) != 0 && errno != EEXIST)
		return log_failure(place, "make the directory, or set server.state_dir");
	place->directory = folder_lock(place->folder);
	if (place->directory < 0)
		return log_failure(
		    place, "let this account read the directory, and no other account lock it, or set server.state_dir");
	errno = 0;
	const enum found found = folder_is_ours(place->directory) ? find_file(place, mapping) : FOUND_UNSAFE;
	if (found == FOUND_UNSAFE || errno == 0)
		errno = EPERM;
	const bool opened =
	    found == FOUND_MINE || (found == FOUND_NONE ? make_file(place, mapping) : log_failure(place, hints[found]));
	close(place->directory); /* this releases the lock */
	return opened;
}

/* Whether shared_open may create a missing folder. */
static bool
try_parent(const struct place *place)
{
	char parent[PATH_MAX];
	snprintf(parent, sizeof(parent), "%s", place->folder);
	return faccessat(AT_FDCWD, dirname(parent), W_OK | X_OK, AT_EACCESS) == 0 ||
	       log_failure(place, "make the directory, or set server.state_dir");
}

bool
shared_try(const char *folder, const char *name, enum log_level level)
{
	struct place place = { .folder = folder, .name = name, .level = level };
	void *mapping;
	if (*folder == '\0')
		return true;
	place.directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (place.directory < 0 && errno == ENOENT)
		return try_parent(&place);
	if (place.directory < 0)
		return log_failure(&place, "let this account read the directory, or set server.state_dir");
	/* size 0: no file fits, and none is mapped */
	const enum found found = folder_is_ours(place.directory) ? find_file(&place, &mapping) : FOUND_UNSAFE;
	errno = EPERM;
	bool works = found == FOUND_NONE || log_failure(&place, hints[found]);
	if (works && faccessat(place.directory, ".", W_OK | X_OK, AT_EACCESS) != 0)
		works = log_failure(&place, "let this account write to the directory, or set server.state_dir");
	close(place.directory);
	return works;
}

bool
shared_open(const char *folder, const char *name, size_t size, const unsigned char layout[SHARED_LAYOUT_SIZE],
    enum log_level level, struct shared *shared)
{
	struct place place = { .folder = folder, .name = name, .directory = -1, .size = header_size() + size, .level = level };
	void *mapping = NULL;
	describe(&place, layout);
	if (*folder != '\0') {
		if (!open_file(&place, &mapping))
			return false;
	} else {
		if (!map(-1, place.size, &mapping))
			return log_failure(&place, "lower limits.memory, the size of the file limits");
		fill(mapping, &place);
	}
	struct header *header = mapping;
	*shared = (struct shared){
		.memory = (unsigned char *)mapping + header_size(),
		.size = size,
		.secret = header->secret,
		.locks = header->locks,
		.mapping = mapping,
		.mapped = place.size,
	};
	return true;
}

/* A file that is truncated in the meantime is read as far as it goes, and refused. */
static bool
copy_memory(const struct place *place, int fd, void *memory, size_t size)
{
	struct header header;
	struct stat status;
	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || (uint64_t)status.st_size != place->size ||
	    pread(fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header) || !header_fits(place, &header))
		return false;
	void *copy = memory_alloc(size);
	const bool complete = pread(fd, copy, size, (off_t)header_size()) == (ssize_t)size;
	if (complete)
		memcpy(memory, copy, size);
	free(copy);
	return complete;
}

bool
shared_read(const char *folder, const char *name, void *memory, size_t size, const unsigned char layout[SHARED_LAYOUT_SIZE])
{
	struct place place = { .folder = folder, .name = name, .size = header_size() + size };
	const int directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const int fd = directory < 0 ? -1 : openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	describe(&place, layout);
	const bool found = fd >= 0 && copy_memory(&place, fd, memory, size);
	descriptor_close(fd);
	descriptor_close(directory);
	return found;
}

void
shared_close(struct shared *shared)
{
	if (shared->mapping != NULL)
		munmap(shared->mapping, shared->mapped);
	*shared = (struct shared){ .mapping = NULL };
}

static int
lock_in_time(pthread_mutex_t *lock)
{
	struct timespec until;
	const int number = pthread_mutex_trylock(lock);
	if (number != EBUSY)
		return number;
	clock_gettime(CLOCK_MONOTONIC, &until);
	const int64_t ns = until.tv_nsec + SHARED_LOCK_WAIT_MS % MS_PER_S * NS_PER_MS;
	until.tv_sec += SHARED_LOCK_WAIT_MS / MS_PER_S + ns / NS_PER_S;
	until.tv_nsec = ns % NS_PER_S;
	return pthread_mutex_clocklock(lock, CLOCK_MONOTONIC, &until);
}

/* Takes over the lock of a dead owner; `number` is the result of locking it. */
static int
take_over(pthread_mutex_t *lock, int number)
{
	if (number != EOWNERDEAD)
		return number;
	log_info("lock_taken_over", LOG_ERRNO(number));
	return pthread_mutex_consistent(lock);
}

bool
shared_lock(pthread_mutex_t *lock)
{
	const int number = take_over(lock, lock_in_time(lock));
	if (number != 0)
		log_error("lock_stuck", LOG_ERRNO(number));
	return number == 0;
}

bool
shared_lock_if_free(pthread_mutex_t *lock)
{
	return take_over(lock, pthread_mutex_trylock(lock)) == 0;
}
