/* SPDX-License-Identifier: MIT */
#include "mail/template.h"

#include "base/buffer.h"
#include "base/encode.h"
#include "base/utf8.h"
#include "mail/html_place.h"

#define OPEN SLICE("{{")
#define CLOSE SLICE("}}")
/* Maximum bytes of an unknown name in a message. */
enum { QUOTED_MAX_BYTES = 64 };

enum piece_type { PIECE_TEXT, PIECE_VALUE, PIECE_SECTION, PIECE_END };
enum escape { ESCAPE_NONE, ESCAPE_HTML, ESCAPE_PERCENT };

struct piece {
	enum piece_type type;
	struct slice text; /* PIECE_TEXT */
	enum mail_name name;
	enum escape escape; /* PIECE_VALUE */
	size_t end;         /* PIECE_SECTION: the index of its end */
};

struct template
{
	enum template_place place;
	struct piece *pieces;
	size_t count, capacity;
};

static const struct {
	size_t source_max, output_max;
} limits[TEMPLATE_PLACES] = {
	[TEMPLATE_SUBJECT] = { TEMPLATE_SUBJECT_MAX_BYTES, TEMPLATE_SUBJECT_OUTPUT_MAX },
	[TEMPLATE_TEXT] = { TEMPLATE_TEXT_MAX_BYTES, TEMPLATE_TEXT_OUTPUT_MAX },
	[TEMPLATE_HTML] = { TEMPLATE_HTML_MAX_BYTES, TEMPLATE_HTML_OUTPUT_MAX },
};

/* ---- Checking ---- */

/* A tag as written. */
struct tag {
	size_t from, to;   /* offsets of its first byte and of the byte after it */
	char type;         /* '#', '/', or 0 */
	struct slice text; /* its name */
	enum mail_name name;
};

struct compiler {
	struct pool *pool;
	struct slice source;
	const struct template_rules *rules;
	struct template *made;
	struct html_scan scan;
	struct tag secret; /* a secret in text, if the text after it was not checked yet; no name: none */
	struct {
		size_t piece, at; /* its index, and the offset of its tag */
	} open[TEMPLATE_DEPTH_MAX];
	size_t depth;
	mail_names shown; /* values that are always shown */
	struct template_error *error;
};

static bool
fail(const struct compiler *c, size_t at, struct slice message)
{
	struct slice before = slice_sub(c->source, 0, at);
	const size_t end = slice_find_last(before, '\n');
	uint32_t character;
	*c->error = (struct template_error){ .line = 1, .column = 1, .message = message };
	for (size_t i = 0; i < before.size; i++)
		if (before.data[i] == '\n')
			c->error->line++;
	if (end < before.size)
		before = slice_sub(before, end + 1, before.size);
	while (utf8_next(&before, &character))
		c->error->column++;
	return false;
}

static struct piece *
add_piece(struct compiler *c, enum piece_type type)
{
	struct template *made = c->made;
	struct piece *piece = POOL_ADD(c->pool, made->pieces, made->count, made->capacity);
	piece->type = type;
	return piece;
}

static bool
add_bytes(struct compiler *c, size_t from, size_t to)
{
	if (from >= to)
		return true;
	add_piece(c, PIECE_TEXT)->text = slice_sub(c->source, from, to);
	for (size_t i = from; i < to; i++) {
		const bool is_html = c->rules->place == TEMPLATE_HTML;
		const char *problem = is_html ? html_scan_byte(&c->scan, c->source.data[i]) : NULL;
		if (problem != NULL)
			return fail(c, i, html_scan_message(c->pool, &c->scan, problem));
	}
	return true;
}

/* ---- Secrets in text ---- */

/* Mail programs make a link of any text that looks like one: "www.evil.example/123456", "123456@evil.example". Therefore a
 * blank must precede and follow a secret, with nothing but punctuation in between. Tags, which programs may skip, and other
 * parts of a template next to it do not count as blanks: one is added there. */

