/* SPDX-License-Identifier: MIT
 * The texts and the design that an operator sets for the pages of a campaign (docs/pages.md). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/buffer.h"
#include "base/pool.h"
#include "base/slice.h"
#include "json/writer.h"
#include "text/text.h"

/* The maximum and the rule are defined in looks.c.
 * X(id, name, maximum in bytes, rule, whether each language can have its own value) */
/* clang-format off */
#define LOOK_LIST(X) \
	X(LOOK_TITLE, "title", LINE_MAX_BYTES, line_rule, true) \
	X(LOOK_TEXT, "text", TEXT_MAX_BYTES, text_rule, true) \
	X(LOOK_BUTTON, "button", LINE_MAX_BYTES, line_rule, true) \
	X(LOOK_FIELDS, "fields", FIELDS_MAX_BYTES, text_rule, true) \
	X(LOOK_CONSENT, "consent", TEXT_MAX_BYTES, text_rule, true) \
	X(LOOK_PRIVACY_URL, "privacy_url", LINK_MAX_BYTES, link_rule, true) \
	X(LOOK_IMPRINT_URL, "imprint_url", LINK_MAX_BYTES, link_rule, true) \
	X(LOOK_STATUS_TEXT, "status_text", TEXT_MAX_BYTES, text_rule, true) \
	X(LOOK_ENDED_TEXT, "ended_text", TEXT_MAX_BYTES, text_rule, true) \
	X(LOOK_SHARE_TEXT, "share_text", LINE_MAX_BYTES, line_rule, true) \
	X(LOOK_LEADERBOARD, "leaderboard", LINE_MAX_BYTES, switch_rule, false) \
	X(LOOK_LOGO_URL, "logo_url", LINK_MAX_BYTES, link_rule, false) \
	X(LOOK_SCHEME, "scheme", LINE_MAX_BYTES, scheme_rule, false) \
	X(LOOK_CSS, "css", LOOK_CSS_MAX, css_rule, false) \
	/* colours; those of the dark scheme follow in the same order */ \
	X(LOOK_ACCENT, "accent", LINE_MAX_BYTES, color_rule, false) \
	X(LOOK_BACKGROUND, "background", LINE_MAX_BYTES, color_rule, false) \
	X(LOOK_CARD, "card", LINE_MAX_BYTES, color_rule, false) \
	X(LOOK_TEXT_COLOR, "text_color", LINE_MAX_BYTES, color_rule, false) \
	X(LOOK_DARK_ACCENT, "dark_accent", LINE_MAX_BYTES, color_rule, false) \
	X(LOOK_DARK_BACKGROUND, "dark_background", LINE_MAX_BYTES, color_rule, false) \
	X(LOOK_DARK_CARD, "dark_card", LINE_MAX_BYTES, color_rule, false) \
	X(LOOK_DARK_TEXT_COLOR, "dark_text_color", LINE_MAX_BYTES, color_rule, false)
/* clang-format on */
#define LOOK_ID(id, ...) id,
enum look { LOOK_LIST(LOOK_ID) LOOKS };
#undef LOOK_ID
enum { LOOK_COLORS = LOOK_DARK_ACCENT - LOOK_ACCENT, LOOK_CSS_MAX = 16 * 1024 };

/* The name in `leadhook page set`. In the table of texts, LOOK_PREFIX precedes it. */
const char *look_name(enum look look);
#define LOOK_PREFIX "page."
/* Returns false when no look has this name. */
MUST_CHECK bool look_find(struct slice name, enum look *look);
/* Whether each language can have its own value. */
bool look_has_language(enum look look);
/* Checks a value that an operator sets. Returns false, with the rule in *problem: "must be …", when it is not valid. */
MUST_CHECK bool look_check(struct pool *pool, enum look look, struct slice value, struct slice *problem);

/* Values that are not set are absent. */
struct looks {
	struct slice values[LOOKS];
};
/* Adds a row of the table of texts; rows can come in any order. A row for all languages has an empty code; one for `language`
 * takes precedence over it. Rows for other languages, and names that this version does not know, are ignored. */
void look_add(struct looks *looks, enum text_language language, struct slice name, struct slice code, struct slice value);

/* Whether the status page has a leaderboard; it has one unless the campaign has switched it off. */
bool looks_have_board(const struct looks *looks);
/* Whether texts have enough contrast in each scheme that visitors get (WCAG 2.2, 1.4.3); colours that are not set have their
 * defaults. Returns false, with the colour of the text in *look and "must be …" in *problem, when it does not. */
MUST_CHECK bool looks_are_readable(struct pool *pool, const struct looks *looks, enum look *look, struct slice *problem);
/* Writes an object with the colours for a form on another site, by scheme: "light" and "dark". */
void looks_write_colors(struct json_writer *writer, const struct looks *looks);
/* Writes the campaign's stylesheet, which browsers load after the common one: its colours as custom properties, then its CSS.
 * Writes nothing when it has neither. */
void looks_write_style(struct buffer *out, const struct looks *looks);
/* 16 hexadecimal digits that change with this stylesheet; absent: it is empty. */
struct slice looks_style_version(struct pool *pool, const struct looks *looks);
/* A number of the same form that changes with the text of the consent; absent: there is none. */
struct slice looks_consent_version(struct pool *pool, const struct looks *looks);
