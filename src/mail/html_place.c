/* SPDX-License-Identifier: MIT */
#include "mail/html_place.h"

#include "text/text.h"

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
	DECLARATION, /* a doctype, or what browsers skip as a comment: ends at the next ">" */
	TITLE,
	STYLE, /* TITLE and STYLE: the text of the element, up to its end tag */
	STATES
};

/* Elements that mail programs drop, that load documents or send forms, or whose content follows rules of its own. */
static const struct slice refused_elements[] = { SLICE("applet"), SLICE("base"), SLICE("bgsound"), SLICE("button"),
	SLICE("embed"), SLICE("fencedframe"), SLICE("form"), SLICE("frame"), SLICE("frameset"), SLICE("iframe"),
	SLICE("ilayer"), SLICE("input"), SLICE("isindex"), SLICE("keygen"), SLICE("layer"), SLICE("link"), SLICE("listing"),
	SLICE("math"), SLICE("noembed"), SLICE("noframes"), SLICE("noscript"), SLICE("object"), SLICE("plaintext"),
	SLICE("portal"), SLICE("script"), SLICE("select"), SLICE("svg"), SLICE("template"), SLICE("textarea"), SLICE("xml"),
	SLICE("xmp") };
/* Attributes that contain a document or several URLs, call a URL invisibly, or make the loading of a picture depend on its
 * surroundings. Names of event attributes begin with "on". */
static const struct slice refused_attributes[] = { SLICE("imagesrcset"), SLICE("loading"), SLICE("ping"), SLICE("srcdoc"),
	SLICE("srcset"), SLICE("xml:base") };
/* Attributes that browsers only show or read aloud. */
static const struct slice plain_attributes[] = { SLICE("alt"), SLICE("aria-label"), SLICE("lang"), SLICE("title") };
/* Attributes with one URL: those in which a value is allowed, and all others. */
static const struct slice url_attributes[] = { SLICE("href"), SLICE("src") };
static const struct slice other_url_attributes[] = { SLICE("action"), SLICE("background"), SLICE("cite"), SLICE("classid"),
	SLICE("codebase"), SLICE("data"), SLICE("dynsrc"), SLICE("formaction"), SLICE("icon"), SLICE("longdesc"),
	SLICE("lowsrc"), SLICE("manifest"), SLICE("poster"), SLICE("profile"), SLICE("xlink:href") };
/* How a URL may begin. References are not decoded and blanks are not dropped, as browsers would do. A value may follow the ? of
 * a URL with one of the first SCHEMES_WITH_QUERY. */
static const struct slice schemes[] = { SLICE("http://"), SLICE("https://"), SLICE("mailto:"), SLICE("tel:"), SLICE("#") };
enum { SCHEMES_WITH_QUERY = 3 };
/* Allowed values of `http-equiv`: others lead to another page, or change how the rest is read. */
static const struct slice equivalents[] = { SLICE("content-type"), SLICE("content-language"), SLICE("x-ua-compatible") };
#define BAD_URL "{attribute} must begin with http://, https://, mailto:, tel: or #, or with a value"

/* A stored name. If it is longer than what is stored, the result is empty, which matches no known name. */
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

static bool
begins_with_one_of(struct slice text, const struct slice *beginnings, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (slice_starts_with(text, beginnings[i]))
			return true;
	return false;
}

/* The beginning of a text that `extend` has stored. */
static struct slice
beginning_of(const char *text, size_t size)
{
	return (struct slice){ text, size < HTML_NAME_MAX_BYTES ? size : HTML_NAME_MAX_BYTES };
}

void
html_scan_init(struct html_scan *scan)
{
	*scan = (struct html_scan){ .state = TEXT };
}

struct slice
html_scan_message(struct pool *pool, const struct html_scan *scan, const char *problem)
{
	return TEXT_FILL(pool, slice_of(problem), { "element", beginning_of(scan->tag, scan->tag_size) },
	    { "attribute", beginning_of(scan->attribute, scan->attribute_size) });
}

/* ---- styles ---- */

/* Expressions, which old programs execute, and rules that apply only to some values of links or some widths of texts. With such
 * a rule, a picture in the HTML could be loaded only for some secrets. */
