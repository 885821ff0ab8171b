/* SPDX-License-Identifier: MIT
 * Included by every fuzz target. A target is a function that takes any bytes and checks its rules with REQUIRE; libFuzzer
 * calls it with generated input, driver.c with the target's seeds. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/pool.h"
#include "base/slice.h"

/* The name is libFuzzer's. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Active in every build, unlike assert(3). */
#define REQUIRE(rule) ((rule) ? (void)0 : (fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #rule), abort()))

/* The input as a slice, which is never absent. */
static inline struct slice
fuzz_input(const uint8_t *data, size_t size)
{
	return (struct slice){ size == 0 ? "" : (const char *)data, size };
}

/* Removes and returns the first line, without its end; "" when there is none. */
static inline struct slice
fuzz_line(struct slice *rest)
{
	struct slice line;
	return slice_next(rest, '\n', &line) ? line : SLICE("");
}
