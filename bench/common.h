/* SPDX-License-Identifier: MIT
 * Shared by the clients and servers of the benchmarks. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SECOND_NS 1000000000ull

static inline void
fail(const char *what)
{
	perror(what);
	exit(1);
}

/* Nanoseconds of the monotonic clock, as in lead.lua. */
static inline uint64_t
now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * SECOND_NS + (uint64_t)time.tv_nsec;
}
