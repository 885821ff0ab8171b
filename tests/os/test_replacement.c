/* SPDX-License-Identifier: MIT
 * Files that are replaced atomically (src/os/replacement.h). */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/pool.h"
#include "os/replacement.h"

static char folder[] = "/tmp/leadhook-replacement-XXXXXX";
static struct pool *pool;

static int
begin(void **state UNUSED)
{
	pool = pool_new();
	return mkdtemp(folder) == NULL ? -1 : 0;
}

static int
end(void **state UNUSED)
{
	pool_free(&pool);
	return rmdir(folder);
}

static const char *
path_of(const char *name)
{
	return pool_printf(pool, "%s/%s", folder, name).data;
}

static void
assert_content(const char *path, const char *expected)
{
	char bytes[100] = "";
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_true(read(fd, bytes, sizeof(bytes) - 1) >= 0);
	close(fd);
	assert_string_equal(bytes, expected);
}

static mode_t
mode_of(const char *path)
{
	struct stat about;
	assert_int_equal(stat(path, &about), 0);
	return about.st_mode & 07777;
}

static void
assert_files(size_t expected)
{
	DIR *entries = opendir(folder);
	size_t count = 0;
	assert_non_null(entries);
	for (const struct dirent *entry; (entry = readdir(entries)) != NULL;)
		count += entry->d_name[0] == '.' ? 0 : 1;
	closedir(entries);
	assert_int_equal(count, expected);
}

static void
a_file_is_replaced_with_its_mode(void **state UNUSED)
{
	const char *path = path_of("list");
	assert_int_equal(replace_file(path, SLICE("one"), 0600), 0);
	assert_content(path, "one");
	assert_int_equal(mode_of(path), 0600);
	assert_int_equal(chmod(path, 0640), 0);
	assert_int_equal(replace_file(path, SLICE("other"), 0600), 0);
	assert_content(path, "other");
	assert_int_equal(mode_of(path), 0640);
	assert_files(1);
	unlink(path);
}

/* Until the replacement is finished, the file stays as it was; it also does if the replacement is abandoned. */
static void
an_abandoned_replacement_leaves_nothing(void **state UNUSED)
{
	const char *path = path_of("list");
	struct replacement replacement;
	assert_int_equal(replace_file(path, SLICE("old"), 0600), 0);
	assert_int_equal(replacement_begin(&replacement, path, 0600), 0);
	assert_int_equal(write_fully(replacement.fd, SLICE("new")), 0);
	assert_content(path, "old");
	replacement_abandon(&replacement);
	assert_content(path, "old");
	assert_files(1);
	unlink(path);
}

static void
errors_are_returned(void **state UNUSED)
{
	struct replacement replacement;
	const char *place = path_of("folder");
	assert_int_equal(replacement_begin(&replacement, path_of("none/list"), 0600), ENOENT);
	assert_int_equal(mkdir(place, 0700), 0);
	assert_int_equal(replace_file(place, SLICE("x"), 0600), EISDIR);
	assert_files(1);
	assert_int_equal(rmdir(place), 0);
	assert_int_equal(replace_file("", SLICE("x"), 0600), EISDIR);
	assert_int_equal(replace_file(path_of(""), SLICE("x"), 0600), EISDIR);
	assert_int_equal(symlink("self", path_of("self")), 0);
	assert_int_equal(replace_file(path_of("self"), SLICE("x"), 0600), ELOOP);
	assert_int_equal(unlink(path_of("self")), 0);
	const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	assert_int_equal(write_fully(full, SLICE("x")), ENOSPC);
	close(full);
}

static void
a_link_stays(void **state UNUSED)
{
	assert_int_equal(replace_file(path_of("list"), SLICE("old"), 0600), 0);
	assert_int_equal(symlink("list", path_of("link")), 0);
	assert_int_equal(replace_file(path_of("link"), SLICE("new"), 0600), 0);
	assert_content(path_of("list"), "new");
	assert_int_equal(unlink(path_of("link")), 0);
	unlink(path_of("list"));
	assert_files(0);
}

static void
a_path_may_have_no_folder(void **state UNUSED)
{
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(replace_file("list", SLICE("here"), 0600), 0);
	assert_content(path_of("list"), "here");
	unlink(path_of("list"));
	assert_files(0);
	assert_int_equal(chdir("/"), 0);
}

/* leadhook(1), WRITTEN FILES: modes of folders where others may write. */
static const mode_t open_modes[] = { 0770, 0707, 01777 };

