/* SPDX-License-Identifier: MIT
 * Which accounts may read and write the configuration and its files (leadhook.conf(5)). Modules: conf. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/conf.h"

static char path[] = "test_secrecy.XXXXXX", option_path[] = "/tmp/test_secrecy.XXXXXX";

static void
write_file(const char *name, const char *text, mode_t mode)
{
	FILE *file = fopen(name, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(name, mode), 0);
}

/* `modes` ends with 0. `problem` NULL: the configuration is accepted. */
static void
assert_modes(const char *name, const char *text, const mode_t *modes, const char *problem)
{
	for (size_t i = 0; modes[i] != 0; i++) {
		struct conf *conf;
		struct buffer problems;
		buffer_init(&problems, CONF_PROBLEMS_MAX_BYTES);
		assert_int_equal(chmod(name, 0600), 0);
		write_file(name, text, modes[i]);
		assert_int_equal(conf_load(path, &conf, &problems), problem == NULL);
		if (problem != NULL)
			assert_string_equal(problems.data, problem);
		conf_free(&conf);
		buffer_free(&problems);
	}
	assert_int_equal(chmod(name, 0600), 0);
}

static void
a_file_with_a_password_is_not_open_to_others(void **state UNUSED)
{
	static const char with[] = "[database]\npassword = hidden\n", without[] = "[database]\npassword =\n";
	char problem[200];
	snprintf(problem, sizeof(problem), "%s:2: database.password: others can read or change this file: chmod 640 %s\n", path,
	    path);
	assert_modes(path, with, (const mode_t[]){ 0604, 0602, 0620, 0644, 0660, 0 }, problem);
	assert_modes(path, with, (const mode_t[]){ 0400, 0600, 0440, 0640, 0 }, NULL);
	assert_modes(path, without, (const mode_t[]){ 0444, 0604, 0644, 0 }, NULL);
}

/* An account that can change a file can send everything to another database. */
static void
no_file_is_changed_by_others(void **state UNUSED)
{
	char problem[200];
	snprintf(problem, sizeof(problem), "%s: others can change this file: chmod go-w %s\n", path, path);
	assert_modes(path, "[database]\nhost = localhost\n", (const mode_t[]){ 0602, 0620, 0646, 0664, 0 }, problem);
}

/* option_file: Connector/C reads passwords from it. */
static void
an_option_file_is_not_open_to_others(void **state UNUSED)
{
	static const char option[] = "[leadhook]\npassword = hidden\n";
	char text[200], problem[300];
	snprintf(text, sizeof(text), "[database]\noption_file = %s\n", option_path);
	write_file(path, text, 0600);
	snprintf(problem, sizeof(problem), "%s:2: database.option_file: others can read or change the file: chmod 640 %s\n",
	    path, option_path);
	assert_modes(option_path, option, (const mode_t[]){ 0604, 0602, 0620, 0 }, problem);
	assert_modes(option_path, option, (const mode_t[]){ 0600, 0640, 0 }, NULL);
	snprintf(
	    problem, sizeof(problem), "%s:2: database.option_file: /nonexistent/client.cnf: No such file or directory\n", path);
	assert_modes(path, "[database]\noption_file = /nonexistent/client.cnf\n", (const mode_t[]){ 0600, 0 }, problem);
}

static int
set_up(void **state UNUSED)
{
	const int fd = mkstemp(path), option_fd = mkstemp(option_path);
	return fd < 0 || option_fd < 0 || close(fd) != 0 ? -1 : close(option_fd);
}

static int
clean_up(void **state UNUSED)
{
	return unlink(path) != 0 || unlink(option_path) != 0 ? -1 : 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_with_a_password_is_not_open_to_others),
		cmocka_unit_test(no_file_is_changed_by_others),
		cmocka_unit_test(an_option_file_is_not_open_to_others),
	};
	return cmocka_run_group_tests(tests, set_up, clean_up);
}
