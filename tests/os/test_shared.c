/* SPDX-License-Identifier: MIT
 * Shared memory (docs/api.md 5: all processes of a host share it, and it survives the death of any of them). */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "captured_log.h"
#include "os/clock.h"
#include "os/folder.h"
#include "os/log.h"
#include "os/shared.h"

enum { SIZE = 64 * 1024, WAIT_MS = 10000 };

static char folder[] = "/tmp/leadhook-shared-XXXXXX";
static char path[sizeof(folder) + sizeof("/limits")];
static unsigned char layout[SHARED_LAYOUT_SIZE];

static struct shared
open_it(void)
{
	struct shared shared;
	assert_true(shared_open(folder, "limits", SIZE, layout, LOG_LEVEL_ERROR, &shared));
	return shared;
}

static ino_t
inode(void)
{
	struct stat status;
	assert_int_equal(lstat(path, &status), 0);
	return status.st_ino;
}

static int
clean(void **state)
{
	(void)state;
	unlink(path);
	memset(layout, 'a', sizeof(layout));
	return 0;
}

static void
all_see_the_same(void **state)
{
	(void)state;
	struct stat status;
	struct shared one = open_it(), other = open_it();
	assert_int_equal(one.size, SIZE);
	assert_int_equal(one.memory[SIZE - 1], 0);
	one.memory[SIZE - 1] = 42;
	assert_int_equal(other.memory[SIZE - 1], 42);
	assert_memory_equal(one.secret, other.secret, SHARED_SECRET_SIZE);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
	assert_true((size_t)status.st_blocks * 512 >= SIZE); /* all blocks are allocated: no SIGBUS if the disk is full later */
	shared_close(&one);
	shared_close(&other);
	one = open_it(); /* the content stays when no process has the file open */
	assert_int_equal(one.memory[SIZE - 1], 42);
	shared_close(&one);
}

/* Changes the header to that of an earlier boot, another version or another layout. */
static void
damage(long at, char value)
{
	const int fd = open(path, O_RDWR);
	assert_int_equal(pwrite(fd, &value, 1, at), 1);
	close(fd);
}

static void
a_file_of_another_boot_or_version_is_replaced(void **state)
{
	(void)state;
	enum { VERSION_AT = 16, BOOT_AT = 48, LAYOUT_AT = 112 };
	static const long places[] = { VERSION_AT, BOOT_AT, LAYOUT_AT };
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		struct shared old = open_it();
		const ino_t before = inode();
		unsigned char secret[SHARED_SECRET_SIZE];
		old.memory[0] = 1;
		memcpy(secret, old.secret, sizeof(secret));
		damage(places[i], '?');
		struct shared new = open_it();
		assert_true(inode() != before);
		assert_int_equal(new.memory[0], 0);
		assert_memory_not_equal(new.secret, secret, sizeof(secret));
		assert_int_equal(old.memory[0], 1); /* processes that have it mapped continue */
		shared_close(&old);
		shared_close(&new);
	}
}

static void
a_file_of_another_layout_or_size_is_replaced(void **state)
{
	(void)state;
	struct shared shared = open_it();
	const ino_t first = inode();
	shared_close(&shared);
	layout[3]++;
	shared = open_it();
	const ino_t second = inode();
	assert_true(second != first);
	shared_close(&shared);
	assert_int_equal(truncate(path, SIZE), 0);
	shared = open_it();
	assert_true(inode() != second);
	assert_int_equal(shared.memory[SIZE - 1], 0);
	shared_close(&shared);
	close(open(path, O_WRONLY | O_TRUNC)); /* as after a kill while the disk was full */
	shared = open_it();
	shared_close(&shared);
}

static void
refused(const char *event, const char *word)
{
	struct shared shared;
	capture_log();
	assert_false(shared_open(folder, "limits", SIZE, layout, LOG_LEVEL_ERROR, &shared));
	const char *log = captured_log();
	if (strstr(log, event) == NULL || strstr(log, word) == NULL)
		fail_msg("%s", log);
}

