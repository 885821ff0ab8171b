/* SPDX-License-Identifier: MIT
 * How long whoever found the database away leaves it alone: doubling, up to 5 s. */
#ifndef LEADHOOK_DELIVER_BACK_OFF_H
#define LEADHOOK_DELIVER_BACK_OFF_H

#include <stdint.h>

#include "base/result.h"

/* All zeros: it is there. */
struct back_off {
	int64_t until_ms;  /* by clock_monotonic_ms */
	unsigned failures; /* in a row; 0 again: it is there */
};

/* One failure more, and logged; `step` is what was tried. */
void back_off(struct back_off *back_off, const char *step, enum result result);

#endif
