/* SPDX-License-Identifier: MIT
 * Time in milliseconds. The rules never read a clock: they get the database's time as an argument (docs/deliveries.md 4). */
#pragma once

#include <stdint.h>

#include "base/attributes.h"
#include "base/slice.h"

/* Since 1970-01-01T00:00:00Z, by this host's clock: for logs, Retry-After dates and seeds only. */
int64_t clock_wall_ms(void);
/* Monotonic; only differences are meaningful. */
int64_t clock_monotonic_ms(void);
/* The same clock in microseconds, to measure what takes less than some milliseconds. */
int64_t clock_monotonic_us(void);
/* Likewise, but also counts while the host is suspended. For leases and similar limits, after which others may take over. */
int64_t clock_boot_ms(void);

/* Later than any time. */
#define CLOCK_NEVER INT64_MAX

/* The start of the year 10000, which RFC 3339 cannot represent. */
#define CLOCK_END_MS INT64_C(253402300800000)

enum { CLOCK_RFC3339_SIZE = 32 };
/* "2026-11-21T03:38:13Z": UTC, seconds (RFC 3339); milliseconds are cut off. Outside the years 1970 to 9999: the start of
 * 1970. */
void clock_rfc3339(int64_t ms, char out[CLOCK_RFC3339_SIZE]);
/* Parses an RFC 3339 time ("2026-11-21T03:38:13Z", fractions and numeric offsets too) or a date ("2026-11-21", its start in
 * UTC). Returns false for anything else and outside the years 1970 to 9999. */
MUST_CHECK bool clock_parse_rfc3339(struct slice text, int64_t *ms);
