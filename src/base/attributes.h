/* SPDX-License-Identifier: MIT
 * Compiler attributes. */
#pragma once

/* Ignoring the return value, which reports success, is a compile error. */
#define MUST_CHECK __attribute__((warn_unused_result))
#define PRINTF_LIKE(template, first) __attribute__((__format__(__printf__, template, first)))
#define NO_RETURN __attribute__((noreturn))
#define UNUSED __attribute__((unused))

/* Whether the address sanitizer is built in: gcc and clang say it differently. */
#ifdef __has_feature
#define HAS_ADDRESS_SANITIZER __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define HAS_ADDRESS_SANITIZER 1
#else
#define HAS_ADDRESS_SANITIZER 0
#endif

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
