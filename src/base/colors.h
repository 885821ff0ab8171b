/* SPDX-License-Identifier: MIT
 * Colours of pages and mails: `#rrggbb` in sRGB. */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "base/slice.h"

struct color {
	unsigned char red, green, blue;
};

/* "#1f6feb", digits in either case. Returns false for anything else. */
MUST_CHECK bool color_parse(struct slice text, struct color *color);

/* The contrast ratio of WCAG 2.2, from 1 to 21, within a hundredth of it. */
double color_contrast(struct color a, struct color b);
/* Black or white, whichever has more contrast to the colour. It is at least 4.5. */
struct color color_on(struct color color);
/* `percent` of the first one, the rest of the second one. */
struct color color_mix(struct color a, struct color b, unsigned percent);
