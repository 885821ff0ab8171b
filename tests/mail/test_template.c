/* SPDX-License-Identifier: MIT
 * docs/mail.md 1: the language of templates, what is escaped where, and what is refused. */
#include "unit.h"

#include <string.h>

#include "mail/template.h"
#include "text/text.h"
#include "with_pool.h"

static const mail_names every_name = MAIL_NAME_BIT(MAIL_NAMES) - 1;

/* The output of the template, or its error as "line:column message". */
static const char *
shown(enum template_place place, const char *source, mail_names required)
{
	const struct template_rules rules = { .place = place, .allowed = every_name, .required = required };
	const struct mail_values values = {
		.of = {
			[MAIL_CAMPAIGN_NAME] = SLICE("A & \"B\" <c>"),
			[MAIL_FIRST_NAME] = SLICE("Ada"),
			[MAIL_REWARD] = SLICE("{{code}}"),
			[MAIL_SHARE_URL] = SLICE("https://a.example/?x=1&y=2"),
			[MAIL_CODE] = SLICE(""),
		},
	};
	const struct template *made;
	struct template_error error;
	struct slice out;
	if (!template_compile(pool, slice_of(source), &rules, &made, &error))
		return pool_printf(pool, "%zu:%zu %.*s", error.line, error.column, SLICE_ARGS(error.message)).data;
	assert_true(template_render(pool, made, &values, &out));
	return pool_string(pool, out);
}

static void
assert_text(const char *source, const char *expected)
{
	assert_string_equal(shown(TEMPLATE_TEXT, source, 0), expected);
}

static void
assert_html(const char *source, const char *expected)
{
	assert_string_equal(shown(TEMPLATE_HTML, source, 0), expected);
}

static void
values_and_sections(void **state UNUSED)
{
	assert_text("Hello {{first_name}}!", "Hello Ada!");
	assert_text("{{ first_name }}{{# first_name }}x{{/ first_name }}", "Adax");
	assert_text("a{{#code}}b{{first_name}}{{/code}}c", "ac");
	assert_text("{{#first_name}}{{#code}}a{{/code}}b{{/first_name}}", "b");
	assert_text("{{#code}}{{#first_name}}a{{/first_name}}b{{/code}}c", "c");
	assert_text("{a} }} {", "{a} }} {");
	assert_text("", "");
}

static void
values_are_not_read_as_templates(void **state UNUSED)
{
	assert_text("{{reward}}", "{{code}}");
}

static void
section_tags_alone_on_a_line_take_it_with_them(void **state UNUSED)
{
	assert_text("a\n{{#first_name}}\nb\n{{/first_name}}\nc\n", "a\nb\nc\n");
	assert_text("a\r\n \t{{#code}} \r\nb\r\n{{/code}}\r\nc", "a\nc");
	assert_text("a\n{{#first_name}}b\n{{/first_name}}", "a\nb\n");
	assert_text("{{#first_name}}\n{{#first_name}}\na\n{{/first_name}}\n{{/first_name}}", "a\n");
	assert_text("{{#first_name}}{{/first_name}}\na", "\na");
}

static void
errors_have_a_place(void **state UNUSED)
{
	assert_text("a\nb\xc3\xa9{{nothing}}", "2:3 there is no value \"nothing\"");
	assert_text("{{", "1:1 {{ is not followed by }} on its line");
	assert_text("{{first_name\n}}", "1:1 {{ is not followed by }} on its line");
	assert_text("{{{first_name}}}", "1:1 there is no value \"{first_name\"");
	assert_text("{{^first_name}}", "1:1 there is no value \"^first_name\"");
	assert_text("{{}}", "1:1 there is no value \"\"");
	assert_text("a{{#first_name}}", "1:2 this section is not closed");
	assert_text("a{{/first_name}}", "1:2 no section {{#first_name}} is open here");
	assert_text("{{#first_name}}{{#code}}{{/first_name}}", "1:25 the section {{#code}} ends first");
	assert_text("{{#code}}{{#code}}{{#code}}{{#code}}{{#code}}", "1:37 sections are nested at most 4 deep");
	assert_text("a\n\x01", "2:1 control characters are not allowed");
	assert_text("a\r", "1:2 control characters are not allowed");
	assert_text("\xc2\x85", "1:1 control characters are not allowed");
	assert_text("a\xff", "1:2 this is not valid UTF-8");
	assert_string_equal(shown(TEMPLATE_SUBJECT, "a\nb", 0), "1:2 a subject is one line, without tabs");
}

