/* SPDX-License-Identifier: MIT
 * A campaign's own texts and looks: what an operator sets for its pages (docs/pages.md). */
#ifndef LEADHOOK_PAGE_LOOKS_H
#define LEADHOOK_PAGE_LOOKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/buffer.h"
#include "base/pool.h"
#include "base/slice.h"
#include "text/text.h"
#include "json/writer.h"

enum look {
	LOOK_TITLE,
	LOOK_TEXT,
	LOOK_BUTTON,
	LOOK_FIELDS,
	LOOK_CONSENT,
	LOOK_PRIVACY_URL,
	LOOK_IMPRINT_URL,
	LOOK_STATUS_TEXT,
	LOOK_ENDED_TEXT,
	LOOK_SHARE_TEXT,
	LOOK_LEADERBOARD,
	LOOK_LOGO_URL,
	LOOK_SCHEME,
	LOOK_CSS,
	/* colours; those of the dark scheme follow in the same order */
	LOOK_ACCENT,
	LOOK_BACKGROUND,
	LOOK_CARD,
	LOOK_TEXT_COLOR,
	LOOK_DARK_ACCENT,
	LOOK_DARK_BACKGROUND,
	LOOK_DARK_CARD,
	LOOK_DARK_TEXT_COLOR,
	LOOKS
};
enum { LOOK_COLORS = LOOK_DARK_ACCENT - LOOK_ACCENT, LOOK_CSS_MAX = 16 * 1024 };

/* What each is called in `leadhook page set`, and in the rows of the campaign's texts after LOOK_PREFIX. */
const char *look_name(enum look look);
#define LOOK_PREFIX "page."
/* Returns false when there is none of this name. */
MUST_CHECK bool look_find(struct slice name, enum look *look);
/* Whether it may differ from language to language. */
bool look_has_language(enum look look);
/* Checks a value that an operator sets. Returns false with a sentence in *problem: "must be …". */
MUST_CHECK bool look_check(struct pool *pool, enum look look, struct slice value, struct slice *problem);

/* Absent: not set. */
struct looks {
	struct slice values[LOOKS];
};
/* The looks from rows, which look_add adds in any order: a value for `language` replaces one for all languages, which has no
 * code. Rows of other languages, and names that this version does not have, are ignored. */
void look_add(struct looks *looks, enum text_language language, struct slice name, struct slice code, struct slice value);

/* Whether the status page has the leaderboard: unless the campaign has switched it off. */
bool looks_have_board(const struct looks *looks);
/* Whether the colours of the schemes that are shown, with the usual ones for those that are not set, can be read:
 * WCAG 2.2, 1.4.3. Returns false with the text's colour that cannot in *look, and a sentence in *problem. */
MUST_CHECK bool looks_are_readable(struct pool *pool, const struct looks *looks, enum look *look, struct slice *problem);
/* Writes an object with those colours that a form on another page has, by scheme: "light" and "dark". */
void looks_write_colors(struct json_writer *writer, const struct looks *looks);
/* The campaign's own stylesheet, which follows the common one: its colours as custom properties, then its CSS. Empty when it
 * has none. */
void looks_write_style(struct buffer *out, const struct looks *looks);
/* A word that changes with that stylesheet; absent: there is none. */
struct slice looks_style_version(struct pool *pool, const struct looks *looks);
/* A word that changes with the consent's text: 16 hexadecimal digits. Absent without one. */
struct slice looks_consent_version(struct pool *pool, const struct looks *looks);

#endif
