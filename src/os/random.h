/* SPDX-License-Identifier: MIT
 * Bytes from the kernel's generator (getrandom(2)). */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Fills `out`. Ends the process when the kernel has no generator. */
void random_bytes(void *out, size_t size);
/* Uniformly distributed, 0 to `bound` - 1; `bound` > 0. */
uint64_t random_below(uint64_t bound);