static void
names_of_other_kinds_are_refused(void **state UNUSED)
{
	const struct template_rules rules = { .place = TEMPLATE_TEXT, .allowed = MAIL_NAME_BIT(MAIL_CODE) };
	const struct template *made;
	struct template_error error;
	assert_false(template_compile(pool, SLICE("{{reward}}"), &rules, &made, &error));
	assert_slice(error.message, "mails of this kind have no value \"reward\"");
}

static void
required_values_are_always_shown(void **state UNUSED)
{
	static const char lacks[] = "it must show {{confirm_url}}, outside sections of other values";
	const mail_names required = MAIL_NAME_BIT(MAIL_CONFIRM_URL);
	assert_string_equal(shown(TEMPLATE_TEXT, "a {{confirm_url}}", required), "a ");
	assert_string_equal(shown(TEMPLATE_TEXT, "{{#confirm_url}}{{confirm_url}}{{/confirm_url}}", required), "");
	assert_non_null(strstr(shown(TEMPLATE_TEXT, "{{#first_name}}{{confirm_url}}{{/first_name}}", required), lacks));
	assert_non_null(strstr(shown(TEMPLATE_TEXT, "{{#confirm_url}}a{{/confirm_url}}", required), lacks));
}

static void
html_is_escaped(void **state UNUSED)
{
	assert_html("<p>{{campaign_name}}</p>", "<p>A &amp; &quot;B&quot; &lt;c&gt;</p>");
	assert_html("<title>{{campaign_name}}</title>", "<title>A &amp; &quot;B&quot; &lt;c&gt;</title>");
	assert_html("<img alt=\"{{campaign_name}}\">", "<img alt=\"A &amp; &quot;B&quot; &lt;c&gt;\">");
	assert_html("<a href=\"{{share_url}}\">", "<a href=\"https://a.example/?x=1&amp;y=2\">");
	assert_html("<A HREF = \"{{share_url}}&z=3\">", "<A HREF = \"https://a.example/?x=1&amp;y=2&z=3\">");
	assert_html("<a href=\"https://b.example/s?u={{share_url}}\">",
	    "<a href=\"https://b.example/s?u=https%3A%2F%2Fa.example%2F%3Fx%3D1%26y%3D2\">");
	assert_html(
	    "<a href=\"mailto:?body={{share_url}}\">", "<a href=\"mailto:?body=https%3A%2F%2Fa.example%2F%3Fx%3D1%26y%3D2\">");
	assert_html("<a href=\"{{privacy_url}}\">", "<a href=\"\">");
	assert_string_equal(shown(TEMPLATE_SUBJECT, "{{campaign_name}}", 0), "A & \"B\" <c>");
}

static void
html_is_followed(void **state UNUSED)
{
	assert_html("<style>a<b{}</style ><p>{{first_name}}", "<style>a<b{}</style ><p>Ada");
	assert_html("<!--[if mso]><table><![endif]-->{{first_name}}", "<!--[if mso]><table><![endif]-->Ada");
	assert_html("<!-->{{first_name}}", "<!-->Ada");
	assert_html("<!--->{{first_name}}", "<!--->Ada");
	assert_html("<!--a--!>{{first_name}}", "<!--a--!>Ada");
	assert_html("<!doctype html \"a\">{{first_name}}", "<!doctype html \"a\">Ada");
	assert_html("<br/>{{first_name}}", "<br/>Ada");
	assert_html("<p a=b c='>' d>{{first_name}}", "<p a=b c='>' d>Ada");
	assert_html("<p a=/>{{first_name}}", "<p a=/>Ada");
}

