/* SPDX-License-Identifier: MIT
 * Templates of mails (docs/mail.md 1): `{{name}}` is a value, `{{#name}}…{{/name}}` is left out when there is no such value.
 * There is nothing else: no expression, no loop, no unescaped value. A literal `{{` cannot be written. */
#pragma once

#include "mail/names.h"

enum template_place {
	TEMPLATE_SUBJECT, /* one line of plain text */
	TEMPLATE_TEXT,    /* plain text */
	TEMPLATE_HTML,    /* HTML; a value is escaped or refused, depending on its place */
	TEMPLATE_PLACES
};

/* Maximum bytes of a template and of its output. A mail program shows about 100 KiB of HTML. */
enum {
	TEMPLATE_SUBJECT_MAX_BYTES = 1024,
	TEMPLATE_TEXT_MAX_BYTES = 16 * 1024,
	TEMPLATE_HTML_MAX_BYTES = 60 * 1024,
	TEMPLATE_SUBJECT_OUTPUT_MAX = 16 * 1024,
	TEMPLATE_TEXT_OUTPUT_MAX = 64 * 1024,
	TEMPLATE_HTML_OUTPUT_MAX = 256 * 1024
};
/* How deep sections may be nested. */
enum { TEMPLATE_DEPTH_MAX = 4 };

struct template_rules {
	enum template_place place;
	mail_names allowed;  /* values that it may show */
	mail_names required; /* values that it must show, no matter which other values are absent */
	size_t source_max;   /* maximum bytes of a template that was made from another one; 0: as above */
};

struct template_error {
	size_t line, column;  /* from 1; columns count characters */
	struct slice message; /* for people, in the pool: "there is no value \"firstname\"" */
};

struct template;

/* Checks and compiles a template. Line ends may be LF or CR LF. It refuses templates that are not UTF-8, control characters
 * other than line ends and tabs, and sections in HTML that begin or end within a tag. A line with nothing but section tags is
 * removed together with them. The result is in the pool and refers to the source. Returns false, with *error set, when the
 * template is refused. */
MUST_CHECK bool template_compile(struct pool *pool, struct slice source, const struct template_rules *rules,
    const struct template **made, struct template_error *error);

/* Renders the template with these values, which it cleans (mail_values_clean) and escapes. Values are never read as templates.
 * Lines end with LF. Returns false when the result is larger than the maximum for its place. */
MUST_CHECK bool template_render(
    struct pool *pool, const struct template *made, const struct mail_values *values, struct slice *out);
