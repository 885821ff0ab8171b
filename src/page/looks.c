/* SPDX-License-Identifier: MIT */
#include "page/looks.h"

#include <stdio.h>

#include "base/boolean.h"
#include "base/colors.h"
#include "base/css.h"
#include "base/encode.h"
#include "base/utf8.h"
#include "crypto/digest.h"
#include "identity/link.h"
#include "page/page_fields.h"

enum { LINE_MAX_BYTES = 300, TEXT_MAX_BYTES = 4000, LINK_MAX_BYTES = 2048, FIELDS_MAX_BYTES = 16 * 1024, VERSION_BYTES = 8 };

/* Returns the rule that the value breaks, or NULL. */
typedef const char *look_rule(struct slice value);

static const char *
line_rule(struct slice value)
{
	return utf8_has_control(value) ? "must be a single line" : NULL;
}

static const char *
text_rule(struct slice value)
{
	for (size_t i = 0; i < value.size; i++)
		if ((unsigned char)value.data[i] < ' ' && value.data[i] != '\n' && value.data[i] != '\t')
			return "has a character that cannot be shown";
	return NULL;
}

/* A link must not have another scheme, such as javascript:. "/./" and "/../" are refused because browsers resolve them, but the
 * policy of the page contains the path as it is written. */
static const char *
link_rule(struct slice value)
{
	static const struct slice segments[] = { SLICE("/./"), SLICE("/../") };
	const size_t end = slice_find(value, '?');
	const bool absolute = link_is_absolute(value);
	const bool path = slice_starts_with(value, SLICE("/")) && !slice_starts_with(value, SLICE("//"));
	for (size_t i = 0; i < value.size; i++)
		if ((unsigned char)value.data[i] <= ' ' || value.data[i] == '"' || value.data[i] == '\\' ||
		    value.data[i] == ';')
			return "must be a web address without blanks, quotation marks, backslashes and semicolons";
	for (size_t i = 0; i < ARRAY_SIZE(segments); i++)
		if (slice_contains(slice_sub(value, 0, end), segments[i]))
			return "must be a web address without /./ and /../";
	return (absolute || path) && link_is_web(value)
		   ? NULL
		   : "must be a web address that begins with https:// or http://, or a path that begins with /";
}

static const char *
switch_rule(struct slice value)
{
	bool on;
	return boolean_parse(value, &on) ? NULL : "must be yes or no";
}

enum scheme_choice { SCHEME_AUTO, SCHEME_LIGHT, SCHEME_DARK };
static const struct slice scheme_choices[] = { SLICE("auto"), SLICE("light"), SLICE("dark") };

static const char *
scheme_rule(struct slice value)
{
	return slice_is_one_of(value, scheme_choices, ARRAY_SIZE(scheme_choices)) ? NULL : "must be auto, light or dark";
}

static const char *
color_rule(struct slice value)
{
	struct color color;
	return color_parse(value, &color) ? NULL : "must be a colour: # and six digits or letters from a to f, such as #0b6e69";
}

/* A stylesheet that loads pictures can tell a host what is typed into a form: with a rule for each beginning of a value, each
 * with another picture. The page's policy allows only the host of the logo. `<` is harmless in a stylesheet that is a file. */
static const char *
css_rule(struct slice value)
{
	struct css_scan scan = { .escaped = false };
	for (size_t i = 0; i < value.size; i++) {
		if (!css_scan_byte(&scan, value.data[i]))
			return "must not have a backslash before letters and digits";
		if (css_scan_loads(&scan))
			return "must not load anything: url(), src(), image(), image-set() and @import are not allowed";
	}
	return text_rule(value);
}

#define KIND(id, name, maximum, rule, has_language) [id] = { name, maximum, rule, has_language },
static const struct {
	const char *name;
	size_t maximum; /* bytes */
	look_rule *rule;
	bool has_language;
} kinds[LOOKS] = { LOOK_LIST(KIND) };

const char *
look_name(enum look look)
{
	return kinds[look].name;
}

bool
look_find(struct slice name, enum look *look)
{
	for (unsigned i = 0; i < LOOKS; i++) {
		if (!slice_equal(name, slice_of(kinds[i].name)))
			continue;
		*look = (enum look)i;
		return true;
	}
	return false;
}

