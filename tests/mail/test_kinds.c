/* SPDX-License-Identifier: MIT
 * docs/mail.md 3: the kinds of mails, their default texts in each language, and how a mail is made from templates. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "mail/kinds.h"
#include "mail/layout.h"
#include "with_pool.h"

static struct mail_content
content_of(enum message_kind kind)
{
	struct mail_content content = {
		.kind = kind,
		.design = { .language = TEXT_LANGUAGE_EN },
		.to = SLICE("ada@example.com"),
		.id = SLICE("m1"),
		.time_ms = INT64_C(1795610993000),
	};
	for (enum mail_name i = 0; i < MAIL_NAMES; i++)
		content.values.of[i] = mail_name_is_url((enum mail_name)i)
					   ? pool_printf(pool, "https://example.org/%.*s", SLICE_ARGS(mail_name_text(i)))
					   : pool_printf(pool, "(%.*s)", SLICE_ARGS(mail_name_text(i)));
	assert_true(mailbox_parse(pool, SLICE("Example <hello@example.org>"), &content.from));
	return content;
}

/* The message without soft line breaks, or what is wrong. */
static const char *
composed(const struct mail_content *content)
{
	struct mail_message message;
	struct slice problem;
	if (!mail_compose(pool, content, &message, &problem))
		return pool_string(pool, problem);
	char *text = pool_string(pool, message.bytes);
	for (char *at = text; (at = strstr(at, "=\r\n")) != NULL;)
		memmove(at, at + 3, strlen(at + 3) + 1);
	return text;
}

/* Every kind of message is a mail, except for the text to a phone. */
static void
kinds_of_messages_are_mails(void **state UNUSED)
{
	for (unsigned kind = 0; kind < MESSAGE_KINDS; kind++) {
		const struct mail_kind_info *info = mail_kind_find(kind);
		assert_int_equal(info == NULL, kind == MESSAGE_CODE);
		assert_true(info == NULL || info->kind == kind);
	}
}

static const struct mail_kind_info *
next_kind(const struct mail_kind_info *kind)
{
	const struct mail_kind_info *next = NULL;
	for (unsigned number = kind == NULL ? 0 : kind->kind + 1U; number < MESSAGE_KINDS && next == NULL; number++)
		next = mail_kind_find((enum message_kind)number);
	return next;
}

static void
default_templates_are_valid(void **state UNUSED)
{
	struct template_error error;
	for (const struct mail_kind_info *kind = next_kind(NULL); kind != NULL; kind = next_kind(kind))
		for (unsigned language = 0; language < TEXT_LANGUAGES; language++)
			for (unsigned place = 0; place < TEMPLATE_PLACES; place++) {
				const struct mail_design design = { .language = language };
				const struct slice source = mail_default_template(pool, kind, place, &design);
				if (!mail_template_check(pool, kind, place, source, &error))
					fail_msg("%s, language %d, place %d: %zu:%zu %.*s", message_kind_name(kind->kind).data,
					    language, place, error.line, error.column, SLICE_ARGS(error.message));
			}
}

/* Whatever a campaign's text shows, the HTML that is made from it is valid and has the main link as a button. */
static void
default_mails_are_made_with_and_without_values(void **state UNUSED)
{
	for (const struct mail_kind_info *kind = next_kind(NULL); kind != NULL; kind = next_kind(kind))
		for (unsigned language = 0; language < TEXT_LANGUAGES; language++) {
			struct mail_content content = content_of(kind->kind);
			content.design.language = language;
			const char *message = composed(&content);
			assert_non_null(strstr(message, "class=3D\"button\""));
			assert_null(strstr(message, "{{"));
			assert_int_equal(
			    strstr(message, "\r\nList-Unsubscribe: <https://example.org/unsubscribe_url>") != NULL, kind->list);
			for (unsigned name = 0; name < MAIL_NAMES; name++)
				if ((kind->required & MAIL_NAME_BIT(name)) == 0)
					content.values.of[name] = SLICE_NONE;
			assert_non_null(strstr(composed(&content), "\r\nMIME-Version"));
		}
}

/* Anyone can have these mails sent to any address. */
static void
confirmations_have_no_names(void **state UNUSED)
{
	static const enum message_kind kinds[] = { MESSAGE_VERIFY, MESSAGE_STATUS_LINK, MESSAGE_ERASE_CONFIRM };
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		for (unsigned language = 0; language < TEXT_LANGUAGES; language++) {
			struct mail_content content = content_of(kinds[i]);
			content.design.language = language;
			assert_null(strstr(composed(&content), "(first_name)"));
			assert_null(strstr(composed(&content), "(display_name)"));
		}
}

