/* SPDX-License-Identifier: MIT
 * Bytes from the kernel's generator (getrandom(2)). */
#ifndef LEADHOOK_BASE_RANDOM_H
#define LEADHOOK_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* Fills `out`; ends the process when the kernel gives none (it then has no generator at all). */
void random_bytes(void *out, size_t size);
/* Evenly from 0 to below `bound` (> 0). */
uint64_t random_below(uint64_t bound);

#endif