/* Files of another kind with that name are not overwritten. */
static void
other_files_are_not_overwritten(void **state)
{
	(void)state;
	struct stat status;
	FILE *file = fopen(path, "w");
	fputs("other data", file);
	fclose(file);
	refused("no_shared_memory", "remove the file");
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_size, strlen("other data"));
	unlink(path);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	refused("no_shared_memory", "remove the file");
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	refused("no_shared_memory", "remove the file");
	rmdir(path);
	if (geteuid() != 0)
		return; /* only root can change owners */
	struct shared shared = open_it();
	shared_close(&shared);
	assert_int_equal(chown(path, 65534, 65534), 0);
	refused("no_shared_memory", "remove the file");
}

/* A folder where other accounts can replace the file is refused. */
static void
a_folder_that_others_can_write_is_refused(void **state)
{
	static const mode_t modes[] = { 01777, 0702, 0770 };
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		assert_int_equal(chmod(folder, modes[i]), 0);
		refused("no_shared_memory", "neither its group nor others write there");
	}
	assert_int_equal(chmod(folder, 0700), 0);
	if (geteuid() != 0)
		return;
	assert_int_equal(chown(folder, 65534, 65534), 0);
	refused("no_shared_memory", "neither its group nor others write there");
	assert_int_equal(chown(folder, 0, 0), 0);
}

/* Any account that may read the folder can lock it, so the wait for the lock is limited. */
static void
the_wait_for_a_locked_folder_is_limited(void **state)
{
	(void)state;
	const int64_t before = clock_monotonic_ms();
	const int other = open(folder, O_RDONLY | O_DIRECTORY);
	assert_int_equal(flock(other, LOCK_EX), 0);
	refused("no_shared_memory", "no other account lock it");
	assert_in_range(clock_monotonic_ms() - before, FOLDER_LOCK_WAIT_MS, WAIT_MS);
	close(other);
	struct shared shared = open_it();
	shared_close(&shared);
}

