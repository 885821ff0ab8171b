/* SPDX-License-Identifier: MIT
 * Parses times as exports and people write them: 2024-03-01 09:30, 01.03.2024 09:30, 3/1/2024 9:30 PM, 1 Mar 2024, seconds and
 * milliseconds since 1970. Times without a zone are UTC. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/slice.h"

/* Whether 3/1/2024 is in January or in March. A file uses one order throughout. */
enum date_order { DATES_UNKNOWN, DATES_DAY_FIRST, DATES_MONTH_FIRST };

enum time_form {
	TIME_BAD,
	TIME_CLEAR,
	TIME_DAY_FIRST, /* the order matters for its form, and only this order is possible */
	TIME_MONTH_FIRST,
	TIME_EITHER /* the form is ambiguous without the order */
};

/* Sets *ms unless it is TIME_BAD; for TIME_EITHER according to the order. A form that contradicts the order is TIME_BAD. */
enum time_form time_parse(struct slice text, enum date_order order, int64_t *ms);
/* Whether it is a time in any order of day and month. */
bool time_is(struct slice text);
/* Whether it is what databases write for a missing time: 0000-00-00 00:00:00. */
bool time_is_none(struct slice text);
