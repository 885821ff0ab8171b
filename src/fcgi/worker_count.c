/* SPDX-License-Identifier: MIT */
#include "fcgi/worker_count.h"

#include <unistd.h>

enum { CORES_MAX = 4 };

size_t
fcgi_workers_auto(size_t per_core)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	if (cores <= 1) /* or unknown */
		return per_core;
	return per_core * (size_t)(cores < CORES_MAX ? cores : CORES_MAX);
}
