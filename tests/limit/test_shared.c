/* SPDX-License-Identifier: MIT
 * Memory that processes share (docs/api.md 5: shared by all of a host, survives the death of any of them). */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/directory.h"
#include "base/log.h"
#include "captured_log.h"
#include "limit/shared.h"

enum { SIZE = 64 * 1024, WAIT_MS = 10000 };

static char folder[] = "/tmp/leadhook-shared-XXXXXX";
static char path[sizeof(folder) + sizeof("/limits")];
static unsigned char layout[SHARED_LAYOUT_SIZE];

static struct shared
open_it(void)
{
	struct shared shared;
	assert_true(shared_open(folder, "limits", SIZE, layout, &shared));
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
	assert_true((size_t)status.st_blocks * 512 >= SIZE); /* all of it is there: no SIGBUS when the disk is full later */
	shared_close(&one);
	shared_close(&other);
	one = open_it(); /* it stays when nobody has it open */
	assert_int_equal(one.memory[SIZE - 1], 42);
	shared_close(&one);
}

/* The header, as any earlier boot, version or layout would have left it. */
static void
damage(long at, char value)
{
	const int fd = open(path, O_RDWR);
	assert_int_equal(pwrite(fd, &value, 1, at), 1);
	close(fd);
}

static void
what_is_of_another_time_starts_afresh(void **state)
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
		assert_int_equal(old.memory[0], 1); /* who has it goes on */
		shared_close(&old);
		shared_close(&new);
	}
}

static void
another_layout_or_size_starts_afresh(void **state)
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
	close(open(path, O_WRONLY | O_TRUNC)); /* killed while the disk was full */
	shared = open_it();
	shared_close(&shared);
}

static void
refused(const char *event, const char *word)
{
	struct shared shared;
	capture_log();
	assert_false(shared_open(folder, "limits", SIZE, layout, &shared));
	const char *log = captured_log();
	if (strstr(log, event) == NULL || strstr(log, word) == NULL)
		fail_msg("%s", log);
}

/* Whatever else has the name is not ours to write over. */
static void
what_is_not_ours_is_left_alone(void **state)
{
	(void)state;
	struct stat status;
	FILE *file = fopen(path, "w");
	fputs("somebody's notes", file);
	fclose(file);
	refused("no_shared_memory", "remove the file");
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_size, strlen("somebody's notes"));
	unlink(path);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	refused("no_shared_memory", "remove the file");
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	refused("no_shared_memory", "remove the file");
	rmdir(path);
	if (geteuid() != 0)
		return; /* only root can give files away */
	struct shared shared = open_it();
	shared_close(&shared);
	assert_int_equal(chown(path, 65534, 65534), 0);
	refused("no_shared_memory", "remove the file");
}

/* Nor is a folder where anybody could put another file in its place. */
static void
a_folder_of_everybodys_is_refused(void **state)
{
	(void)state;
	assert_int_equal(chmod(folder, 01777), 0);
	refused("no_shared_memory", "nobody else write there");
	assert_int_equal(chmod(folder, 0700), 0);
	if (geteuid() != 0)
		return;
	assert_int_equal(chown(folder, 65534, 65534), 0);
	refused("no_shared_memory", "nobody else write there");
	assert_int_equal(chown(folder, 0, 0), 0);
}

/* Whoever may read the folder can lock it: that must not keep us for ever. */
static void
a_lock_on_the_folder_is_waited_for_in_vain(void **state)
{
	(void)state;
	const int64_t before = clock_monotonic_ms();
	const int other = open(folder, O_RDONLY | O_DIRECTORY);
	assert_int_equal(flock(other, LOCK_EX), 0);
	refused("no_shared_memory", "nobody else lock it");
	assert_in_range(clock_monotonic_ms() - before, DIRECTORY_LOCK_WAIT_MS, WAIT_MS);
	close(other);
	struct shared shared = open_it();
	shared_close(&shared);
}

static void
the_folder_is_made_its_parent_not(void **state)
{
	(void)state;
	char missing[sizeof(folder) + 32], deeper[sizeof(missing) + 32];
	struct stat status;
	struct shared shared;
	snprintf(missing, sizeof(missing), "%s/state", folder);
	snprintf(deeper, sizeof(deeper), "%s/state/of", missing);
	capture_log();
	assert_false(shared_open(deeper, "limits", SIZE, layout, &shared));
	assert_non_null(strstr(captured_log(), "make the directory"));
	assert_true(shared_open(missing, "limits", SIZE, layout, &shared));
	assert_int_equal(stat(missing, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0700);
	shared_close(&shared);
	snprintf(deeper, sizeof(deeper), "%s/limits", missing);
	unlink(deeper);
	rmdir(missing);
}

/* No room: it is said at the start, not by a SIGBUS later; nothing stays. */
static void
no_room_is_told(void **state)
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
	const bool opened = shared_open(folder, "limits", SIZE, layout, &shared);
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
	assert_true(shared_open("", "limits", SIZE, layout, &shared));
	const pid_t pid = fork();
	if (pid == 0) {
		shared.memory[7] = 9;
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	assert_int_equal(shared.memory[7], 9);
	shared_close(&shared);
}

/* Begins a process that holds the first lock until it is killed. */
static pid_t
begin_holder(struct shared *shared)
{
	const int64_t until = clock_monotonic_ms() + WAIT_MS;
	const pid_t pid = fork();
	if (pid == 0) {
		if (shared_lock(&shared->locks[0]))
			shared->memory[0] = 1;
		for (;;)
			pause();
	}
	while (*(volatile unsigned char *)shared->memory == 0 && clock_monotonic_ms() < until)
		usleep(1000);
	assert_int_equal(shared->memory[0], 1);
	return pid;
}

static void
the_lock_of_a_dead_process_is_taken_over(void **state)
{
	(void)state;
	struct shared shared = open_it(), other = open_it();
	const pid_t pid = begin_holder(&shared);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (size_t i = 0; i < 3; i++) {
		assert_true(shared_lock(&other.locks[0])); /* through another mapping, as another program has it */
		pthread_mutex_unlock(&other.locks[0]);
	}
	shared_close(&shared);
	shared_close(&other);
}

static void
a_lock_that_is_kept_is_given_up(void **state)
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

/* Many start at the same moment: all end up with the same file. */
static void
those_who_start_together_share_one(void **state)
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
			if (!shared_open(folder, "limits", SIZE, layout, &shared))
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
		cmocka_unit_test_setup(what_is_of_another_time_starts_afresh, clean),
		cmocka_unit_test_setup(another_layout_or_size_starts_afresh, clean),
		cmocka_unit_test_setup(what_is_not_ours_is_left_alone, clean),
		cmocka_unit_test_setup(a_folder_of_everybodys_is_refused, clean),
		cmocka_unit_test_setup(a_lock_on_the_folder_is_waited_for_in_vain, clean),
		cmocka_unit_test_setup(the_folder_is_made_its_parent_not, clean),
		cmocka_unit_test_setup(no_room_is_told, clean),
		cmocka_unit_test_setup(without_a_folder_forks_share_it, clean),
		cmocka_unit_test_setup(the_lock_of_a_dead_process_is_taken_over, clean),
		cmocka_unit_test_setup(a_lock_that_is_kept_is_given_up, clean),
		cmocka_unit_test_setup(those_who_start_together_share_one, clean),
	};
	if (mkdtemp(folder) == NULL)
		return 1;
	snprintf(path, sizeof(path), "%s/limits", folder);
	log_init("test", LOG_LEVEL_INFO);
	return cmocka_run_group_tests(tests, NULL, remove_folder);
}
