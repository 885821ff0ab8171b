/* SPDX-License-Identifier: MIT */
#include "os/random.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "base/panic.h"
#include "os/log.h"

void
random_bytes(void *out, size_t size)
{
	char *at = out;
	while (size > 0) {
		ssize_t got = getrandom(at, size, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			log_error("no_random", LOG_ERRNO(errno));
			panic("no random numbers");
		}
		at += got;
		size -= (size_t)got;
	}
}

uint64_t
random_below(uint64_t bound)
{
	require(bound > 0);
	/* reject values above the largest multiple of bound, which would favour small numbers */
	uint64_t limit = UINT64_MAX - UINT64_MAX % bound, number;
	do
		random_bytes(&number, sizeof(number));
	while (number >= limit);
	return number % bound;
}