bool
look_has_language(enum look look)
{
	return kinds[look].has_language;
}

bool
look_check(struct pool *pool, enum look look, struct slice value, struct slice *problem)
{
	struct page_fields fields;
	if (value.size > kinds[look].maximum) {
		*problem = pool_printf(pool, "must have at most %zu bytes, and has %zu", kinds[look].maximum, value.size);
		return false;
	}
	if (!utf8_valid(value) || slice_trim(value).size == 0) {
		*problem = SLICE("must be a text that is not blank");
		return false;
	}
	const char *broken = kinds[look].rule(value);
	*problem = slice_of(broken);
	return broken == NULL && (look != LOOK_FIELDS || page_fields_parse(pool, value, &fields, problem));
}

void
look_add(struct looks *looks, enum text_language language, struct slice name, struct slice code, struct slice value)
{
	enum look look;
	enum text_language of_row;
	const struct slice prefix = SLICE(LOOK_PREFIX);
	if (!slice_starts_with(name, prefix) || !look_find(slice_sub(name, prefix.size, name.size), &look))
		return;
	if (code.size == 0) {
		if (!slice_present(looks->values[look]))
			looks->values[look] = value;
	} else if (text_language_parse(code, &of_row) && of_row == language) {
		looks->values[look] = value;
	}
}

/* ---- colours ---- */

/* The colours of a scheme. All others are derived from these. */
struct scheme {
	struct color accent, background, card, text;
};

/* The defaults of the light and the dark scheme, as in src/page/style.css. */
static const struct scheme usual[] = {
	{ { 0x43, 0x38, 0xca }, { 0xf4, 0xf5, 0xf9 }, { 0xff, 0xff, 0xff }, { 0x1a, 0x1c, 0x2b } },
	{ { 0xa5, 0xa8, 0xff }, { 0x10, 0x11, 0x1a }, { 0x1b, 0x1d, 0x2a }, { 0xec, 0xed, 0xf6 } },
};

/* Whether visitors may get this scheme. */
static bool
has_scheme(const struct looks *looks, unsigned dark)
{
	const struct slice choice = looks->values[LOOK_SCHEME];
	return !slice_equal(choice, scheme_choices[dark ? SCHEME_LIGHT : SCHEME_DARK]);
}

static void
read_color(const struct looks *looks, unsigned look, struct color *color)
{
	const struct slice value = looks->values[look];
	if (slice_present(value) && !color_parse(value, color))
		return; /* checked when it was set */
}

/* The colours of a scheme. The dark scheme has the accent of the light one unless its own accent is set. */
static struct scheme
scheme_of(const struct looks *looks, unsigned dark)
{
	struct scheme scheme = usual[dark];
	const unsigned first = LOOK_ACCENT + dark * LOOK_COLORS;
	read_color(looks, LOOK_ACCENT, &scheme.accent);
	read_color(looks, first, &scheme.accent);
	read_color(looks, first + LOOK_BACKGROUND - LOOK_ACCENT, &scheme.background);
	read_color(looks, first + LOOK_CARD - LOOK_ACCENT, &scheme.card);
	read_color(looks, first + LOOK_TEXT_COLOR - LOOK_ACCENT, &scheme.text);
	return scheme;
}

static double
contrast(const struct scheme *scheme, struct color color)
{
	const double card = color_contrast(color, scheme->card), background = color_contrast(color, scheme->background);
	return card < background ? card : background;
}

/* The colour of the text, made as faint as possible with this contrast to card and background. */
static struct color
faint(const struct scheme *scheme, double least)
{
	enum { FAINTEST = 40, STEP = 5 };
	for (unsigned percent = FAINTEST; percent < 100; percent += STEP) {
		const struct color color = color_mix(scheme->text, scheme->card, percent);
		if (contrast(scheme, color) >= least)
			return color;
	}
	return scheme->text;
}

bool
looks_have_board(const struct looks *looks)
{
	bool shown;
	return !boolean_parse(looks->values[LOOK_LEADERBOARD], &shown) || shown;
}