static const struct slice refused_in_styles[] = { SLICE("expression("), SLICE("href"), SLICE("@container") };
static const struct slice references[] = { SLICE("amp"), SLICE("apos"), SLICE("quot"), SLICE("#34"), SLICE("#39") };

/* Follows a byte of a `style` element. Accepted styles load nothing and execute nothing: a picture in a rule that applies only
 * to some values of attributes would send its host a part of a secret. */
static const char *
in_style(struct html_style *style, char c)
{
	if (!css_scan_byte(&style->css, c))
		return "in a style letters and digits are written without \\";
	if (css_scan_loads(&style->css))
		return "a style must not load anything: url(), src(), image(), image-set() and @import are not allowed";
	if (css_scan_found(&style->css, refused_in_styles, ARRAY_SIZE(refused_in_styles)))
		return "in a style expression(), @container and selectors of href are not allowed";
	return NULL;
}

/* A numeric reference needs no semicolon at its end. */
static const char *
end_reference(struct html_style *style, char c)
{
	const struct slice name = { style->reference, style->reference_size };
	const bool is_reference = c == ';' || slice_starts_with(name, SLICE("#"));
	style->in_reference = false;
	return is_reference && !slice_is_one_of(name, references, ARRAY_SIZE(references))
		   ? "in the attribute style characters are written as they are, except &amp; &quot; &apos; &#34; &#39;"
		   : NULL;
}

static const char *
in_reference(struct html_style *style, char c)
{
	const bool begins = c == '#' && style->reference_size == 0;
	if (!begins && !ascii_is_alpha(c) && !ascii_is_digit(c))
		return end_reference(style, c);
	if (style->reference_size < HTML_NAME_MAX_BYTES)
		style->reference[style->reference_size++] = ascii_lower(c);
	return NULL;
}

/* Follows a byte of a `style` attribute. A reference is also checked as it is written, because what looks like a reference may
 * not be one. */
static const char *
in_style_attribute(struct html_style *style, char c)
{
	const char *problem = style->in_reference ? in_reference(style, c) : NULL;
	if (problem != NULL)
		return problem;
	if (c == '&') {
		style->in_reference = true;
		style->reference_size = 0;
	}
	return in_style(style, c);
}

static const char *
end_style(struct html_style *style)
{
	return style->in_reference ? end_reference(style, ' ') : NULL;
}

/* ---- attributes ---- */

/* Checks an attribute at the end of its name. */
static const char *
check_attribute(const struct html_scan *scan)
{
	const struct slice name = name_of(scan->attribute, scan->attribute_size);
	if (slice_starts_with(beginning_of(scan->attribute, scan->attribute_size), SLICE("on")) ||
	    slice_is_one_of(name, refused_attributes, ARRAY_SIZE(refused_attributes)))
		return "the attribute {attribute} has no place in a mail";
	return NULL;
}

/* Follows a byte of the value of an attribute. */
static const char *
in_value(struct html_scan *scan, char c)
{
	scan->query = scan->query || c == '?';
	extend(scan->value, &scan->value_size, c);
	return slice_equal(name_of(scan->attribute, scan->attribute_size), SLICE("style")) ? in_style_attribute(&scan->style, c)
											   : NULL;
}

/* Checks the value of an attribute at its end. */
static const char *
check_value(struct html_scan *scan)
{
	const struct slice name = name_of(scan->attribute, scan->attribute_size);
	const struct slice tag = name_of(scan->tag, scan->tag_size);
	const struct slice begin = beginning_of(scan->value, scan->value_size);
	const bool is_url = slice_is_one_of(name, url_attributes, ARRAY_SIZE(url_attributes)) ||
			    slice_is_one_of(name, other_url_attributes, ARRAY_SIZE(other_url_attributes));
	if (is_url && scan->value_size > 0 && !scan->begins_with_value &&
	    !begins_with_one_of(begin, schemes, ARRAY_SIZE(schemes)))
		return BAD_URL;
	if (!scan->closing && slice_equal(tag, SLICE("a")) && slice_equal(name, SLICE("href")))
		scan->link = scan->value_size > 0 || scan->begins_with_value;
	if (slice_equal(name, SLICE("http-equiv")) &&
	    !slice_is_one_of(name_of(scan->value, scan->value_size), equivalents, ARRAY_SIZE(equivalents)))
		return "http-equiv must be content-type, content-language or x-ua-compatible";
	return slice_equal(name, SLICE("style")) ? end_style(&scan->style) : NULL;
}

