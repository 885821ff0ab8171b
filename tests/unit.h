/* SPDX-License-Identifier: MIT
 * The header that every unit test includes first: cmocka, the headers that it needs, and assertions for slices. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/slice.h"

#define assert_slices_equal(actual, expected)                                                      \
	do {                                                                                       \
		struct slice got_ = (actual), want_ = (expected);                                  \
		if (!slice_equal(got_, want_))                                                     \
			fail_msg("\"%.*s\" is not \"%.*s\"", SLICE_ARGS(got_), SLICE_ARGS(want_)); \
	} while (0)

/* `expected` is a C string. */
#define assert_slice(actual, expected) assert_slices_equal(actual, slice_of(expected))
