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

/* The contrast ratio of WCAG 2.2, from 1 to 21, with an error of at most 0.01. */
double color_contrast(struct color a, struct color b);
/* Black or white, whichever contrasts more with the colour. The contrast is at least 4.5. */
struct color color_on(struct color color);
/* A mixture of `percent` of `a` and the rest of `b`. */
struct color color_mix(struct color a, struct color b, unsigned percent);
