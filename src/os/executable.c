/* SPDX-License-Identifier: MIT */
#include "os/executable.h"

#include <unistd.h>

enum { PATH_MAX_BYTES = 4096 };

const char *
executable_path(struct pool *pool)
{
	char path[PATH_MAX_BYTES];
	const ssize_t size = readlink("/proc/self/exe", path, sizeof(path));
	return size < 0 ? NULL : pool_copy(pool, (struct slice){ path, (size_t)size }).data;
}
