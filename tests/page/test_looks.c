/* SPDX-License-Identifier: MIT
 * docs/pages.md 3: a campaign's own texts and looks. */
#include "unit.h"

#include <string.h>

#include "base/attributes.h"
#include "base/colors.h"
#include "page/page_assets.h"
#include "page/page_frame.h"
#include "with_pool.h"

static void
values_are_checked(void **state UNUSED)
{
	static const struct {
		enum look look;
		const char *value;
		bool valid;
	} cases[] = {
		{ LOOK_TITLE, "Title", true },
		{ LOOK_TITLE, "Two\nlines", false },
		{ LOOK_TITLE, "", false },
		{ LOOK_TITLE, " ", false },
		{ LOOK_TITLE, "\xff", false },
		{ LOOK_TEXT, "Two\n\nparagraphs", true },
		{ LOOK_TEXT, "bell \a", false },
		{ LOOK_PRIVACY_URL, "https://example.org/privacy?a=b", true },
		{ LOOK_PRIVACY_URL, "/privacy", true },
		{ LOOK_PRIVACY_URL, "//example.org", false },
		{ LOOK_PRIVACY_URL, "javascript:alert(1)", false },
		{ LOOK_PRIVACY_URL, "https://a b", false },
		{ LOOK_LOGO_URL, "https://example.org;script-src", false },
		{ LOOK_LOGO_URL, "https://example.org/\"", false },
		{ LOOK_FIELDS, "email; first_name", true },
		{ LOOK_FIELDS, "first_name", false },
		{ LOOK_ACCENT, "#1f6FEB", true },
		{ LOOK_ACCENT, "#fff", false },
		{ LOOK_ACCENT, "red", false },
		{ LOOK_ACCENT, "#1f6feg", false },
		{ LOOK_SCHEME, "auto", true },
		{ LOOK_SCHEME, "dark", true },
		{ LOOK_SCHEME, "Dark", false },
		{ LOOK_SCHEME, "black", false },
		{ LOOK_CSS, "h1 { color: red }", true },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct slice problem = SLICE_NONE;
		if (look_check(pool, cases[i].look, slice_of(cases[i].value), &problem) != cases[i].valid)
			fail_msg("%s: %s", look_name(cases[i].look), cases[i].value);
		assert_true(cases[i].valid || problem.size > 0);
	}
	struct slice problem, large = { pool_alloc(pool, LOOK_CSS_MAX + 1), LOOK_CSS_MAX + 1 };
	memset((char *)(uintptr_t)large.data, 'x', large.size);
	assert_false(look_check(pool, LOOK_CSS, large, &problem));
	large.size--;
	assert_true(look_check(pool, LOOK_CSS, large, &problem));
}

static void
names_are_found(void **state UNUSED)
{
	enum look look;
	for (unsigned i = 0; i < LOOKS; i++) {
		assert_true(look_find(slice_of(look_name((enum look)i)), &look));
		assert_int_equal(look, i);
	}
	assert_false(look_find(SLICE("titles"), &look));
}

static void
a_language_takes_precedence(void **state UNUSED)
{
	for (unsigned order = 0; order < 2; order++) {
		struct looks looks = { 0 };
		const struct slice codes[] = { SLICE(""), SLICE("de") };
		for (unsigned i = 0; i < 2; i++) {
			const struct slice code = codes[order == 0 ? i : 1 - i];
			look_add(
			    &looks, TEXT_LANGUAGE_DE, SLICE("page.title"), code, code.size > 0 ? SLICE("de") : SLICE("all"));
		}
		look_add(&looks, TEXT_LANGUAGE_DE, SLICE("page.title"), SLICE("fr"), SLICE("fr"));
		look_add(&looks, TEXT_LANGUAGE_DE, SLICE("page.consent.abc"), SLICE(""), SLICE("old"));
		look_add(&looks, TEXT_LANGUAGE_DE, SLICE("mail.text"), SLICE(""), SLICE("mail"));
		assert_slice(looks.values[LOOK_TITLE], "de");
		assert_false(slice_present(looks.values[LOOK_CONSENT]) || slice_present(looks.values[LOOK_TEXT]));
	}
}

