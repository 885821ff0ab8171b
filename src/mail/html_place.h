/* SPDX-License-Identifier: MIT
 * Follows the HTML of a template, to find what is allowed at a place in it. It refuses what browsers read in ways that are hard
 * to follow; what it accepts, browsers read as it does (WHATWG HTML, 13.2.5 "Tokenization"). It also refuses what runs scripts,
 * leads away, loads documents or sends forms (docs/mail.md 1.3). Conditional comments are comments. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/css.h"
#include "base/pool.h"
#include "base/slice.h"

enum html_place {
	HTML_TEXT,      /* character data, also that of a title */
	HTML_ATTRIBUTE, /* a double-quoted attribute that only shows its value */
	HTML_LINK,      /* the beginning of a double-quoted href */
	HTML_URL,       /* that of a src */
	HTML_URL_PART   /* the query of a URL in one */
};

enum { HTML_NAME_MAX_BYTES = 16 };

/* Of an element or attribute. Zeros: a style begins. */
struct html_style {
	struct css_scan css;
	char reference[HTML_NAME_MAX_BYTES]; /* how it begins, in lower case */
	size_t reference_size;
	bool in_reference; /* after "&" */
};

struct html_scan {
	int state;
	bool closing; /* the tag is an end tag */
	bool link;    /* the tag is that of a link: programs look for no other link in the text of one */
	char tag[HTML_NAME_MAX_BYTES], attribute[HTML_NAME_MAX_BYTES], value[HTML_NAME_MAX_BYTES];
	size_t tag_size, attribute_size, value_size; /* in full: longer ones match no name */
	size_t matched;                              /* of the end tag of a title or style; of a comment: its bytes */
	char last[3];                                /* bytes of a comment, the last one first */
	bool begins_with_value, query;               /* of the value of an attribute */
	struct html_style style;
};

/* The beginning of a document. */
void html_scan_init(struct html_scan *scan);
/* Follows one byte. Returns NULL, or what is wrong with it, for people: html_scan_message fills in the names. */
MUST_CHECK const char *html_scan_byte(struct html_scan *scan, char c);
/* What is wrong, with {element} and {attribute} replaced by those that were followed last; in the pool. */
struct slice html_scan_message(struct pool *pool, const struct html_scan *scan, const char *problem);
/* The place here, in *place. Returns NULL, or why no value is allowed here. */
MUST_CHECK const char *html_scan_place(const struct html_scan *scan, enum html_place *place);
/* Follows a value that stands at such a place. */
void html_scan_value(struct html_scan *scan);
/* True between tags, where a section may begin or end, and the document may end. */
bool html_scan_outside(const struct html_scan *scan);
