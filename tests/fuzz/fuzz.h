/* SPDX-License-Identifier: MIT
 * What every fuzz target begins with. A target is one function, which is given any bytes at all and must find each rule of
 * its own kept; libFuzzer calls it with what it makes up, driver.c with the target's seeds. */
#ifndef LEADHOOK_TESTS_FUZZ_FUZZ_H
#define LEADHOOK_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/pool.h"
#include "base/slice.h"

/* libFuzzer's name for it; always 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In every build: assert(3) may be compiled away. */
#define REQUIRE(rule) ((rule) ? (void)0 : (fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #rule), abort()))

/* Never absent. */
static inline struct slice
fuzz_input(const uint8_t *data, size_t size)
{
	return (struct slice){ size == 0 ? "" : (const char *)data, size };
}

/* Takes the next line off the front, without its end; "" when there is none. */
static inline struct slice
fuzz_line(struct slice *rest)
{
	struct slice line;
	return slice_next(rest, '\n', &line) ? line : SLICE("");
}

#endif
