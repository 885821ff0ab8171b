/* SPDX-License-Identifier: MIT */
#include "fcgi/scoreboard.h"

#include <sys/mman.h>

struct scoreboard *
scoreboard_new(size_t count)
{
	size_t size = sizeof(struct scoreboard) + count * sizeof(struct scoreboard_slot);
	struct scoreboard *scoreboard = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (scoreboard == MAP_FAILED)
		return NULL;
	scoreboard->count = count;
	return scoreboard;
}