/* Non-breaking spaces are punctuation here: they may be a part of a link. */
static const struct slice opening[] = { SLICE("("), SLICE("["), SLICE("\""), SLICE("'"), SLICE("<"), SLICE("&lt;"),
	SLICE("&quot;"), SLICE("&#39;"), SLICE("\xc2\xab"), SLICE("\xc2\xa0"), SLICE("\xe2\x80\xaf"), SLICE("\xe2\x80\x98"),
	SLICE("\xe2\x80\x9a"), SLICE("\xe2\x80\x9c"), SLICE("\xe2\x80\x9e"), SLICE("\xe2\x80\xb9") };
static const struct slice closing[] = { SLICE("."), SLICE(","), SLICE(":"), SLICE(";"), SLICE("!"), SLICE("?"), SLICE(")"),
	SLICE("]"), SLICE("\""), SLICE("'"), SLICE(">"), SLICE("&gt;"), SLICE("&quot;"), SLICE("&#39;"), SLICE("\xc2\xbb"),
	SLICE("\xc2\xa0"), SLICE("\xe2\x80\xaf"), SLICE("\xe2\x80\x98"), SLICE("\xe2\x80\x99"), SLICE("\xe2\x80\x9c"),
	SLICE("\xe2\x80\x9d"), SLICE("\xe2\x80\xba") };

static size_t
opening_size(struct slice text)
{
	size_t size = text.size;
	for (size_t i = 0; i < ARRAY_SIZE(opening); i++)
		if (slice_ends_with(slice_sub(text, 0, size), opening[i])) {
			size -= opening[i].size;
			i = (size_t)-1; /* start again with the first one */
		}
	return text.size - size;
}

static size_t
closing_size(struct slice text)
{
	size_t size = 0;
	for (size_t i = 0; i < ARRAY_SIZE(closing); i++)
		if (slice_starts_with(slice_sub(text, size, text.size), closing[i])) {
			size += closing[i].size;
			i = (size_t)-1;
		}
	return size;
}

static bool
fail_secret(const struct compiler *c, const struct tag *tag, const char *reason)
{
	return fail(c, tag->from, pool_printf(c->pool, "{{%.*s}} is secret, and %s", SLICE_ARGS(tag->text), reason));
}

static void
add_blank(struct compiler *c)
{
	add_piece(c, PIECE_TEXT)->text = SLICE(" ");
}

/* Whether the text ends within a link in angle brackets, which may contain white space (RFC 3986, appendix C). Such a link
 * begins with a word that contains a character of addresses. */
static bool
ends_in_brackets(struct slice text)
{
	const size_t open = slice_find_last(text, '<'), close = slice_find_last(text, '>');
	if (open == text.size || (close < text.size && close > open))
		return false;
	for (size_t at = open + 1; at < text.size && !ascii_is_space(text.data[at]); at++)
		if (text.data[at] == ':' || text.data[at] == '.' || text.data[at] == '@' || text.data[at] == '{')
			return true;
	return false;
}

/* Checks the text before a secret. */
static bool
begin_secret(struct compiler *c, const struct tag *tag)
{
	struct piece *last = c->made->count > 0 ? &c->made->pieces[c->made->count - 1] : NULL;
	struct slice text = last != NULL && last->type == PIECE_TEXT ? last->text : SLICE_NONE;
	const size_t size = opening_size(text), rest = text.size - size;
	const char before = rest > 0 ? text.data[rest - 1] : tag->from > size ? c->source.data[tag->from - size - 1] : ' ';
	const bool is_html = c->rules->place == TEMPLATE_HTML;
	if (is_html && c->scan.link && before == '>' && size == 0 && tag->to < c->source.size && c->source.data[tag->to] == '<')
		return true;
	if (!is_html && ends_in_brackets(slice_sub(c->source, 0, tag->from - (size < tag->from ? size : tag->from))))
		return fail_secret(c, tag, "cannot be a part of a link: the angle bracket of one before it is not closed");
	c->secret = *tag;
	if (ascii_is_space(before))
		return true;
	if (before != '>' && before != '}')
		return fail_secret(c, tag, "cannot be a part of a link: a blank goes before it");
	if (size > 0)
		last->text = slice_sub(text, 0, rest);
	add_blank(c);
	if (size > 0)
		add_piece(c, PIECE_TEXT)->text = slice_sub(text, rest, text.size);
	return true;
}

