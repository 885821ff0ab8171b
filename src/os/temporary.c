/* SPDX-License-Identifier: MIT */
#include "os/temporary.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

FILE *
temporary_in_memory(void)
{
	const int fd = memfd_create("leadhook", MFD_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w+");
	if (file == NULL && fd >= 0) {
		const int number = errno;
		close(fd);
		errno = number;
	}
	return file;
}
