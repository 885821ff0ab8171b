/* SPDX-License-Identifier: MIT */
#include "os/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

void
descriptors_fill(void)
{
	int fd;
	do
		/* gets the lowest free number; not close-on-exec, like 0 to 2 */
		fd = open("/dev/null", fcntl(STDIN_FILENO, F_GETFD) < 0 ? O_WRONLY : O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	descriptor_close(fd);
}

int
descriptor_close(int fd)
{
	const int number = errno;
	if (fd >= 0)
		close(fd);
	errno = number;
	return -1;
}

FILE *
descriptor_in_memory(void)
{
	const int fd = memfd_create("leadhook", MFD_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w+");
	if (file == NULL)
		descriptor_close(fd);
	return file;
}