/* Checks the text after a secret, up to `to`. */
static bool
end_secret(struct compiler *c, size_t from, size_t to, size_t *at)
{
	const struct tag secret = c->secret;
	c->secret.text = SLICE_NONE;
	*at = from + closing_size(slice_sub(c->source, from, to));
	const char after = *at < to ? c->source.data[*at] : *at < c->source.size ? '<' : ' ';
	if (!ascii_is_space(after) && after != '<')
		return fail_secret(c, &secret, "cannot be a part of a link: a blank goes after it, or punctuation and a blank");
	if (!add_bytes(c, from, *at))
		return false;
	if (after == '<')
		add_blank(c);
	return true;
}

static bool
add_text(struct compiler *c, size_t from, size_t to)
{
	return (c->secret.text.size == 0 || end_secret(c, from, to, &from)) && add_bytes(c, from, to);
}

static bool
check_secret(struct compiler *c, const struct tag *tag, enum html_place place)
{
	if (!mail_name_is_secret(tag->name))
		return true;
	if (place == HTML_TEXT)
		return begin_secret(c, tag);
	if (place != HTML_LINK)
		return fail_secret(c, tag, "has its place in text, and a URL as the whole of a href");
	return (tag->to < c->source.size && c->source.data[tag->to] == '"') ||
	       fail_secret(c, tag, "cannot be a part of a link: it is the whole of a href");
}

/* A required value must be shown even if others are missing: it may only be in sections of required values. */
static bool
is_always_shown(const struct compiler *c)
{
	for (size_t i = 0; i < c->depth; i++)
		if ((c->rules->required & MAIL_NAME_BIT(c->made->pieces[c->open[i].piece].name)) == 0)
			return false;
	return true;
}

static bool
add_value(struct compiler *c, const struct tag *tag)
{
	static const enum escape escapes[] = {
		[HTML_TEXT] = ESCAPE_HTML,
		[HTML_ATTRIBUTE] = ESCAPE_HTML,
		[HTML_LINK] = ESCAPE_HTML,
		[HTML_URL] = ESCAPE_HTML,
		[HTML_URL_PART] = ESCAPE_PERCENT,
	};
	enum escape escape = ESCAPE_NONE;
	enum html_place place = HTML_TEXT;
	if (c->rules->place == TEMPLATE_HTML) {
		const char *problem = html_scan_place(&c->scan, &place);
		if (problem != NULL)
			return fail(c, tag->from, slice_of(problem));
		if (place != HTML_TEXT && place != HTML_ATTRIBUTE && !mail_name_is_url(tag->name))
			return fail(c, tag->from, SLICE("in href and src only values whose names end with _url are allowed"));
		escape = escapes[place];
		html_scan_value(&c->scan);
	}
	if (!check_secret(c, tag, place))
		return false;
	if (is_always_shown(c))
		c->shown |= MAIL_NAME_BIT(tag->name);
	struct piece *piece = add_piece(c, PIECE_VALUE);
	piece->name = tag->name;
	piece->escape = escape;
	return true;
}

/* A section that is left out must not change what the HTML after it means. */
static bool
check_outside(const struct compiler *c, const struct tag *tag)
{
	return c->rules->place != TEMPLATE_HTML || html_scan_outside(&c->scan) ||
	       fail(c, tag->from, SLICE("a section may begin and end between HTML tags only"));
}

static bool
add_section(struct compiler *c, const struct tag *tag)
{
	if (!check_outside(c, tag))
		return false;
	if (c->depth == TEMPLATE_DEPTH_MAX)
		return fail(c, tag->from, pool_printf(c->pool, "sections are nested at most %d deep", TEMPLATE_DEPTH_MAX));
	c->open[c->depth].piece = c->made->count;
	c->open[c->depth++].at = tag->from;
	add_piece(c, PIECE_SECTION)->name = tag->name;
	return true;
}

