/* SPDX-License-Identifier: MIT
 * Exponential back-off after database errors: doubles, up to 5 s. */
#ifndef LEADHOOK_DELIVER_BACK_OFF_H
#define LEADHOOK_DELIVER_BACK_OFF_H

#include <stdint.h>

#include "base/result.h"

/* Zero-initialized: no failure. */
struct back_off {
	int64_t until_ms;  /* clock_monotonic_ms */
	unsigned failures; /* consecutive; 0 after a success */
};

/* Records one more failure and logs it. `step` is the operation that failed. */
void back_off(struct back_off *back_off, const char *step, enum result result);

#endif