static void
campaigns_templates_replace_the_default_ones(void **state UNUSED)
{
	struct mail_content content = content_of(MESSAGE_VERIFY);
	content.templates[TEMPLATE_SUBJECT] = SLICE("For {{first_name}}");
	content.templates[TEMPLATE_TEXT] = SLICE("Go: {{confirm_url}}\n");
	const char *message = composed(&content);
	assert_non_null(strstr(message, "\r\nSubject: For (first_name)\r\n"));
	assert_non_null(strstr(message, "\r\n\r\nGo: https://example.org/confirm_url\r\n\r\n--"));
	assert_non_null(strstr(message, ">Go</a>"));
	content.templates[TEMPLATE_HTML] = SLICE("<p lang=\"{{language}}\"><a href=\"{{confirm_url}}\">a</a>");
	message = composed(&content);
	assert_non_null(strstr(message, "\r\n\r\n<p lang=3D\"en\"><a href=3D\"https://example.org/confirm_url\">a</a>\r\n"));
	assert_null(strstr(message, ">Go</a>"));
}

static void
a_subject_without_its_values_is_the_default_one(void **state UNUSED)
{
	struct mail_content content = content_of(MESSAGE_WELCOME);
	content.templates[TEMPLATE_SUBJECT] = SLICE(" {{first_name}} ");
	content.values.of[MAIL_FIRST_NAME] = SLICE("evil.example");
	assert_non_null(strstr(composed(&content), "\r\nSubject: Welcome to (campaign_name)\r\n"));
}

static void
what_is_missing_or_invalid_is_named(void **state UNUSED)
{
	struct mail_content content = content_of(MESSAGE_VERIFY);
	content.values.of[MAIL_CONFIRM_URL] = SLICE("javascript:alert(1)");
	assert_string_equal(composed(&content), "there is no confirm_url");
	content = content_of(MESSAGE_REWARD);
	content.values.of[MAIL_UNSUBSCRIBE_URL] = SLICE_NONE;
	assert_string_equal(composed(&content), "there is no unsubscribe_url");
	content = content_of(MESSAGE_VERIFY);
	content.templates[TEMPLATE_TEXT] = SLICE("\nHello");
	assert_string_equal(composed(&content),
	    "text template, line 2, column 6: it must show {{confirm_url}}, outside sections of other values");
	content.templates[TEMPLATE_TEXT] = SLICE("{{reward}}");
	assert_string_equal(composed(&content), "text template, line 1, column 1: mails of this kind have no value \"reward\"");
	content = content_of(MESSAGE_VERIFY);
	content.to = SLICE("ada at example.com");
	assert_string_equal(composed(&content), "the recipient is not a valid address");
	content.kind = MESSAGE_CODE;
	assert_string_equal(composed(&content), "this kind of message is no mail");
}

static struct slice
read_document(void)
{
	enum { DOCUMENT_MAX_BYTES = 1 << 20 };
	const char *top = getenv("top_srcdir");
	FILE *file = fopen(pool_printf(pool, "%s/docs/mail.md", top == NULL ? "." : top).data, "r");
	assert_non_null(file);
	char *text = pool_bytes(pool, DOCUMENT_MAX_BYTES);
	const size_t size = fread(text, 1, DOCUMENT_MAX_BYTES, file);
	fclose(file);
	assert_true(size > 0 && size < DOCUMENT_MAX_BYTES);
	return (struct slice){ text, size };
}

/* The cell of a column of the table row that begins with this name. */
static struct slice
find_cell(struct slice document, struct slice name, size_t column)
{
	const struct slice begin = POOL_JOIN(pool, SLICE("| `"), name, SLICE("` |"));
	for (struct slice line, cell; slice_next(&document, '\n', &line);) {
		if (!slice_starts_with(line, begin))
			continue;
		for (size_t i = 0; slice_next(&line, '|', &cell); i++)
			if (i == column + 1)
				return slice_trim(cell);
	}
	fail_msg("docs/mail.md has no row for %.*s", SLICE_ARGS(name));
	return SLICE_NONE;
}

static bool
shows_name(struct slice text, enum mail_name name)
{
	const struct slice quoted = POOL_JOIN(pool, SLICE("`"), mail_name_text(name), SLICE("`"));
	return memmem(text.data, text.size, quoted.data, quoted.size) != NULL;
}

/* The sentence "Values of every mail: …" or "Those of leads: …". */
static struct slice
find_names(struct slice document, const char *begin)
{
	const char *from = strstr(pool_string(pool, document), begin);
	assert_non_null(from);
	return slice_sub(slice_of(from), 0, slice_find(slice_of(from), '.'));
}