static bool
end_section(struct compiler *c, const struct tag *tag)
{
	if (c->depth == 0)
		return fail(c, tag->from, pool_printf(c->pool, "no section {{#%.*s}} is open here", SLICE_ARGS(tag->text)));
	struct piece *section = &c->made->pieces[c->open[c->depth - 1].piece];
	if (section->name != tag->name)
		return fail(c, tag->from,
		    pool_printf(c->pool, "the section {{#%.*s}} ends first", SLICE_ARGS(mail_name_text(section->name))));
	if (!check_outside(c, tag))
		return false;
	section->end = c->made->count;
	c->depth--;
	add_piece(c, PIECE_END)->name = tag->name;
	return true;
}

/* Reads the tag at an offset. */
static bool
read_tag(const struct compiler *c, size_t from, struct tag *tag)
{
	const struct slice line =
	    slice_sub(c->source, from, from + slice_find(slice_sub(c->source, from, c->source.size), '\n'));
	size_t end = OPEN.size;
	while (end < line.size && !slice_starts_with(slice_sub(line, end, line.size), CLOSE))
		end++;
	if (end >= line.size)
		return fail(c, from, SLICE("{{ is not followed by }} on its line"));
	struct slice inside = slice_trim(slice_sub(line, OPEN.size, end));
	*tag = (struct tag){ .from = from, .to = from + end + CLOSE.size };
	if (inside.size > 0 && (inside.data[0] == '#' || inside.data[0] == '/')) {
		tag->type = inside.data[0];
		inside = slice_trim(slice_sub(inside, 1, inside.size));
	}
	tag->text = inside;
	if (!mail_name_find(inside, &tag->name)) {
		inside = slice_sub(inside, 0, QUOTED_MAX_BYTES);
		inside = slice_sub(inside, 0, utf8_valid_size(inside));
		return fail(c, from, pool_printf(c->pool, "there is no value \"%.*s\"", SLICE_ARGS(inside)));
	}
	if ((c->rules->allowed & MAIL_NAME_BIT(tag->name)) == 0)
		return fail(c, from, pool_printf(c->pool, "mails of this kind have no value \"%.*s\"", SLICE_ARGS(inside)));
	return true;
}

/* Widens a section tag that is alone on its line to the whole line. */
static void
take_line(const struct compiler *c, size_t after, struct tag *tag)
{
	size_t from = tag->from, to = tag->to;
	while (from > after && (c->source.data[from - 1] == ' ' || c->source.data[from - 1] == '\t'))
		from--;
	while (to < c->source.size && (c->source.data[to] == ' ' || c->source.data[to] == '\t'))
		to++;
	if ((from > 0 && c->source.data[from - 1] != '\n') || (to < c->source.size && c->source.data[to] != '\n'))
		return;
	tag->from = from;
	tag->to = to < c->source.size ? to + 1 : to;
}

static bool
add_tag(struct compiler *c, const struct tag *tag)
{
	return tag->type == '#' ? add_section(c, tag) : tag->type == '/' ? end_section(c, tag) : add_value(c, tag);
}

static bool
compile(struct compiler *c)
{
	size_t from = 0;
	for (size_t at = 0; at + 1 < c->source.size;) {
		struct tag tag;
		if (c->source.data[at] != '{' || c->source.data[at + 1] != '{') {
			at++;
			continue;
		}
		if (!read_tag(c, at, &tag))
			return false;
		struct tag whole = tag;
		if (tag.type != 0 && c->rules->place != TEMPLATE_SUBJECT)
			take_line(c, from, &whole);
		if (!add_text(c, from, whole.from) || !add_tag(c, &tag))
			return false;
		from = at = whole.to;
	}
	return add_text(c, from, c->source.size);
}