static struct color
color(const char *text)
{
	struct color parsed;
	assert_true(color_parse(slice_of(text), &parsed));
	return parsed;
}

/* The examples are from the WCAG's own tools, rounded to two digits. */
static void
contrasts_are_those_of_wcag(void **state UNUSED)
{
	static const struct {
		const char *a, *b;
		double ratio;
	} cases[] = {
		{ "#000000", "#ffffff", 21 },
		{ "#ffffff", "#ffffff", 1 },
		{ "#767676", "#ffffff", 4.54 },
		{ "#0000ff", "#ffffff", 8.59 },
		{ "#ff0000", "#ffffff", 4.0 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const double ratio = color_contrast(color(cases[i].a), color(cases[i].b));
		if (ratio < cases[i].ratio * 0.99 || ratio > cases[i].ratio * 1.01)
			fail_msg("%s on %s: %f", cases[i].a, cases[i].b, ratio);
	}
	/* there is a readable text colour for any accent */
	for (unsigned i = 0; i < 4096; i++) {
		const struct color any = { (unsigned char)(i % 16 * 17), (unsigned char)(i / 16 % 16 * 17),
			(unsigned char)(i / 256 * 17) };
		assert_true(color_contrast(any, color_on(any)) >= 4.5);
	}
}

static void
colors_must_be_readable(void **state UNUSED)
{
	struct looks looks = { 0 };
	struct slice problem;
	enum look look;
	assert_true(looks_are_readable(pool, &looks, &look, &problem));
	looks.values[LOOK_TEXT_COLOR] = SLICE("#999999");
	assert_false(looks_are_readable(pool, &looks, &look, &problem));
	assert_int_equal(look, LOOK_TEXT_COLOR);
	assert_true(problem.size > 0);
	looks.values[LOOK_TEXT_COLOR] = SLICE("#595959");
	assert_true(looks_are_readable(pool, &looks, &look, &problem));
	looks.values[LOOK_BACKGROUND] = SLICE("#666666");
	assert_false(looks_are_readable(pool, &looks, &look, &problem));
	looks.values[LOOK_BACKGROUND] = SLICE_NONE;
	looks.values[LOOK_DARK_CARD] = SLICE("#dddddd");
	assert_false(looks_are_readable(pool, &looks, &look, &problem));
	assert_int_equal(look, LOOK_DARK_TEXT_COLOR);
	looks.values[LOOK_SCHEME] = SLICE("light"); /* so the dark scheme is not shown */
	assert_true(looks_are_readable(pool, &looks, &look, &problem));
	looks.values[LOOK_SCHEME] = SLICE("dark");
	assert_false(looks_are_readable(pool, &looks, &look, &problem));
}

static const char *
style_of(const struct looks *looks)
{
	struct buffer out;
	buffer_init(&out, 32 * 1024);
	looks_write_style(&out, looks);
	const char *text = pool_string(pool, buffer_slice(&out));
	buffer_free(&out);
	return text;
}

static void
colors_become_properties(void **state UNUSED)
{
	struct looks looks = { 0 };
	assert_string_equal(style_of(&looks), "");
	assert_false(slice_present(looks_style_version(pool, &looks)));
	looks.values[LOOK_ACCENT] = SLICE("#FFCC00");
	looks.values[LOOK_CSS] = SLICE("h1 { margin: 0 }");
	const char *style = style_of(&looks);
	const char *dark = strstr(style, "(prefers-color-scheme:dark)");
	assert_non_null(strstr(style, "--accent:#ffcc00;--on-accent:#000000;"));
	assert_non_null(dark);
	assert_non_null(strstr(dark, "--accent:#ffcc00;")); /* in both schemes */
	assert_non_null(strstr(dark, "h1 { margin: 0 }"));
	const struct slice version = looks_style_version(pool, &looks);
	looks.values[LOOK_DARK_ACCENT] = SLICE("#112233");
	assert_non_null(strstr(strstr(style_of(&looks), "scheme:dark"), "--accent:#112233;"));
	assert_false(slice_equal(version, looks_style_version(pool, &looks)));
}

/* A scheme that is always shown does not depend on the device, even if the campaign has no colour of its own. */
static void
one_scheme_alone(void **state UNUSED)
{
	static const struct {
		const char *choice, *background;
	} cases[] = { { "light", "--background:#f4f5f9;" }, { "dark", "--background:#10111a;" } };
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct looks looks = { .values = { [LOOK_SCHEME] = slice_of(cases[i].choice) } };
		const char *style = style_of(&looks);
		assert_non_null(strstr(style, cases[i].background));
		assert_non_null(strstr(style, pool_printf(pool, "color-scheme:%s;", cases[i].choice).data));
		assert_null(strstr(style, "prefers-color-scheme"));
	}
	const struct looks usual = { .values = { [LOOK_SCHEME] = SLICE("auto") } };
	assert_string_equal(style_of(&usual), "");
}

