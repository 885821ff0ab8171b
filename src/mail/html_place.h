/* SPDX-License-Identifier: MIT
 * Follows the HTML of a template to find what is allowed at each place. HTML that browsers read in ways that are hard to follow
 * is refused; accepted HTML is read as browsers read it (WHATWG HTML, 13.2.5 "Tokenization"). Anything that runs scripts, leads
 * to another page, loads documents or sends forms is also refused (docs/mail.md 1.3). Conditional comments count as comments.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/css.h"
#include "base/pool.h"
#include "base/slice.h"

enum html_place {
	HTML_TEXT,      /* character data, including that of a title */
	HTML_ATTRIBUTE, /* a double-quoted attribute that is only shown */
	HTML_LINK,      /* the beginning of a double-quoted href */
	HTML_URL,       /* the beginning of a double-quoted src */
	HTML_URL_PART   /* the query of a URL in a href or src */
};

enum { HTML_NAME_MAX_BYTES = 16 };

/* A style element or attribute. Zero-initialized: at its beginning. */
struct html_style {
	struct css_scan css;
	char reference[HTML_NAME_MAX_BYTES]; /* its beginning, in lower case */
	size_t reference_size;
	bool in_reference; /* after "&" */
};

struct html_scan {
	int state;
	bool closing; /* the tag is an end tag */
	bool link;    /* the tag begins a link; mail programs look for no other links in its text */
	char tag[HTML_NAME_MAX_BYTES], attribute[HTML_NAME_MAX_BYTES], value[HTML_NAME_MAX_BYTES];
	size_t tag_size, attribute_size, value_size; /* full sizes, even if not all bytes are stored */
	size_t matched;                /* matched bytes of the end tag of a title or style; bytes of a comment so far */
	char last[3];                  /* the last bytes of a comment, the latest first */
	bool begins_with_value, query; /* whether the attribute's content begins with a value, and has a query */
	struct html_style style;
};

/* Sets the scan to the beginning of a document. */
void html_scan_init(struct html_scan *scan);
/* Follows one byte. Returns NULL, or what is wrong with it, for people: html_scan_message fills in the names. */
MUST_CHECK const char *html_scan_byte(struct html_scan *scan, char c);
/* The problem, with {element} and {attribute} replaced by the last ones that were followed; in the pool. */
struct slice html_scan_message(struct pool *pool, const struct html_scan *scan, const char *problem);
/* Sets *place to the current place. Returns NULL, or why no value is allowed here. */
MUST_CHECK const char *html_scan_place(const struct html_scan *scan, enum html_place *place);
/* Follows a value at a place where html_scan_place allows one. */
void html_scan_value(struct html_scan *scan);
/* Whether the scan is between tags, where a section may begin or end, and the document may end. */
bool html_scan_outside(const struct html_scan *scan);