static bool
check_end(const struct compiler *c)
{
	if (c->depth > 0)
		return fail(c, c->open[c->depth - 1].at, SLICE("this section is not closed"));
	if (c->rules->place == TEMPLATE_HTML && !html_scan_outside(&c->scan))
		return fail(c, c->source.size, SLICE("the HTML ends within a tag, a comment, a title or a style"));
	for (size_t i = 0; i < MAIL_NAMES; i++)
		if ((c->rules->required & ~c->shown & MAIL_NAME_BIT(i)) != 0)
			return fail(c, c->source.size,
			    pool_printf(c->pool, "it must show {{%.*s}}, outside sections of other values",
				SLICE_ARGS(mail_name_text((enum mail_name)i))));
	return true;
}

static bool
check_characters(const struct compiler *c)
{
	struct slice rest = c->source;
	uint32_t character;
	while (rest.size > 0) {
		const size_t at = c->source.size - rest.size;
		if (!utf8_next(&rest, &character))
			return fail(c, at, SLICE("this is not valid UTF-8"));
		if (c->rules->place == TEMPLATE_SUBJECT && (character == '\n' || character == '\t'))
			return fail(c, at, SLICE("a subject is one line, without tabs"));
		if ((character < ' ' && character != '\n' && character != '\t') || (character >= 0x7f && character < 0xa0))
			return fail(c, at, SLICE("control characters are not allowed"));
	}
	return true;
}

bool
template_compile(struct pool *pool, struct slice source, const struct template_rules *rules, const struct template **made,
    struct template_error *error)
{
	struct compiler c = {
		.pool = pool,
		.source = slice_find(source, '\r') < source.size ? pool_with_line_feeds(pool, source) : source,
		.rules = rules,
		.made = POOL_NEW(pool, struct template),
		.error = error,
	};
	c.made->place = rules->place;
	html_scan_init(&c.scan);
	const size_t maximum = rules->source_max > 0 ? rules->source_max : limits[rules->place].source_max;
	if (source.size > maximum)
		return fail(&c, 0, pool_printf(pool, "it has more than %zu bytes", maximum));
	if (!check_characters(&c) || !compile(&c) || !check_end(&c))
		return false;
	*made = c.made;
	return true;
}

/* ---- Rendering ---- */

static void
add_html(struct buffer *out, struct slice value)
{
	static const struct {
		char c;
		struct slice reference;
	} references[] = {
		{ '&', SLICE("&amp;") },
		{ '<', SLICE("&lt;") },
		{ '>', SLICE("&gt;") },
		{ '"', SLICE("&quot;") },
		{ '\'', SLICE("&#39;") },
	};
	for (size_t i = 0; i < value.size; i++) {
		size_t at = 0;
		while (at < ARRAY_SIZE(references) && references[at].c != value.data[i])
			at++;
		buffer_add(out, at < ARRAY_SIZE(references) ? references[at].reference : slice_sub(value, i, i + 1));
	}
}

static void
add_plain(struct buffer *out, struct slice value)
{
	buffer_add(out, value);
}

static void (*const add_escaped[])(struct buffer *, struct slice) = {
	[ESCAPE_NONE] = add_plain,
	[ESCAPE_HTML] = add_html,
	[ESCAPE_PERCENT] = encode_percent,
};

bool
template_render(struct pool *pool, const struct template *made, const struct mail_values *values, struct slice *out)
{
	struct mail_values clean;
	struct buffer text;
	mail_values_clean(pool, values, &clean);
	buffer_init(&text, limits[made->place].output_max);
	for (size_t i = 0; i < made->count; i++) {
		const struct piece *piece = &made->pieces[i];
		if (piece->type == PIECE_TEXT)
			buffer_add(&text, piece->text);
		else if (piece->type == PIECE_VALUE)
			add_escaped[piece->escape](&text, clean.of[piece->name]);
		else if (piece->type == PIECE_SECTION && clean.of[piece->name].size == 0)
			i = piece->end;
	}
	const bool fits = buffer_ok(&text);
	if (fits)
		*out = pool_copy(pool, buffer_slice(&text));
	buffer_free(&text);
	return fits;
}