static void
links_of_others_are_not_followed(void **state UNUSED)
{
	const char *target = path_of("target"), *own = path_of("own");
	assert_int_equal(replace_file(target, SLICE("old"), 0600), 0);
	assert_int_equal(mkdir(own, 0700), 0);
	assert_int_equal(symlink(target, path_of("link")), 0);
	assert_int_equal(symlink("../link", path_of("own/link")), 0);
	assert_int_equal(replace_file(path_of("own/link"), SLICE("new"), 0600), 0);
	assert_content(target, "new");
	assert_int_equal(symlink("own/", path_of("to_own")), 0);
	assert_int_equal(replace_file(path_of("to_own/../own//./file"), SLICE("x"), 0600), 0);
	assert_content(path_of("own/file"), "x");
	assert_int_equal(unlink(path_of("own/file")), 0);
	for (size_t i = 0; i < ARRAY_SIZE(open_modes); i++) {
		assert_int_equal(chmod(folder, open_modes[i]), 0);
		assert_int_equal(replace_file(path_of("link"), SLICE("x"), 0600), ELOOP);
		assert_int_equal(replace_file(path_of("own/link"), SLICE("x"), 0600), ELOOP); /* the second link */
		assert_int_equal(replace_file(path_of("to_own/file"), SLICE("x"), 0600), ELOOP);
		assert_int_equal(replace_file(path_of("own/../to_own//file"), SLICE("x"), 0600), ELOOP);
		assert_content(target, "new");
	}
	assert_int_equal(chmod(folder, 0700), 0);
	assert_int_equal(unlink(path_of("to_own")), 0);
	assert_int_equal(unlink(path_of("own/link")), 0);
	assert_int_equal(rmdir(own), 0);
	assert_int_equal(unlink(path_of("link")), 0);
	unlink(target);
	assert_files(0);
}

static void
assert_replaced(const char *path, uid_t owner, mode_t mode)
{
	struct stat about;
	assert_int_equal(replace_file(path, SLICE("new"), 0600), 0);
	assert_int_equal(stat(path, &about), 0);
	assert_int_equal(about.st_uid, owner);
	assert_int_equal(about.st_mode & 07777, mode);
}

/* A file that others may have put there neither gives its mode to the new file nor redirects the replacement. */
static void
files_of_others_are_replaced(void **state UNUSED)
{
	enum { OTHER = 65534 };
	const char *path = path_of("list");
	const uid_t own = geteuid();
	for (size_t i = 0; i < ARRAY_SIZE(open_modes); i++) {
		assert_int_equal(chmod(folder, open_modes[i]), 0);
		assert_int_equal(replace_file(path, SLICE("old"), 0644), 0);
		assert_replaced(path, own, 0600); /* the old file may be another of our files that was moved there */
		if (own == 0) {
			assert_int_equal(chown(path, OTHER, OTHER), 0);
			assert_int_equal(chmod(path, 0666), 0);
			assert_replaced(path, own, 0600);
		}
		unlink(path);
	}
	assert_int_equal(chmod(folder, 0700), 0);
	assert_int_equal(replace_file(path, SLICE("old"), 0640), 0);
	if (own == 0) {
		assert_int_equal(chown(path, OTHER, OTHER), 0);
		assert_replaced(path, OTHER, 0640);
	}
	unlink(path);
	assert_files(0);
}

static void
pipes_are_written_to(void **state UNUSED)
{
	struct replacement replacement;
	const char *path = path_of("pipe");
	char bytes[10] = "";
	assert_int_equal(mkfifo(path, 0600), 0);
	const int end_of_pipe = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(end_of_pipe >= 0);
	assert_int_equal(replace_file(path, SLICE("one"), 0600), 0);
	assert_int_equal(read(end_of_pipe, bytes, sizeof(bytes)), 3);
	assert_string_equal(bytes, "one");
	assert_int_equal(chmod(folder, 01777), 0);
	assert_int_equal(replacement_begin(&replacement, path, 0600), EPERM);
	assert_int_equal(chmod(folder, 0700), 0);
	close(end_of_pipe);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(replace_file("/dev/null", SLICE("x"), 0600), 0);
	assert_files(0);
}

/* Open files are named through a link, as /dev/stdout is. */
static void
open_files_are_written_to(void **state UNUSED)
{
	const char *path = path_of("list");
	assert_int_equal(replace_file(path, SLICE("one"), 0600), 0);
	const int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	assert_int_equal(symlink(pool_printf(pool, "/dev/fd/%d", fd).data, path_of("link")), 0);
	assert_int_equal(replace_file(path_of("link"), SLICE(" two"), 0600), 0);
	close(fd);
	assert_content(path, "one two");
	assert_int_equal(unlink(path_of("link")), 0);
	unlink(path);
	assert_files(0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_replaced_with_its_mode),
		cmocka_unit_test(an_abandoned_replacement_leaves_nothing),
		cmocka_unit_test(errors_are_returned),
		cmocka_unit_test(a_link_stays),
		cmocka_unit_test(a_path_may_have_no_folder),
		cmocka_unit_test(links_of_others_are_not_followed),
		cmocka_unit_test(files_of_others_are_replaced),
		cmocka_unit_test(pipes_are_written_to),
		cmocka_unit_test(open_files_are_written_to),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
