/* SPDX-License-Identifier: MIT */
#include "mail/html_place.h"

#include "base/slice.h"

enum state {
	TEXT,
	TAG_OPEN,     /* after "<" */
	END_TAG_OPEN, /* after "</" */
	TAG_NAME,
	IN_TAG, /* before an attribute */
	ATTRIBUTE_NAME,
	AFTER_NAME,   /* before "=", or another attribute */
	BEFORE_VALUE, /* after "=" */
	VALUE_DOUBLE,
	VALUE_SINGLE,
	VALUE_BARE,
	MARKUP,      /* after "<!" */
	MARKUP_DASH, /* after "<!-" */
	COMMENT,
	DECLARATION, /* a doctype and what browsers skip as a comment: up to the next ">" */
	TITLE,
	STYLE, /* their text, up to their end tag */
	STATES
};

/* Elements that mail programs drop, that load documents, or whose content is read by rules of its own. */
static const struct slice refused[] = { SLICE("applet"), SLICE("base"), SLICE("embed"), SLICE("frame"), SLICE("frameset"),
	SLICE("iframe"), SLICE("listing"), SLICE("math"), SLICE("noembed"), SLICE("noframes"), SLICE("noscript"),
	SLICE("object"), SLICE("plaintext"), SLICE("script"), SLICE("svg"), SLICE("template"), SLICE("textarea"),
	SLICE("xmp") };
/* Attributes that browsers only show or read aloud. */
static const struct slice plain_attributes[] = { SLICE("alt"), SLICE("aria-label"), SLICE("lang"), SLICE("title") };
static const struct slice url_attributes[] = { SLICE("href"), SLICE("src") };
static const struct slice schemes[] = { SLICE("http://"), SLICE("https://"), SLICE("mailto:") };

/* A name as far as it was stored; longer ones end with a byte that no known name has. */
static struct slice
name_of(const char *name, size_t size)
{
	return (struct slice){ name, size > HTML_NAME_MAX_BYTES ? 0 : size };
}

static void
extend(char *name, size_t *size, char c)
{
	if (*size < HTML_NAME_MAX_BYTES)
		name[*size] = ascii_lower(c);
	++*size;
}

void
html_scan_init(struct html_scan *scan)
{
	*scan = (struct html_scan){ .state = TEXT };
}

static const char *
begin_tag(struct html_scan *scan, char c, bool closing)
{
	scan->state = TAG_NAME;
	scan->closing = closing;
	scan->tag_size = scan->attribute_size = 0;
	extend(scan->tag, &scan->tag_size, c);
	return NULL;
}

/* After ">". */
static const char *
end_tag(struct html_scan *scan)
{
	const struct slice tag = name_of(scan->tag, scan->tag_size);
	scan->matched = 0;
	scan->state = scan->closing                      ? TEXT
		      : slice_equal(tag, SLICE("title")) ? TITLE
		      : slice_equal(tag, SLICE("style")) ? STYLE
							 : TEXT;
	return NULL;
}

static const char *
in_text(struct html_scan *scan, char c)
{
	if (c == '<')
		scan->state = TAG_OPEN;
	return NULL;
}

static const char *
in_tag_open(struct html_scan *scan, char c)
{
	if (ascii_is_alpha(c))
		return begin_tag(scan, c, false);
	if (c != '/' && c != '!' && c != '?')
		return "a < that begins no tag is written &lt;";
	scan->state = c == '/' ? END_TAG_OPEN : c == '!' ? MARKUP : DECLARATION;
	return NULL;
}

static const char *
in_end_tag_open(struct html_scan *scan, char c)
{
	return ascii_is_alpha(c) ? begin_tag(scan, c, true) : "a < that begins no tag is written &lt;";
}

static const char *
in_tag(struct html_scan *scan, char c)
{
	if (c == '>')
		return end_tag(scan);
	if (ascii_is_space(c) || c == '/')
		return NULL;
	scan->state = ATTRIBUTE_NAME;
	scan->attribute_size = 0;
	extend(scan->attribute, &scan->attribute_size, c);
	return NULL;
}

static const char *
in_tag_name(struct html_scan *scan, char c)
{
	if (!ascii_is_space(c) && c != '/' && c != '>') {
		extend(scan->tag, &scan->tag_size, c);
		return NULL;
	}
	if (slice_is_one_of(name_of(scan->tag, scan->tag_size), refused, ARRAY_SIZE(refused)))
		return "this element has no place in a mail";
	scan->state = IN_TAG;
	return in_tag(scan, c);
}

static const char *
in_attribute_name(struct html_scan *scan, char c)
{
	if (c == '=')
		scan->state = BEFORE_VALUE;
	else if (ascii_is_space(c))
		scan->state = AFTER_NAME;
	else if (c == '/' || c == '>')
		return scan->state = IN_TAG, in_tag(scan, c);
	else
		extend(scan->attribute, &scan->attribute_size, c);
	return NULL;
}

static const char *
in_after_name(struct html_scan *scan, char c)
{
	if (ascii_is_space(c))
		return NULL;
	if (c == '=') {
		scan->state = BEFORE_VALUE;
		return NULL;
	}
	scan->state = IN_TAG;
	return in_tag(scan, c);
}

static const char *
in_before_value(struct html_scan *scan, char c)
{
	if (ascii_is_space(c))
		return NULL;
	if (c == '>')
		return "an attribute has no value after its =";
	scan->value_size = 0;
	scan->begins_with_value = scan->query = false;
	scan->state = c == '"' ? VALUE_DOUBLE : c == '\'' ? VALUE_SINGLE : VALUE_BARE;
	return NULL;
}

