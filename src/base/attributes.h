/* SPDX-License-Identifier: MIT
 * Compiler attributes. */
#pragma once

/* Ignoring the return value, which reports success, is a compile error. */
#define MUST_CHECK __attribute__((warn_unused_result))
#define PRINTF_LIKE(template, first) __attribute__((__format__(__printf__, template, first)))
#define NO_RETURN __attribute__((noreturn))
#define UNUSED __attribute__((unused))

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