/* Each place where a value would be read as something other than text. */
static void
values_are_refused_in_html(void **state UNUSED)
{
	static const struct {
		const char *source, *message;
	} cases[] = {
		{ "<{{first_name}}>", "1:2 a value is allowed only in text and in attributes" },
		{ "<p {{first_name}}>", "1:4 a value is allowed only in text and in attributes" },
		{ "<p a{{first_name}}>", "1:5 a value is allowed only in text and in attributes" },
		{ "<p title={{first_name}}>", "1:10 an attribute with a value must be in double quotes" },
		{ "<p title=a{{first_name}}>", "1:11 an attribute with a value must be in double quotes" },
		{ "<p title='{{first_name}}'>", "1:11 an attribute with a value must be in double quotes" },
		{ "<p onclick=\"{{first_name}}\">", "1:11 the attribute onclick has no place in a mail" },
		{ "<p style=\"{{first_name}}\">",
		    "1:11 a value is allowed only in the attributes href, src, alt, title, lang and aria-label" },
		{ "<p aria-label-longer=\"{{first_name}}\">",
		    "1:23 a value is allowed only in the attributes href, src, alt, title, lang and aria-label" },
		{ "<style>{{first_name}}</style>", "1:8 a value is not allowed in a style" },
		{ "<style>a</styles>{{first_name}}</style>", "1:18 a value is not allowed in a style" },
		{ "<!--{{first_name}}-->", "1:5 a value is not allowed in a comment or declaration" },
		{ "<!--!>{{first_name}}-->", "1:7 a value is not allowed in a comment or declaration" },
		{ "<!doctype {{first_name}}>", "1:11 a value is not allowed in a comment or declaration" },
		{ "<a href=\"{{first_name}}\">", "1:10 in href and src only values whose names end with _url are allowed" },
		{ "<a href=\"https://a.example/{{share_url}}\">",
		    "1:28 in a URL a value is allowed only at the beginning, or after ? of an http, https or mailto URL" },
		{ "<a href=\"javascript:a('?{{share_url}}')\">",
		    "1:25 in a URL a value is allowed only at the beginning, or after ? of an http, https or mailto URL" },
		{ "<a href=\" {{share_url}}\">",
		    "1:11 in a URL a value is allowed only at the beginning, or after ? of an http, https or mailto URL" },
		{ "<a href=\"{{#code}}{{share_url}}{{/code}}\">", "1:10 a section may begin and end between HTML tags only" },
		{ "{{#code}}<p {{/code}}>", "1:13 a section may begin and end between HTML tags only" },
		{ "{{#code}}<style>{{/code}}</style>", "1:17 a section may begin and end between HTML tags only" },
		{ "<script>", "1:8 <script> has no place in a mail" },
		{ "<SVG/onload=a>", "1:5 <svg> has no place in a mail" },
		{ "a < b", "1:4 a < that begins no tag is written &lt;" },
		{ "</ a>", "1:3 a < that begins no tag is written &lt;" },
		{ "<p title=>", "1:10 an attribute has no value after its =" },
		{ "<p", "1:3 the HTML ends within a tag, a comment, a title or a style" },
		{ "<title>a", "1:9 the HTML ends within a tag, a comment, a title or a style" },
		{ "<!-- a", "1:7 the HTML ends within a tag, a comment, a title or a style" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_html(cases[i].source, cases[i].message);
}

/* HTML that would run a script, lead to another page, load a document or send a form, however it is written. */
static void
active_html_is_refused(void **state UNUSED)
{
#define BAD_URL "must begin with http://, https://, mailto:, tel: or #, or with a value"
#define BAD_STYLE "in a style expression(), @container and selectors of href are not allowed"
#define BAD_REFERENCE "in the attribute style characters are written as they are, except &amp; &quot; &apos; &#34; &#39;"
	static const struct {
		const char *source, *message;
	} cases[] = {
		{ "<link rel=stylesheet>", "1:6 <link> has no place in a mail" },
		{ "<FORM>", "1:6 <form> has no place in a mail" },
		{ "<input>", "1:7 <input> has no place in a mail" },
		{ "<button>", "1:8 <button> has no place in a mail" },
		{ "<iframe/src=x>", "1:8 <iframe> has no place in a mail" },
		{ "<base href=\"https://a.example/\">", "1:6 <base> has no place in a mail" },
		{ "<a href=\"javascript:a()\">", "1:24 href " BAD_URL },
		{ "<a href='JavaScript:a()'>", "1:24 href " BAD_URL },
		{ "<a href=javascript:a()>", "1:23 href " BAD_URL },
		{ "<a href=javascript:a() b>", "1:23 href " BAD_URL },
		{ "<a href=\" javascript:a()\">", "1:25 href " BAD_URL },
		{ "<a href=\"java\tscript:a()\">", "1:25 href " BAD_URL },
		{ "<a href=\"&#106;avascript:a()\">", "1:29 href " BAD_URL },
		{ "<a href=\"javascript&colon;a()\">", "1:30 href " BAD_URL },
		{ "<a href=\"&Tab;https://a.example/\">", "1:33 href " BAD_URL },
		{ "<a href=\"vbscript:a\">", "1:20 href " BAD_URL },
		{ "<a href=\"data:text/html,a\">", "1:26 href " BAD_URL },
		{ "<a href=\"//a.example\">", "1:21 href " BAD_URL },
		{ "<a href=\"/a\">", "1:12 href " BAD_URL },
		{ "<img src=\"file://a.example/b\">", "1:29 src " BAD_URL },
		{ "<img src='\\\\a.example\\b'>", "1:24 src " BAD_URL },
		{ "<td background=javascript:a>", "1:28 background " BAD_URL },
		{ "<video poster=\"javascript:a\">", "1:28 poster " BAD_URL },
		{ "<a xlink:href=\"javascript:a\">", "1:28 xlink:href " BAD_URL },
		{ "<p onclick=\"a\">", "1:11 the attribute onclick has no place in a mail" },
		{ "<p ONLOAD>", "1:10 the attribute onload has no place in a mail" },
		{ "<p/onbeforescriptexecute=a>", "1:25 the attribute onbeforescriptex has no place in a mail" },
		{ "<p srcdoc=\"a\">", "1:10 the attribute srcdoc has no place in a mail" },
		{ "<img srcset=\"a 2x\">", "1:12 the attribute srcset has no place in a mail" },
		{ "<meta http-equiv=\"refresh\" content=\"0;url=https://a.example\">",
		    "1:26 http-equiv must be content-type, content-language or x-ua-compatible" },
		{ "<meta http-equiv=REFRESH>", "1:25 http-equiv must be content-type, content-language or x-ua-compatible" },
		{ "<meta http-equiv=\"&#114;efresh\">",
		    "1:31 http-equiv must be content-type, content-language or x-ua-compatible" },
		{ "<meta http-equiv=\"set-cookie\">",
		    "1:29 http-equiv must be content-type, content-language or x-ua-compatible" },
		{ "<style>@\\69mport", "1:10 in a style letters and digits are written without \\" },
		{ "<p style=\"a:url\\28 b)\">", "1:17 in a style letters and digits are written without \\" },
		{ "<p style=\"a:expression(b)\">", "1:23 " BAD_STYLE },
		{ "<p style=\"a:&expression(b)\">", "1:24 " BAD_STYLE },
		{ "<p style=\"a:u&#114;l(b)\">", "1:19 " BAD_REFERENCE },
		{ "<p style=\"a:url&lpar;b)\">", "1:21 " BAD_REFERENCE },
		{ "<p style=\"a:url&#40\">", "1:20 " BAD_REFERENCE },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_html(cases[i].source, cases[i].message);
}

/* docs/mail.md 1.3: something that is loaded only for some values of a secret tells its host a part of the secret. */
static void
styles_load_nothing(void **state UNUSED)
{
#define LOADS "a style must not load anything: url(), src(), image(), image-set() and @import are not allowed"
	static const struct {
		const char *source, *message;
	} cases[] = {
		{ "<style>i[title^=\"4\"]{background:url(https://a.example/4)}</style>", "1:36 " LOADS },
		{ "<style>a[class*=b]{content:URL('https://a.example/b')}", "1:31 " LOADS },
		{ "<style>@font-face{font-family:a;src:url(https://a.example);unicode-range:U+34}", "1:40 " LOADS },
		{ "<style>@import \"https://a.example\"", "1:14 " LOADS },
		{ "<style>@Im port", "1:15 " LOADS },
		{ "<style>a:hover{background:image-set('https://a.example' 1x)}", "1:36 " LOADS },
		{ "<style>a{background:-webkit-image-set( 'https://a.example' 1x)}", "1:38 " LOADS },
		{ "<style>a{background:image('https://a.example')}", "1:26 " LOADS },
		{ "<style>@font-face{src:src('https://a.example')}", "1:26 " LOADS },
		{ "<style>a{filter:progid:DXImageTransform.Microsoft.AlphaImageLoader(src='https://a.example')}",
		    "1:66 " LOADS },
		{ "<style>@media (max-width:9px){a{background:url(https://a.example)}}", "1:47 " LOADS },
		{ "<style>\n@namespace url(https://a.example)", "2:15 " LOADS },
		{ "<p style=\"background:url(https://a.example)\">", "1:25 " LOADS },
		{ "<p style='background:url(&quot;https://a.example&quot;)'>", "1:25 " LOADS },
		{ "<p style=background:url(javascript:b)>", "1:24 " LOADS },
		{ "<p style=\"background:url\n(https://a.example)\">", "2:1 " LOADS },
		{ "<p style=\"--a:url(//a.example)\">", "1:18 " LOADS },
		{ "<style>a[href*=\"4\"]~img{display:none}</style>", "1:13 " BAD_STYLE },
		{ "<style>a[/**/HREF^=x]", "1:17 " BAD_STYLE },
		{ "<style>a[*|href|=x]", "1:15 " BAD_STYLE },
		{ "<style>@container (min-width:9px)", "1:17 " BAD_STYLE },
		{ "<img loading=\"lazy\" src=\"https://a.example\">", "1:13 the attribute loading has no place in a mail" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_html(cases[i].source, cases[i].message);
}

/* HTML that mails usually contain. */
static void
inactive_html_is_accepted(void **state UNUSED)
{
	static const char *const sources[] = {
		"<meta charset=\"utf-8\"><meta http-equiv=\"Content-Type\" content=\"text/html; charset=utf-8\">",
		"<meta http-equiv='X-UA-Compatible' content='IE=edge'><meta name=\"viewport\" content=\"width=device-width\">",
		"<a href=\"https://a.example/?b=1&amp;c=2\">a</a><a href='HTTP://a.example'>a</a>",
		"<a href=mailto:a@b.example>a</a>",
		"<a href=\"tel:+491234\">a</a><a href=\"#top\">a</a><a href=\"\">a</a><a href>a</a><a name=on>a</a>",
		"<table background=\"https://a.example/b.png\" border=0><td bgcolor=\"#ffffff\">a</td></table>",
		"<img src=https://a.example/b.png alt=\"javascript: on\">",
		"<p style=\"font-family:&quot;Arial&quot;,'B C';mso-line-height-rule:exactly\">a</p>",
		"<style>@media (max-width:600px){.a\\:b{color:red}} a:hover,a[x-apple-data-detectors]{color:red}</style>",
		"<!--[if mso]><link><xml></xml><![endif]-->",
	};
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		assert_html(sources[i], sources[i]);
}

static const char *const secrets[] = { "status_url", "confirm_url", "unsubscribe_url", "code" };

/* Tests the template with each secret in place of S. `expected`: the output, in which `S` is the secret's value, or the place
 * and message of the error. */
static void
assert_secret(enum template_place place, const char *source, const char *expected)
{
	const struct template_rules rules = { .place = place, .allowed = every_name };
	const struct mail_values values = {
		.of = { [MAIL_STATUS_URL] = SLICE("https://a"),
		    [MAIL_CONFIRM_URL] = SLICE("https://a"),
		    [MAIL_UNSUBSCRIBE_URL] = SLICE("https://a"),
		    [MAIL_CODE] = SLICE("https://a"),
		    [MAIL_SHARE_URL] = SLICE("https://b") },
	};
	for (size_t i = 0; i < ARRAY_SIZE(secrets); i++) {
		const struct template *made;
		struct template_error error;
		struct slice out = SLICE_NONE;
		const struct slice name = pool_printf(pool, "{{%s}}", secrets[i]);
		const struct slice filled = TEXT_FILL(pool, slice_of(source), { "S", name });
		if (template_compile(pool, filled, &rules, &made, &error))
			assert_true(template_render(pool, made, &values, &out));
		else
			out = pool_printf(pool, "%zu:%zu %s", error.line, error.column,
			    strstr(error.message.data, "is secret, and ") + strlen("is secret, and "));
		assert_slice(out, expected);
	}
}

/* docs/mail.md 1.2: mail programs make links of text that looks like one. */
static void
secrets_in_text_are_no_part_of_a_link(void **state UNUSED)
{
#define BEFORE "cannot be a part of a link: a blank goes before it"
#define IN_BRACKETS "cannot be a part of a link: the angle bracket of one before it is not closed"
#define AFTER "cannot be a part of a link: a blank goes after it, or punctuation and a blank"
	static const struct {
		const char *source, *expected;
	} everywhere[] = {
		{ "www.{S}.evil.example", "1:5 " BEFORE },
		{ "{S}@evil.example", "1:1 " AFTER },
		{ "{S}.evil.example", "1:1 " AFTER },
		{ "tel:+49{S}", "1:8 " BEFORE },
		{ "evil.example\\{S}", "1:14 " BEFORE },
		{ "https://evil.example/?u={S}", "1:25 " BEFORE },
		{ "https://evil.example:{S}", "1:22 " BEFORE },
		{ "https://evil.example/({S}", "1:23 " BEFORE },
		{ "https://evil.example/\xc2\xa0{S}", "1:23 " BEFORE },
		{ "a@evil.example?body={S}", "1:21 " BEFORE },
		{ "evil.example\xe3\x80\x82{S}", "1:14 " BEFORE },
		{ "xmpp:{S}", "1:6 " BEFORE },
		{ "{S}://evil.example", "1:1 " AFTER },
		{ "{S}:a@evil.example", "1:1 " AFTER },
		{ "{S}).evil.example", "1:1 " AFTER },
		{ "{S}\xe3\x80\x82"
		  "evil.example",
		    "1:1 " AFTER },
		{ "{S}&#46;evil.example", "1:1 " AFTER },
		{ "{S}-", "1:1 " AFTER },
		{ "{S}", "https://a" },
		{ "Code: {S}.", "Code: https://a." },
		{ "a ({S}), \"{S}\"!", "a (https://a), \"https://a\"!" },
		{ "\xc2\xab\xc2\xa0{S}\xc2\xa0\xc2\xbb. a", "\xc2\xab\xc2\xa0https://a\xc2\xa0\xc2\xbb. a" },
		{ "evil.example/ {S} .evil.example", "evil.example/ https://a .evil.example" },
		/* next to a tag of the template, a blank is added */
		{ "{{share_url}}{S}", "https://b https://a" },
		{ "{{share_url}}({S}){{share_url}}", "https://b (https://a) https://b" },
		{ "evil.example/{{#share_url}}{S}{{/share_url}}.evil.example", "evil.example/ https://a .evil.example" },
		{ "evil.example/{{#code}} {{/code}}{S}.{{share_url}}", "evil.example/  https://a. https://b" },
		{ "{S}\"{S}", "https://a\" https://a" },
	};
	static const struct {
		const char *source, *expected;
	} text[] = {
		{ "<{S}> https://a.example", "<https://a> https://a.example" },
		{ "a\n{{#code}}\n{S}\n{{/code}}\nb", "a\nhttps://a\nb" },
		{ "evil.example&#47;{S}", "1:18 " BEFORE },
		/* RFC 3986, appendix C: white space in angle brackets is not part of the link */
		{ "<https://evil.example/ {S} >", "1:24 " IN_BRACKETS },
		{ "a <www.evil.example/?\n({S})\n>", "2:2 " IN_BRACKETS },
		{ "<{{share_url}} {S}>", "1:16 " IN_BRACKETS },
		{ "<https://b.example> {S} >", "<https://b.example> https://a >" },
		{ "1 < 2.5 and <3 {S}", "1 < 2.5 and <3 https://a" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(everywhere); i++)
		for (enum template_place place = TEMPLATE_SUBJECT; place < TEMPLATE_PLACES; place++)
			assert_secret(place, everywhere[i].source, everywhere[i].expected);
	for (size_t i = 0; i < ARRAY_SIZE(text); i++)
		assert_secret(TEMPLATE_TEXT, text[i].source, text[i].expected);
}

/* docs/mail.md 1.3: programs that look for links may skip tags. */
static void
secrets_in_html_are_no_part_of_a_link(void **state UNUSED)
{
	static const struct {
		const char *source, *expected;
	} cases[] = {
		{ "<p>Code: <b>{S}</b>.</p>", "<p>Code: <b> https://a </b>.</p>" },
		{ "<p>{S}.</p>", "<p> https://a. </p>" },
		{ "evil.example/<b></b>{S}<!-- -->.evil.example", "evil.example/<b></b> https://a <!-- -->.evil.example" },
		{ "evil.example/<a>{S}</a>", "evil.example/<a> https://a </a>" },
		{ "evil.example/</a href=\"https://b\">{S}<p>", "evil.example/</a href=\"https://b\"> https://a <p>" },
		{ "<a href=\"https://b\">{S}</a>", "<a href=\"https://b\">https://a</a>" },
		{ "<a href=\"{{share_url}}\">{S}</a>", "<a href=\"https://b\">https://a</a>" },
		{ "<a href=\"https://b\">{S}.b</a>", "1:21 " AFTER },
		{ "<td>&lt;{S}&gt;</td>", "<td> &lt;https://a&gt; </td>" },
		{ "<p>evil.example&sol;{S}</p>", "1:21 " BEFORE },
		{ "<p>{S}&commat;evil.example</p>", "1:4 " AFTER },
		{ "<title>{S}</title>", "<title> https://a </title>" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_secret(TEMPLATE_HTML, cases[i].source, cases[i].expected);
}

/* docs/mail.md 1.3: secrets are in text, and their URLs in href. */
static void
secrets_have_their_places(void **state UNUSED)
{
#define PLACES "{{status_url}} is secret, and has its place in text, and a URL as the whole of a href"
#define WHOLE "{{status_url}} is secret, and cannot be a part of a link: it is the whole of a href"
	static const struct {
		const char *source, *message;
	} cases[] = {
		{ "<i title=\"{{status_url}}\">", "1:11 " PLACES },
		{ "<img alt=\"{{status_url}}\">", "1:11 " PLACES },
		{ "<img alt=\"https://b/?\n{{status_url}}\">", "2:1 " PLACES },
		{ "<p lang=\"{{status_url}}\">", "1:10 " PLACES },
		{ "<p aria-label=\"{{status_url}}\">", "1:16 " PLACES },
		{ "<p TITLE=\" {{status_url}} \">", "1:12 " PLACES },
		{ "<img src=\"{{status_url}}\">", "1:11 " PLACES },
		{ "<img src=\"https://b/?{{status_url}}\">", "1:22 " PLACES },
		{ "<img src=\"{{logo_url}}?a {{status_url}}\">", "1:26 " PLACES },
		{ "<a href=\"https://b/?u={{status_url}}\">", "1:23 " PLACES },
		{ "<a href=\"mailto:a@b?body={{status_url}}\">", "1:26 " PLACES },
		{ "<a href=\"{{share_url}}?{{status_url}}\">", "1:24 " PLACES },
		{ "<a href=\"{{status_url}}&a=b\">", "1:10 " WHOLE },
		{ "<a href=\"{{status_url}} \">", "1:10 " WHOLE },
		{ "<a href=\"{{status_url}}{{share_url}}\">", "1:10 " WHOLE },
		{ "<p class=\"{{status_url}}\">",
		    "1:11 a value is allowed only in the attributes href, src, alt, title, lang and aria-label" },
		{ "<p id=\"{{status_url}}\">",
		    "1:8 a value is allowed only in the attributes href, src, alt, title, lang and aria-label" },
		{ "<p data-a=\"{{status_url}}\">",
		    "1:12 a value is allowed only in the attributes href, src, alt, title, lang and aria-label" },
		{ "<a href=\"{{code}}\">", "1:10 in href and src only values whose names end with _url are allowed" },
		{ "<a href=\"{{status_url}}\" class=\"b\">a</a>", "<a href=\"\" class=\"b\">a</a>" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_html(cases[i].source, cases[i].message);
	assert_html(
	    "<i title=\"{{code}}\">", "1:11 {{code}} is secret, and has its place in text, and a URL as the whole of a href");
}

static void
sizes_are_limited(void **state UNUSED)
{
	const struct template_rules rules = { .place = TEMPLATE_TEXT, .allowed = every_name };
	const struct slice name = SLICE("{{campaign_name}}");
	struct mail_values values = { .of = { [MAIL_CAMPAIGN_NAME] = pool_printf(pool, "%0300d", 0) } };
	char *source = pool_bytes(pool, TEMPLATE_TEXT_MAX_BYTES + 1);
	const struct template *made;
	struct template_error error;
	struct slice out;
	memset(source, 'a', TEMPLATE_TEXT_MAX_BYTES + 1);
	assert_true(template_compile(pool, (struct slice){ source, TEMPLATE_TEXT_MAX_BYTES }, &rules, &made, &error));
	assert_false(template_compile(pool, (struct slice){ source, TEMPLATE_TEXT_MAX_BYTES + 1 }, &rules, &made, &error));
	assert_slice(error.message, "it has more than 16384 bytes");
	/* each value has the maximum of 200 characters */
	const size_t fit = TEMPLATE_TEXT_OUTPUT_MAX / MAIL_VALUE_MAX_CHARACTERS;
	for (size_t i = 0; i <= fit; i++)
		memcpy(source + i * name.size, name.data, name.size);
	assert_true(template_compile(pool, (struct slice){ source, fit * name.size }, &rules, &made, &error));
	assert_true(template_render(pool, made, &values, &out));
	assert_int_equal(out.size, fit * MAIL_VALUE_MAX_CHARACTERS);
	assert_true(template_compile(pool, (struct slice){ source, (fit + 1) * name.size }, &rules, &made, &error));
	assert_false(template_render(pool, made, &values, &out));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(values_and_sections, begin, end),
		cmocka_unit_test_setup_teardown(values_are_not_read_as_templates, begin, end),
		cmocka_unit_test_setup_teardown(section_tags_alone_on_a_line_take_it_with_them, begin, end),
		cmocka_unit_test_setup_teardown(errors_have_a_place, begin, end),
		cmocka_unit_test_setup_teardown(names_of_other_kinds_are_refused, begin, end),
		cmocka_unit_test_setup_teardown(required_values_are_always_shown, begin, end),
		cmocka_unit_test_setup_teardown(html_is_escaped, begin, end),
		cmocka_unit_test_setup_teardown(html_is_followed, begin, end),
		cmocka_unit_test_setup_teardown(values_are_refused_in_html, begin, end),
		cmocka_unit_test_setup_teardown(active_html_is_refused, begin, end),
		cmocka_unit_test_setup_teardown(inactive_html_is_accepted, begin, end),
		cmocka_unit_test_setup_teardown(styles_load_nothing, begin, end),
		cmocka_unit_test_setup_teardown(secrets_in_text_are_no_part_of_a_link, begin, end),
		cmocka_unit_test_setup_teardown(secrets_in_html_are_no_part_of_a_link, begin, end),
		cmocka_unit_test_setup_teardown(secrets_have_their_places, begin, end),
		cmocka_unit_test_setup_teardown(sizes_are_limited, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