bool
looks_are_readable(struct pool *pool, const struct looks *looks, enum look *look, struct slice *problem)
{
	for (unsigned dark = 0; dark < ARRAY_SIZE(usual); dark++) {
		const struct scheme scheme = scheme_of(looks, dark);
		const double ratio = contrast(&scheme, scheme.text);
		if (ratio >= 4.5 || !has_scheme(looks, dark))
			continue;
		*look = (enum look)(LOOK_TEXT_COLOR + dark * LOOK_COLORS);
		*problem = pool_printf(pool,
		    "must be easier to read: its contrast to the cards or the background is %.1f:1, and at least 4.5:1 is "
		    "needed",
		    ratio);
		return false;
	}
	return true;
}

static void
write_color(struct buffer *out, const char *name, struct color color)
{
	buffer_printf(out, "--%s:#%02x%02x%02x;", name, color.red, color.green, color.blue);
}

static void
write_scheme(struct buffer *out, const struct looks *looks, unsigned dark)
{
	const struct scheme scheme = scheme_of(looks, dark);
	const bool alone = !has_scheme(looks, !dark);
	if (!has_scheme(looks, dark))
		return;
	buffer_add_text(out, "@media ");
	buffer_printf(out, alone ? "all{:root{color-scheme:%s;" : "(prefers-color-scheme:%s){:root{",
	    scheme_choices[dark ? SCHEME_DARK : SCHEME_LIGHT].data);
	write_color(out, "accent", scheme.accent);
	write_color(out, "on-accent", color_on(scheme.accent));
	write_color(out, "background", scheme.background);
	write_color(out, "card", scheme.card);
	write_color(out, "text", scheme.text);
	write_color(out, "muted", faint(&scheme, 4.8));
	write_color(out, "edge", faint(&scheme, 3.2));
	write_color(out, "line", color_mix(scheme.text, scheme.card, 14));
	buffer_add_text(out, "}}\n");
}

static void
write_member(struct json_writer *writer, const char *name, struct color color)
{
	char text[sizeof("#rrggbb")];
	snprintf(text, sizeof(text), "#%02x%02x%02x", color.red, color.green, color.blue);
	json_put_text(writer, slice_of(name), slice_of(text));
}

void
looks_write_colors(struct json_writer *writer, const struct looks *looks)
{
	json_begin_object(writer);
	for (unsigned dark = 0; dark < ARRAY_SIZE(usual); dark++) {
		const struct scheme scheme = scheme_of(looks, has_scheme(looks, dark) ? dark : !dark);
		json_name(writer, scheme_choices[dark ? SCHEME_DARK : SCHEME_LIGHT]);
		json_begin_object(writer);
		write_member(writer, "accent", scheme.accent);
		write_member(writer, "on-accent", color_on(scheme.accent));
		write_member(writer, "edge", faint(&scheme, 3.2));
		json_end_object(writer);
	}
	json_end_object(writer);
}

void
looks_write_style(struct buffer *out, const struct looks *looks)
{
	bool colored = !has_scheme(looks, false) || !has_scheme(looks, true);
	for (unsigned look = LOOK_ACCENT; look < LOOKS; look++)
		colored = colored || slice_present(looks->values[look]);
	for (unsigned dark = 0; colored && dark < ARRAY_SIZE(usual); dark++)
		write_scheme(out, looks, dark);
	/* an earlier version may have accepted what is not allowed now */
	if (slice_present(looks->values[LOOK_CSS]) && css_rule(looks->values[LOOK_CSS]) == NULL)
		buffer_add(out, looks->values[LOOK_CSS]);
}

/* ---- versions ---- */

static struct slice
version_of(struct pool *pool, struct slice text)
{
	if (text.size == 0)
		return SLICE_NONE;
	const struct digest digest = digest_sha256(&text, 1);
	return encode_hex(pool, slice_sub(digest_slice(&digest), 0, VERSION_BYTES));
}

struct slice
looks_style_version(struct pool *pool, const struct looks *looks)
{
	enum { COLORS_MAX_BYTES = 1024 };
	struct buffer style;
	buffer_init(&style, LOOK_CSS_MAX + COLORS_MAX_BYTES);
	looks_write_style(&style, looks);
	const struct slice version = version_of(pool, buffer_slice(&style));
	buffer_free(&style);
	return version;
}

struct slice
looks_consent_version(struct pool *pool, const struct looks *looks)
{
	return version_of(pool, looks->values[LOOK_CONSENT]);
}
