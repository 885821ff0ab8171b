/* SPDX-License-Identifier: MIT
 * Runs a test in a process of its own, for operations that a process cannot undo. */
#pragma once

#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* In such a process: ends it if the condition does not hold. */
#define MUST(holds)                                                             \
	do {                                                                    \
		if (!(holds)) {                                                 \
			fprintf(stderr, "line %d: %s: %m\n", __LINE__, #holds); \
			_exit(1);                                               \
		}                                                               \
	} while (0)

/* Runs `body`; returns how its process ended, as waitpid(2) reports it. */
static inline int
own_process(void (*body)(void))
{
	int status;
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		body();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static inline void
assert_holds(void (*body)(void))
{
	assert_int_equal(own_process(body), 0);
}

/* Likewise, but where the test is not possible, prints the reason instead. (skip() writes "not ok", which automake counts as a
 * failure.) */
static inline void
assert_holds_where(bool possible, const char *reason, void (*body)(void))
{
	if (possible)
		assert_holds(body);
	else
		printf("# skipped: %s\n", reason);
}

static inline bool
opens(const char *path, int flags)
{
	int fd = open(path, flags, 0600);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static inline bool
refused(const char *path, int flags)
{
	return !opens(path, flags) && errno == EACCES;
}

/* Removes a folder made by mkdtemp(3), with its content. */
static inline int
remove_folder(const char *folder)
{
	char command[200];
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}