static const char *
in_value_double(struct html_scan *scan, char c)
{
	if (c == '"') {
		scan->state = IN_TAG;
		return NULL;
	}
	scan->query = scan->query || c == '?';
	extend(scan->value, &scan->value_size, c);
	return NULL;
}

static const char *
in_value_single(struct html_scan *scan, char c)
{
	if (c == '\'')
		scan->state = IN_TAG;
	return NULL;
}

static const char *
in_value_bare(struct html_scan *scan, char c)
{
	if (ascii_is_space(c))
		scan->state = IN_TAG;
	return c == '>' ? end_tag(scan) : NULL;
}

static const char *
in_declaration(struct html_scan *scan, char c)
{
	if (c == '>')
		scan->state = TEXT;
	return NULL;
}

static const char *
in_markup(struct html_scan *scan, char c)
{
	scan->state = c == '-' ? MARKUP_DASH : DECLARATION;
	return c == '-' ? NULL : in_declaration(scan, c);
}

static const char *
in_markup_dash(struct html_scan *scan, char c)
{
	if (c != '-') {
		scan->state = DECLARATION;
		return in_declaration(scan, c);
	}
	scan->state = COMMENT;
	scan->matched = 0;
	scan->last[0] = scan->last[1] = '-'; /* "<!-->" is a whole comment */
	scan->last[2] = ' ';
	return NULL;
}

static const char *
in_comment(struct html_scan *scan, char c)
{
	const bool dashes = scan->last[0] == '-' && scan->last[1] == '-';
	const bool bang = scan->last[0] == '!' && scan->last[1] == '-' && scan->last[2] == '-' && scan->matched >= 3;
	if (c == '>' && (dashes || bang)) {
		scan->state = TEXT;
		return NULL;
	}
	scan->last[2] = scan->last[1];
	scan->last[1] = scan->last[0];
	scan->last[0] = c;
	scan->matched++;
	return NULL;
}

/* Text up to an end tag of its own. */
static const char *
in_raw_text(struct html_scan *scan, char c)
{
	const struct slice end = scan->state == TITLE ? SLICE("</title") : SLICE("</style");
	if (scan->matched == end.size && (ascii_is_space(c) || c == '/' || c == '>')) {
		scan->closing = true;
		scan->state = IN_TAG;
		return in_tag(scan, c);
	}
	if (scan->matched < end.size && ascii_lower(c) == end.data[scan->matched])
		scan->matched++;
	else
		scan->matched = c == '<' ? 1 : 0;
	return NULL;
}

const char *
html_scan_byte(struct html_scan *scan, char c)
{
	static const char *(*const follow[STATES])(struct html_scan *, char) = {
		[TEXT] = in_text,
		[TAG_OPEN] = in_tag_open,
		[END_TAG_OPEN] = in_end_tag_open,
		[TAG_NAME] = in_tag_name,
		[IN_TAG] = in_tag,
		[ATTRIBUTE_NAME] = in_attribute_name,
		[AFTER_NAME] = in_after_name,
		[BEFORE_VALUE] = in_before_value,
		[VALUE_DOUBLE] = in_value_double,
		[VALUE_SINGLE] = in_value_single,
		[VALUE_BARE] = in_value_bare,
		[MARKUP] = in_markup,
		[MARKUP_DASH] = in_markup_dash,
		[COMMENT] = in_comment,
		[DECLARATION] = in_declaration,
		[TITLE] = in_raw_text,
		[STYLE] = in_raw_text,
	};
	return follow[scan->state](scan, c);
}

/* In the value of a href or src, not at its beginning. */
static const char *
url_part(const struct html_scan *scan, enum html_place *place)
{
	const struct slice begin = { scan->value,
		scan->value_size < HTML_NAME_MAX_BYTES ? scan->value_size : HTML_NAME_MAX_BYTES };
	bool known = scan->begins_with_value;
	for (size_t i = 0; i < ARRAY_SIZE(schemes); i++)
		known = known || slice_starts_with(begin, schemes[i]);
	*place = HTML_URL_PART;
	return known && scan->query
		   ? NULL
		   : "in a URL a value is allowed only at the beginning, or after ? of an http, https or mailto URL";
}

const char *
html_scan_place(const struct html_scan *scan, enum html_place *place)
{
	const struct slice attribute = name_of(scan->attribute, scan->attribute_size);
	if (scan->state == TEXT || (scan->state == TITLE && scan->matched == 0)) {
		*place = HTML_TEXT;
		return NULL;
	}
	if (scan->state == COMMENT || scan->state == MARKUP || scan->state == MARKUP_DASH || scan->state == DECLARATION)
		return "a value is not allowed in a comment or declaration";
	if (scan->state == STYLE)
		return "a value is not allowed in a style";
	if (scan->state == VALUE_SINGLE || scan->state == VALUE_BARE || scan->state == BEFORE_VALUE)
		return "an attribute with a value must be in double quotes";
	if (scan->state != VALUE_DOUBLE)
		return "a value is allowed only in text and in attributes";
	if (slice_is_one_of(attribute, plain_attributes, ARRAY_SIZE(plain_attributes))) {
		*place = HTML_ATTRIBUTE;
		return NULL;
	}
	if (!slice_is_one_of(attribute, url_attributes, ARRAY_SIZE(url_attributes)))
		return "a value is allowed only in the attributes href, src, alt, title, lang and aria-label";
	if (scan->value_size > 0 || scan->begins_with_value)
		return url_part(scan, place);
	*place = HTML_URL;
	return NULL;
}

void
html_scan_value(struct html_scan *scan)
{
	scan->begins_with_value = scan->begins_with_value || scan->value_size == 0;
}

bool
html_scan_outside(const struct html_scan *scan)
{
	return scan->state == TEXT;
}