static void
the_document_describes_every_kind(void **state UNUSED)
{
	const struct slice document = read_document();
	const struct slice every = find_names(document, "Values of every mail:"),
			   leads = find_names(document, "Those of leads:");
	for (const struct mail_kind_info *kind = next_kind(NULL); kind != NULL; kind = next_kind(kind)) {
		const struct slice values = find_cell(document, message_kind_name(kind->kind), 4),
				   required = find_cell(document, message_kind_name(kind->kind), 5);
		const bool has_leads = slice_starts_with(values, SLICE("those of leads"));
		assert_slice(find_cell(document, message_kind_name(kind->kind), 2), kind->list ? "yes" : "no");
		assert_slice(
		    find_cell(document, message_kind_name(kind->kind), 3), message_ignores_opt_out(kind->kind) ? "yes" : "no");
		assert_true(shows_name(find_cell(document, message_kind_name(kind->kind), 6), kind->main_url));
		for (unsigned name = 0; name < MAIL_NAMES; name++) {
			const bool shown =
			    shows_name(values, name) || shows_name(every, name) || (has_leads && shows_name(leads, name));
			assert_int_equal((kind->allowed & MAIL_NAME_BIT(name)) != 0, shown);
			assert_int_equal((kind->required & MAIL_NAME_BIT(name)) != 0, shows_name(required, name));
		}
	}
}

/* Asserts what the HTML contains between the campaign's name and the end. */
static void
assert_layout(const char *text, const char *expected)
{
	const struct layout_options options = { SLICE("de"), SLICE("ltr"), MAIL_STATUS_URL, SLICE_NONE, SLICE_NONE };
	const struct slice html = layout_html(pool, slice_of(text), &options);
	const struct template_rules rules = { .place = TEMPLATE_HTML, .allowed = MAIL_NAME_BIT(MAIL_NAMES) - 1 };
	const struct template *made;
	struct template_error error;
	assert_true(template_compile(pool, html, &rules, &made, &error));
	assert_true(slice_starts_with(html, SLICE("<!doctype html>\n<html lang=\"de\" dir=\"ltr\">\n")));
	const char *from = strstr(html.data, "{{campaign_name}}</p>\n") + strlen("{{campaign_name}}</p>\n");
	struct slice body = { from, (size_t)(strstr(from, "</td>") - from) }, part;
	struct buffer out;
	buffer_init(&out, 4096);
	while (body.size > 0) { /* leaves out the styles */
		const char *style = memmem(body.data, body.size, " style=\"", 8);
		part = slice_sub(body, 0, style == NULL ? body.size : (size_t)(style - body.data));
		buffer_add(&out, part);
		body = slice_sub(body, part.size, body.size);
		if (style != NULL)
			body = slice_sub(body, 9 + slice_find(slice_sub(body, 8, body.size), '"'), body.size);
	}
	assert_string_equal(pool_string(pool, buffer_slice(&out)), expected);
	buffer_free(&out);
}

static void
text_becomes_html(void **state UNUSED)
{
	assert_layout("a\r\nb <&>\n\n\nc", "<p>a<br>\nb &lt;&amp;&gt;</p>\n<p>c</p>\n");
	assert_layout("Go\xc2\xa0: {{status_url}}\nMore: {{ status_url }}\nOther: {{share_url}}",
	    "<p><a class=\"button\" href=\"{{status_url}}\">Go</a></p>\n"
	    "<p><a class=\"link\" href=\"{{ status_url }}\">More</a><br>\n<a class=\"link\" "
	    "href=\"{{share_url}}\">Other</a></p>\n");
	assert_layout("See {{share_url}} and https://a.example/?a=1&b, (http://b.example).",
	    "<p>See <a class=\"link\" href=\"{{share_url}}\">{{share_url}}</a> and "
	    "<a class=\"link\" href=\"https://a.example/?a=1&amp;b\">https://a.example/?a=1&amp;b</a>, ("
	    "<a class=\"link\" href=\"http://b.example\">http://b.example</a>).</p>\n");
	assert_layout("https://a.example/?u={{share_url}}",
	    "<p>https://a.example/?u=<a class=\"link\" href=\"{{share_url}}\">{{share_url}}</a></p>\n");
	assert_layout("a\n{{#reward}}\nb{{reward}}\n\nc\n{{/reward}}\nd",
	    "<p>a</p>\n{{#reward}}<p>b{{reward}}</p>\n<p>c</p>\n{{/reward}}<p>d</p>\n");
	assert_layout("a\n--\nb\n--", "<p>a</p>\n<div class=\"foot\">\n<p>b<br>\n--</p>\n</div>\n");
	assert_layout("{{#code}}\n--\n{{/code}}", "{{#code}}<p>--</p>\n{{/code}}");
	assert_layout("", "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(kinds_of_messages_are_mails, begin, end),
		cmocka_unit_test_setup_teardown(default_templates_are_valid, begin, end),
		cmocka_unit_test_setup_teardown(default_mails_are_made_with_and_without_values, begin, end),
		cmocka_unit_test_setup_teardown(confirmations_have_no_names, begin, end),
		cmocka_unit_test_setup_teardown(campaigns_templates_replace_the_default_ones, begin, end),
		cmocka_unit_test_setup_teardown(a_subject_without_its_values_is_the_default_one, begin, end),
		cmocka_unit_test_setup_teardown(what_is_missing_or_invalid_is_named, begin, end),
		cmocka_unit_test_setup_teardown(the_document_describes_every_kind, begin, end),
		cmocka_unit_test_setup_teardown(text_becomes_html, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