/* The defaults in looks.c are the colours of style.css. */
static void
usual_colors_are_those_of_the_stylesheet(void **state UNUSED)
{
	static const char *const names[] = { "accent", "background", "card", "text" };
	struct looks looks = { .values = { [LOOK_CARD] = SLICE("#fffffe"), [LOOK_DARK_CARD] = SLICE("#1b1d2b") } };
	const char *own = style_of(&looks), *all = page_style.plain.data;
	for (unsigned scheme = 0; scheme < 2; scheme++) {
		for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
			const char *name = pool_printf(pool, "--%s:", names[i]).data;
			const char *place = strstr(own, name) + strlen(name), *usual = strstr(all, name) + strlen(name);
			if (strcmp(names[i], "card") != 0 && strncmp(place, usual + 1, 7) != 0)
				fail_msg("%s: %.7s is %.7s in the stylesheet", names[i], place, usual + 1);
		}
		own = strstr(own, "scheme:dark");
		all = strstr(all, "scheme: dark");
		assert_true(scheme == 1 || (own != NULL && all != NULL));
	}
}

static void
consents_have_versions(void **state UNUSED)
{
	struct looks looks = { 0 };
	assert_false(slice_present(looks_consent_version(pool, &looks)));
	looks.values[LOOK_CONSENT] = SLICE("I agree");
	const struct slice first = looks_consent_version(pool, &looks);
	assert_int_equal(first.size, 16);
	assert_slices_equal(first, looks_consent_version(pool, &looks));
	looks.values[LOOK_CONSENT] = SLICE("I agree.");
	assert_false(slice_equal(first, looks_consent_version(pool, &looks)));
}

/* docs/pages.md 4: the campaign's CSS cannot load anything, however it is written. */
static void
styles_load_nothing(void **state UNUSED)
{
	static const char *const refused[] = { "a{background:url(https://a.example/b)}", "a{background:URL( \"//a.example\")}",
		"a{background:u\\rl(b)}", "a{background:\\75 rl(b)}", "a{background:\\000075rl(b)}",
		"a{background:image-set('b' 1x)}", "a{background:-webkit-image-set(\"b\" 1x)}", "a{content:image('b')}",
		"a{background:src(var(--b))}", "@import 'https://a.example/b.css';", "@IMPORT\n\"b\"", "@\\import 'b'",
		"@font-face{font-family:a;src:url(b)}", "@namespace url(b);", "a{cursor:url(b),auto}", "/* a */a{--b:url(c)}" };
	static const char *const accepted[] = { "h1{color:red}", "a::before{content:\"\xe2\x80\x94\"}", ".a\\/b{c:d}",
		"@media (min-width:30em){:root{--accent:#123456}}", "a{background:linear-gradient(red,blue)}",
		"a[href$='.css']{b:c}" };
	struct slice problem;
	struct looks looks = { 0 };
	struct buffer out;
	buffer_init(&out, LOOK_CSS_MAX);
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		assert_false(look_check(pool, LOOK_CSS, slice_of(refused[i]), &problem));
		looks.values[LOOK_CSS] = slice_of(refused[i]); /* stored before the rule existed */
		looks_write_style(&out, &looks);
		assert_int_equal(out.size, 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(accepted); i++)
		assert_true(look_check(pool, LOOK_CSS, slice_of(accepted[i]), &problem));
	buffer_free(&out);
}

