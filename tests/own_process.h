/* SPDX-License-Identifier: MIT
 * For tests of what has no way back: in a process of their own. */
#pragma once

#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* In such a process: what does not hold is its end. */
#define MUST(holds)                                                             \
	do {                                                                    \
		if (!(holds)) {                                                 \
			fprintf(stderr, "line %d: %s: %m\n", __LINE__, #holds); \
			_exit(1);                                               \
		}                                                               \
	} while (0)

/* What became of `body`, as waitpid(2) reports it. */
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

/* The same where it can be tried, else why not. (skip() writes "not ok", which is a failure to automake.) */
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

/* A folder made by mkdtemp(3), with all that is in it. */
static inline int
remove_folder(const char *folder)
{
	char command[200];
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}
