/* SPDX-License-Identifier: MIT
 * A value and a template (docs/mail.md 1), divided by the first line end: a value stays in its place, no matter what the
 * template is, and the HTML that is made from a text is valid. */
#include "fuzz.h"

#include <string.h>

#include "base/utf8.h"
#include "mail/layout.h"
#include "mail/template.h"

/* Values that contain what ends a place, and the bytes around them in a second rendering. */
static const struct slice hostile[] = { SLICE("\"'<>&\r\n\t\x01{{code}}</style></title>--><script>"),
	SLICE("javascript:alert(1)"), SLICE("https://a.example/\"onload=\"<>'&{{code}}") };

static struct mail_values
values_of(struct slice text, struct slice url)
{
	struct mail_values values = { .of = { [0] = SLICE_NONE } };
	for (size_t i = 0; i < MAIL_NAMES; i++)
		values.of[i] = mail_name_is_url((enum mail_name)i) ? url : text;
	values.of[MAIL_CODE] = SLICE_NONE; /* sections are left out, too */
	return values;
}

/* Counts of the bytes that begin and end places in HTML. */
struct marks {
	size_t less, greater, double_quotes, single_quotes, lines, controls;
};

static struct marks
count_marks(struct slice text)
{
	struct marks marks = { .less = 0 };
	for (size_t i = 0; i < text.size; i++) {
		marks.less += text.data[i] == '<';
		marks.greater += text.data[i] == '>';
		marks.double_quotes += text.data[i] == '"';
		marks.single_quotes += text.data[i] == '\'';
		marks.lines += text.data[i] == '\n';
		marks.controls += (unsigned char)text.data[i] < ' ' && text.data[i] != '\n' && text.data[i] != '\t';
	}
	return marks;
}

static bool
render(struct pool *pool, const struct template *made, struct slice text, struct slice url, struct slice *out)
{
	const struct mail_values values = values_of(text, url);
	const bool fits = template_render(pool, made, &values, out);
	if (fits)
		REQUIRE(utf8_valid(*out) && count_marks(*out).controls == 0);
	return fits;
}

/* There are the same marks as with a harmless value: none comes from a value. */
static void
check_value(struct pool *pool, const struct template *made, enum template_place place, struct slice value)
{
	struct slice plain, out;
	const struct slice url = slice_starts_with(value, SLICE("http")) ? value : SLICE("https://a.example/");
	if (!render(pool, made, SLICE("x"), SLICE("https://a.example/"), &plain) || !render(pool, made, value, url, &out))
		return;
	const struct marks before = count_marks(plain), after = count_marks(out);
	/* a value that is left out takes its sections with it */
	REQUIRE(after.lines <= before.lines);
	if (place == TEMPLATE_HTML)
		REQUIRE(after.less <= before.less && after.greater <= before.greater &&
			after.double_quotes <= before.double_quotes && after.single_quotes <= before.single_quotes);
	if (place == TEMPLATE_SUBJECT)
		REQUIRE(!utf8_has_control(out));
}

static void
check_layout(struct pool *pool, struct slice text)
{
	const struct layout_options options = { SLICE("en"), SLICE("ltr"), MAIL_STATUS_URL, SLICE_NONE, SLICE_NONE };
	const struct template_rules rules = {
		.place = TEMPLATE_HTML, .allowed = MAIL_NAME_BIT(MAIL_NAMES) - 1, .source_max = LAYOUT_MAX_BYTES
	};
	const struct template *made;
	struct template_error error;
	REQUIRE(template_compile(pool, layout_html(pool, text, &options), &rules, &made, &error));
	for (size_t i = 0; i < ARRAY_SIZE(hostile); i++)
		check_value(pool, made, TEMPLATE_HTML, hostile[i]);
}

static void
check_place(struct pool *pool, enum template_place place, struct slice value, struct slice source)
{
	const struct template_rules rules = { .place = place, .allowed = MAIL_NAME_BIT(MAIL_NAMES) - 1 };
	const struct template *made;
	struct template_error error;
	if (!template_compile(pool, source, &rules, &made, &error)) {
		REQUIRE(error.line > 0 && error.column > 0 && error.message.size > 0 && utf8_valid(error.message));
		return;
	}
	check_value(pool, made, place, value);
	for (size_t i = 0; i < ARRAY_SIZE(hostile); i++)
		check_value(pool, made, place, hostile[i]);
	if (place == TEMPLATE_TEXT)
		check_layout(pool, source);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pool *pool = pool_new();
	struct slice source = fuzz_input(data, size);
	const struct slice value = fuzz_line(&source);
	for (int place = 0; place < TEMPLATE_PLACES; place++)
		check_place(pool, (enum template_place)place, value, slice_present(source) ? source : SLICE(""));
	pool_free(&pool);
	return 0;
}