static void
policies_allow_what_the_page_needs(void **state UNUSED)
{
	struct page page = { .pool = pool };
	const char *plain = page_policy(&page, SLICE_NONE, SLICE_NONE).data;
	assert_non_null(
	    strstr(plain, "script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "));
	assert_null(strstr(plain, "unsafe"));
	assert_non_null(strstr(plain, "; frame-ancestors 'none'"));
	page.looks.values[LOOK_LOGO_URL] = SLICE("https://cdn.example:8443/a/logo.svg?x");
	const char *own = page_policy(&page, SLICE("https://shop.example shop.example:*"), SLICE("*")).data;
	assert_non_null(strstr(own, "img-src 'self' https://cdn.example:8443/a/logo.svg; "));
	assert_non_null(strstr(own, "form-action 'self' https://shop.example shop.example:*; "));
	assert_non_null(strstr(own, "; frame-ancestors *"));
	static const char *const logos[][2] = {
		{ "https://a.example/b,c;d%2Fe%/\xc3\xbc(1).png#f", " https://a.example/b%2Cc%3Bd%2Fe%25/%C3%BC%281%29.png;" },
		{ "https://b\xc3\xbc"
		  "cher.example/a?b",
		    " xn--bcher-kva.example:*/a;" },
		{ "http://a.example?b/c", " http://a.example;" },
		{ "/a.png", "'self';" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(logos); i++) {
		page.looks.values[LOOK_LOGO_URL] = slice_of(logos[i][0]);
		const char *source =
		    strstr(page_policy(&page, SLICE_NONE, SLICE_NONE).data, "img-src 'self'") + strlen("img-src ");
		assert_non_null(strstr(source, logos[i][1]));
		assert_true(strchr(source, ';') < strstr(source, "connect-src"));
	}
	assert_slice(page_source(pool, SLICE("HTTP://a.example?x")), "HTTP://a.example");
	assert_slice(page_source(pool, SLICE("https://bücher.example:444/x")), "xn--bcher-kva.example:*");
	assert_slice(page_source(pool, SLICE("https://[::1]:8080/")), "https://[::1]:8080");
	static const char *const none[] = { NULL, "", "/path", "https://", "https:///x", "https://a;b/", "https://a b/",
		"ftp://a" };
	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		assert_false(slice_present(page_source(pool, slice_of(none[i]))));
}

#define LOOK_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		LOOK_TEST(values_are_checked),
		LOOK_TEST(names_are_found),
		LOOK_TEST(a_language_takes_precedence),
		LOOK_TEST(contrasts_are_those_of_wcag),
		LOOK_TEST(colors_must_be_readable),
		LOOK_TEST(colors_become_properties),
		LOOK_TEST(one_scheme_alone),
		LOOK_TEST(usual_colors_are_those_of_the_stylesheet),
		LOOK_TEST(consents_have_versions),
		LOOK_TEST(styles_load_nothing),
		LOOK_TEST(policies_allow_what_the_page_needs),
	};
	return cmocka_run_group_tests_name("page/looks", tests, NULL, NULL);
}
