/* SPDX-License-Identifier: MIT
 * Follows the style of a template: an element or an attribute. What it accepts loads nothing and runs
 * nothing: a picture in a rule for some values of attributes would send its host a part of a secret. */
#pragma once

#include "base/css.h"

enum { HTML_STYLE_BYTES = 16 };

/* Zeros: a style begins. */
struct html_style {
	struct css_scan css;
	char reference[HTML_STYLE_BYTES]; /* how it begins, in lower case */
	size_t reference_size;
	bool in_reference; /* after "&" */
};

/* Follows one byte of an element `style`. Returns NULL, or what is wrong with it, for people. */
MUST_CHECK const char *html_style_byte(struct html_style *style, char c);
/* The same for an attribute. Of character references it accepts only those that stand for no letter. */
MUST_CHECK const char *html_style_attribute_byte(struct html_style *style, char c);
/* At the end of both. */
MUST_CHECK const char *html_style_end(struct html_style *style);
