/* SPDX-License-Identifier: MIT */
#include "transfer/deferred.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

#include "base/pool.h"
#include "os/descriptors.h"

struct deferred {
	FILE *file;
	uint64_t count;
	bool writing; /* the position is at the end */
};

struct deferred *
deferred_new(enum deferred_place place)
{
	FILE *file = place == DEFERRED_IN_MEMORY ? descriptor_in_memory() : tmpfile();
	if (file == NULL)
		return NULL;
	struct deferred *deferred = memory_alloc(sizeof(*deferred));
	deferred->file = file;
	return deferred;
}

void
deferred_free(struct deferred **deferred)
{
	if (*deferred == NULL)
		return;
	fclose((*deferred)->file);
	free(*deferred);
	*deferred = NULL;
}

uint64_t
deferred_count(const struct deferred *deferred)
{
	return deferred->count;
}

bool
deferred_add(struct deferred *deferred, const struct record_place *place)
{
	if (!deferred->writing && fseeko(deferred->file, 0, SEEK_END) != 0)
		return false;
	deferred->writing = true;
	if (fwrite(place, sizeof(*place), 1, deferred->file) != 1)
		return false;
	deferred->count++;
	return true;
}

bool
deferred_get(struct deferred *deferred, uint64_t at, struct record_place *place)
{
	deferred->writing = false;
	return fseeko(deferred->file, (off_t)(at * sizeof(*place)), SEEK_SET) == 0 &&
	       fread(place, sizeof(*place), 1, deferred->file) == 1;
}