/* ---- the states ---- */

static const char *
begin_tag(struct html_scan *scan, char c)
{
	scan->closing = scan->state == END_TAG_OPEN;
	scan->state = TAG_NAME;
	scan->link = false;
	scan->tag_size = scan->attribute_size = 0;
	extend(scan->tag, &scan->tag_size, c);
	return NULL;
}

/* Ends a tag, after its ">". */
static const char *
end_tag(struct html_scan *scan)
{
	const struct slice tag = name_of(scan->tag, scan->tag_size);
	scan->matched = 0;
	scan->state = scan->closing                      ? TEXT
		      : slice_equal(tag, SLICE("title")) ? TITLE
		      : slice_equal(tag, SLICE("style")) ? STYLE
							 : TEXT;
	scan->style = (struct html_style){ .in_reference = false };
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
		return begin_tag(scan, c);
	if (c != '/' && c != '!' && c != '?')
		return "a < that begins no tag is written &lt;";
	scan->state = c == '/' ? END_TAG_OPEN : c == '!' ? MARKUP : DECLARATION;
	return NULL;
}

static const char *
in_end_tag_open(struct html_scan *scan, char c)
{
	return ascii_is_alpha(c) ? begin_tag(scan, c) : "a < that begins no tag is written &lt;";
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
	if (slice_is_one_of(name_of(scan->tag, scan->tag_size), refused_elements, ARRAY_SIZE(refused_elements)))
		return "<{element}> has no place in a mail";
	scan->state = IN_TAG;
	return in_tag(scan, c);
}

static const char *
in_attribute_name(struct html_scan *scan, char c)
{
	if (c != '=' && c != '/' && c != '>' && !ascii_is_space(c)) {
		extend(scan->attribute, &scan->attribute_size, c);
		return NULL;
	}
	const char *problem = check_attribute(scan);
	if (problem != NULL)
		return problem;
	scan->state = c == '=' ? BEFORE_VALUE : ascii_is_space(c) ? AFTER_NAME : IN_TAG;
	return scan->state == IN_TAG ? in_tag(scan, c) : NULL;
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
	scan->style = (struct html_style){ .in_reference = false };
	scan->state = c == '"' ? VALUE_DOUBLE : c == '\'' ? VALUE_SINGLE : VALUE_BARE;
	return scan->state == VALUE_BARE ? in_value(scan, c) : NULL;
}

static const char *
in_value_quoted(struct html_scan *scan, char c)
{
	if (c != (scan->state == VALUE_DOUBLE ? '"' : '\''))
		return in_value(scan, c);
	scan->state = IN_TAG;
	return check_value(scan);
}

static const char *
in_value_bare(struct html_scan *scan, char c)
{
	if (!ascii_is_space(c) && c != '>')
		return in_value(scan, c);
	scan->state = IN_TAG;
	const char *problem = check_value(scan);
	return problem != NULL || c != '>' ? problem : end_tag(scan);
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

/* Follows the text of a title or style, up to its end tag. */
static const char *
in_raw_text(struct html_scan *scan, char c)
{
	const struct slice end = scan->state == TITLE ? SLICE("</title") : SLICE("</style");
	if (scan->matched == end.size && (ascii_is_space(c) || c == '/' || c == '>')) {
		const char *problem = end_style(&scan->style);
		scan->closing = true;
		scan->state = IN_TAG;
		return problem != NULL ? problem : in_tag(scan, c);
	}
	if (scan->matched < end.size && ascii_lower(c) == end.data[scan->matched])
		scan->matched++;
	else
		scan->matched = c == '<' ? 1 : 0;
	return scan->state == STYLE ? in_style(&scan->style, c) : NULL;
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
		[VALUE_DOUBLE] = in_value_quoted,
		[VALUE_SINGLE] = in_value_quoted,
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

/* Whether a value is allowed inside a href or src, after its beginning. */
static const char *
url_part(const struct html_scan *scan, enum html_place *place)
{
	const bool known = scan->begins_with_value ||
			   begins_with_one_of(beginning_of(scan->value, scan->value_size), schemes, SCHEMES_WITH_QUERY);
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
	*place = slice_equal(attribute, SLICE("href")) ? HTML_LINK : HTML_URL;
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
