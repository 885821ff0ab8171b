/* SPDX-License-Identifier: MIT */
#include "os/descriptors.h"

#include <fcntl.h>
#include <unistd.h>

void
descriptors_fill(void)
{
	int fd;
	do
		/* gets the lowest free number; not close-on-exec, like 0 to 2 */
		fd = open("/dev/null", fcntl(STDIN_FILENO, F_GETFD) < 0 ? O_WRONLY : O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}