static void
the_folder_is_created_but_not_its_parent(void **state)
{
	(void)state;
	char missing[sizeof(folder) + 32], deeper[sizeof(missing) + 32];
	struct stat status;
	struct shared shared;
	snprintf(missing, sizeof(missing), "%s/state", folder);
	snprintf(deeper, sizeof(deeper), "%s/state/of", missing);
	capture_log();
	assert_false(shared_open(deeper, "limits", SIZE, layout, LOG_LEVEL_ERROR, &shared));
	assert_non_null(strstr(captured_log(), "make the directory"));
	assert_true(shared_open(missing, "limits", SIZE, layout, LOG_LEVEL_ERROR, &shared));
	assert_int_equal(stat(missing, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0700);
	shared_close(&shared);
	snprintf(deeper, sizeof(deeper), "%s/limits", missing);
	unlink(deeper);
	rmdir(missing);
}

/* On a full disk the start fails, which avoids a SIGBUS later, and leaves no file. */
static void
a_full_disk_is_reported(void **state)
{
	(void)state;
	struct rlimit before, small = { SIZE / 2, SIZE / 2 };
	char half[sizeof(path) + 8];
	getrlimit(RLIMIT_FSIZE, &before);
	small.rlim_max = before.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	capture_log();
	struct shared shared;
	const bool opened = shared_open(folder, "limits", SIZE, layout, LOG_LEVEL_ERROR, &shared);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_false(opened);
	assert_non_null(strstr(captured_log(), "lower limits.memory"));
	snprintf(half, sizeof(half), "%s.new", path);
	assert_int_not_equal(access(half, F_OK), 0);
	assert_int_not_equal(access(path, F_OK), 0);
}

static void
without_a_folder_forks_share_it(void **state)
{
	(void)state;
	struct shared shared;
	assert_true(shared_open("", "limits", SIZE, layout, LOG_LEVEL_ERROR, &shared));
	const pid_t pid = fork();
	if (pid == 0) {
		shared.memory[7] = 9;
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	assert_int_equal(shared.memory[7], 9);
	shared_close(&shared);
}

/* Starts a process that holds the first lock until it is killed. */
static pid_t
begin_holder(struct shared *shared)
{
	int ready[2];
	assert_int_equal(pipe(ready), 0);
	const pid_t pid = fork();
	if (pid == 0) {
		if (shared_lock(&shared->locks[0]) && write(ready[1], "x", 1) == 1)
			for (;;)
				pause();
		_exit(1);
	}
	struct pollfd holds = { ready[0], POLLIN, 0 };
	assert_int_equal(poll(&holds, 1, WAIT_MS), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void
the_lock_of_a_dead_process_is_recovered(void **state)
{
	(void)state;
	struct shared shared = open_it(), other = open_it();
	const pid_t pid = begin_holder(&shared);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (size_t i = 0; i < 3; i++) {
		assert_true(shared_lock(&other.locks[0])); /* locks through another mapping, as another program would */
		pthread_mutex_unlock(&other.locks[0]);
	}
	shared_close(&shared);
	shared_close(&other);
}

static void
the_wait_for_a_held_lock_is_limited(void **state)
{
	(void)state;
	struct shared shared = open_it();
	const pid_t pid = begin_holder(&shared);
	const int64_t before = clock_monotonic_ms();
	capture_log();
	assert_false(shared_lock(&shared.locks[0]));
	assert_in_range(clock_monotonic_ms() - before, SHARED_LOCK_WAIT_MS - 1, WAIT_MS);
	assert_non_null(strstr(captured_log(), "lock_stuck"));
	assert_true(shared_lock(&shared.locks[1]));
	pthread_mutex_unlock(&shared.locks[1]);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	shared_close(&shared);
}

/* Many processes start at the same time and map the same file. */
static void
processes_that_start_together_share_one_file(void **state)
{
	(void)state;
	enum { STARTERS = 16, ROUNDS = 10 };
	for (size_t round = 0; round < ROUNDS; round++) {
		int gate[2], status;
		assert_int_equal(pipe(gate), 0);
		unlink(path);
		for (size_t i = 0; i < STARTERS; i++) {
			if (fork() != 0)
				continue;
			char byte;
			close(gate[1]);
			if (read(gate[0], &byte, 1) != 0)
				_exit(1);
			struct shared shared;
			if (!shared_open(folder, "limits", SIZE, layout, LOG_LEVEL_ERROR, &shared))
				_exit(1);
			__atomic_fetch_add(&shared.memory[0], 1, __ATOMIC_SEQ_CST);
			_exit(0);
		}
		close(gate[1]);
		for (size_t i = 0; i < STARTERS; i++) {
			wait(&status);
			assert_int_equal(status, 0);
		}
		close(gate[0]);
		struct shared shared = open_it();
		assert_int_equal(shared.memory[0], STARTERS);
		shared_close(&shared);
	}
}

static int
remove_folder(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(all_see_the_same, clean),
		cmocka_unit_test_setup(a_file_of_another_boot_or_version_is_replaced, clean),
		cmocka_unit_test_setup(a_file_of_another_layout_or_size_is_replaced, clean),
		cmocka_unit_test_setup(other_files_are_not_overwritten, clean),
		cmocka_unit_test_setup(a_folder_that_others_can_write_is_refused, clean),
		cmocka_unit_test_setup(the_wait_for_a_locked_folder_is_limited, clean),
		cmocka_unit_test_setup(the_folder_is_created_but_not_its_parent, clean),
		cmocka_unit_test_setup(a_full_disk_is_reported, clean),
		cmocka_unit_test_setup(without_a_folder_forks_share_it, clean),
		cmocka_unit_test_setup(the_lock_of_a_dead_process_is_recovered, clean),
		cmocka_unit_test_setup(the_wait_for_a_held_lock_is_limited, clean),
		cmocka_unit_test_setup(processes_that_start_together_share_one_file, clean),
	};
	if (mkdtemp(folder) == NULL)
		return 1;
	snprintf(path, sizeof(path), "%s/limits", folder);
	log_init("test", LOG_LEVEL_INFO);
	return cmocka_run_group_tests(tests, NULL, remove_folder);
}
