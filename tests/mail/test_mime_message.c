/* SPDX-License-Identifier: MIT
 * docs/mail.md 2: the bytes of a message. */
#include "unit.h"

#include <string.h>

#include "base/encode.h"
#include "mail/mime.h"
#include "mail/mime_message.h"
#include "with_pool.h"

static struct message_parts
parts_of(const char *from, const char *to, const char *subject)
{
	struct message_parts parts = {
		.to = slice_of(to),
		.subject = slice_of(subject),
		.text = SLICE("Hello\n"),
		.id = SLICE("m1.x"),
		.time_ms = INT64_C(1795610993000),
	};
	assert_true(mailbox_parse(pool, slice_of(from), &parts.from));
	return parts;
}

static const char *
built(const struct message_parts *parts)
{
	struct mail_message message;
	struct slice problem;
	return message_build(pool, parts, &message, &problem) ? pool_string(pool, message.bytes) : pool_string(pool, problem);
}

/* The header lines from this name to the next header, without the last line end. */
static const char *
header_of(const char *message, const char *name)
{
	const char *from = strstr(message, pool_printf(pool, "\r\n%s: ", name).data), *to = from + 2;
	assert_non_null(from);
	do
		to = strstr(to + 1, "\r\n");
	while (to[2] == ' ');
	return pool_string(pool, (struct slice){ from + 2, (size_t)(to - from - 2) });
}

static void
a_message_has_exactly_these_bytes(void **state UNUSED)
{
	struct message_parts parts = parts_of("Example <hello@example.org>", "Ada@example.com", "Hello");
	parts.html = SLICE("<p>Hello</p>");
	parts.unsubscribe_url = SLICE("https://example.org/o/1");
	assert_true(mailbox_parse(pool, SLICE("help@example.org"), &parts.reply_to));
	assert_string_equal(built(&parts), "Date: Wed, 25 Nov 2026 12:49:53 +0000\r\n"
					   "From: \"Example\" <hello@example.org>\r\n"
					   "To: Ada@example.com\r\n"
					   "Reply-To: help@example.org\r\n"
					   "Subject: Hello\r\n"
					   "Message-ID: <m1.x@example.org>\r\n"
					   "Auto-Submitted: auto-generated\r\n"
					   "X-Auto-Response-Suppress: All\r\n"
					   "List-Unsubscribe: <https://example.org/o/1>\r\n"
					   "List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"
					   "MIME-Version: 1.0\r\n"
					   "Content-Type: multipart/alternative; boundary=\"=_part\"\r\n"
					   "\r\n"
					   "--=_part\r\n"
					   "Content-Type: text/plain; charset=utf-8\r\n"
					   "Content-Transfer-Encoding: quoted-printable\r\n"
					   "\r\n"
					   "Hello\r\n"
					   "\r\n"
					   "--=_part\r\n"
					   "Content-Type: text/html; charset=utf-8\r\n"
					   "Content-Transfer-Encoding: quoted-printable\r\n"
					   "\r\n"
					   "<p>Hello</p>\r\n"
					   "\r\n"
					   "--=_part--\r\n");
}

static void
text_alone_is_not_multipart(void **state UNUSED)
{
	struct message_parts parts = parts_of("a@example.org", "b@example.org", "Hello");
	const char *message = built(&parts);
	assert_string_equal(header_of(message, "From"), "From: a@example.org");
	assert_null(strstr(message, "List-"));
	assert_null(strstr(message, "Reply-To"));
	assert_non_null(strstr(message,
	    "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nHello\r\n"));
}

/* RFC 8058, 3.1: mail programs post to https only. */
static void
one_click_needs_https(void **state UNUSED)
{
	struct message_parts parts = parts_of("a@example.org", "b@example.org", "Hello");
	parts.unsubscribe_url = SLICE("http://example.org/o/1");
	assert_string_equal(header_of(built(&parts), "List-Unsubscribe"), "List-Unsubscribe: <http://example.org/o/1>");
	assert_null(strstr(built(&parts), "List-Unsubscribe-Post"));
}

static void
headers_are_encoded_words(void **state UNUSED)
{
	struct message_parts parts = parts_of("B\xc3\xbc"
					      "cher, \"AG\" <a@example.org>",
	    "b@example.org",
	    "Gr\xc3\xbc\xc3\x9f"
	    "e = _?");
	const char *message = built(&parts);
	assert_string_equal(header_of(message, "From"), "From: =?UTF-8?Q?B=C3=BCcher=2C_=22AG=22?= <a@example.org>");
	assert_string_equal(header_of(message, "Subject"), "Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe_=3D_=5F=3F?=");
	parts.subject = SLICE("=?UTF-8?Q?a?=");
	assert_string_equal(header_of(built(&parts), "Subject"), "Subject: =?UTF-8?Q?=3D=3FUTF-8=3FQ=3Fa=3F=3D?=");
	parts = parts_of("\"A \\\"B\" <a@example.org>", "b@example.org", "x");
	assert_string_equal(header_of(built(&parts), "From"), "From: \"A \\\\\\\"B\" <a@example.org>");
}

/* RFC 2047, 2 and 5: words of at most 75 characters, lines of at most 76, and no character in two words. */
static void
long_headers_are_folded(void **state UNUSED)
{
	struct message_parts parts = parts_of("a@example.org", "b@example.org", "x");
	char subject[3 * 60 + 1] = "";
	for (size_t i = 0; i < 60; i++)
		memcpy(subject + 3 * i, "\xe6\xbc\xa2", 3);
	parts.subject = slice_of(subject);
	const char *header = header_of(built(&parts), "Subject");
	size_t characters = 0, lines = 0;
	for (struct slice rest = slice_of(header), line; slice_next(&rest, '\n', &line); lines++) {
		line = slice_sub(line, lines == 0 ? strlen("Subject: ") : 1, line.size);
		line = slice_ends_with(line, SLICE("\r")) ? slice_sub(line, 0, line.size - 1) : line;
		assert_true(line.size <= MIME_WORD_MAX && line.size + (lines == 0 ? 9 : 1) <= MIME_LINE_MAX);
		assert_true(slice_starts_with(line, SLICE("=?UTF-8?Q?=E6=BC=A2")) && slice_ends_with(line, SLICE("=A2?=")));
		characters += (line.size - 12) / 9;
	}
	assert_int_equal(characters, 60);
	assert_true(lines > 1);
}

static void
long_subjects_are_cut(void **state UNUSED)
{
	struct message_parts parts = parts_of("a@example.org", "b@example.org", "x");
	struct message_parts cut = parts;
	parts.subject = pool_printf(pool, "  %0300d", 0);
	cut.subject = pool_printf(pool, "%0200d", 0);
	assert_string_equal(built(&parts), built(&cut));
}

static void
assert_encoded(const char *text, const char *expected)
{
	struct buffer out;
	buffer_init(&out, 4096);
	mime_add_quoted_printable(&out, slice_of(text));
	assert_string_equal(pool_string(pool, buffer_slice(&out)), expected);
	buffer_free(&out);
}

static void
bodies_are_quoted_printable(void **state UNUSED)
{
	assert_encoded("", "");
	assert_encoded("a=b \n\t\nc", "a=3Db=20\r\n=09\r\nc\r\n");
	assert_encoded(".\n..\nFrom a\na From", "=2E\r\n=2E.\r\n=46rom a\r\na From\r\n");
	assert_encoded("a\r\nb\n\n", "a=0D\r\nb\r\n\r\n");
	assert_encoded("\xc3\xa9\xff", "=C3=A9=FF\r\n");
	/* the longest line: 75 characters and the sign; characters and encoded bytes stay whole */
	assert_encoded("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n");
	assert_encoded("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab",
	    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=\r\nb\r\n");
	assert_encoded("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\xc3\xa9.",
	    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=\r\n=C3=A9.\r\n");
	assert_encoded("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.",
	    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=\r\n=2E\r\n");
}

static void
assert_address(const char *typed, const char *expected, bool smtputf8)
{
	struct mail_address address = { .smtputf8 = !smtputf8 };
	const bool valid = mail_address_parse(pool, slice_of(typed), &address);
	assert_int_equal(valid, expected != NULL);
	if (!valid)
		return;
	assert_string_equal(pool_string(pool, address.text), expected);
	assert_int_equal(address.smtputf8, smtputf8);
}

static void
addresses_are_safe(void **state UNUSED)
{
	assert_address("Ada.L+x@Example.org", "Ada.L+x@example.org", false);
	assert_address("ada@b\xc3\xbc"
		       "cher.example",
	    "ada@xn--bcher-kva.example", false);
	assert_address("J\xc3\xbcrgen@b\xc3\xbc"
		       "cher.example",
	    "j\xc3\xbcrgen@xn--bcher-kva.example", true);
	assert_address("a\r\nRCPT TO:<b@example.org>@example.org", NULL, false);
	assert_address("a@example.org\r\nDATA", NULL, false);
	assert_address("a b@example.org", NULL, false);
	assert_address("<a@example.org>", "a@example.org", false);
	assert_address("a\x01\xe2\x80\x8b@example.org", "a@example.org", false);
	assert_address("\"a\"@example.org", NULL, false);
	assert_address("a,b@example.org", NULL, false);
	assert_address("", NULL, false);
	/* '<' and a combining stroke become one character in NFC */
	assert_address("a<\xcc\xb8@example.org", "a\xe2\x89\xae@example.org", true);
}

static void
smtputf8_is_reported(void **state UNUSED)
{
	struct message_parts parts = parts_of("a@example.org", "\xc3\xa9@example.org", "x");
	struct mail_message message;
	struct slice problem;
	assert_true(message_build(pool, &parts, &message, &problem) && message.smtputf8);
	assert_slice(message.recipient, "\xc3\xa9@example.org");
	parts = parts_of("a@example.org",
	    "a@b\xc3\xbc"
	    "cher.example",
	    "x");
	assert_true(message_build(pool, &parts, &message, &problem) && !message.smtputf8);
	assert_slice(message.recipient, "a@xn--bcher-kva.example");
	assert_true(slice_is_ascii(message.bytes));
}

static void
mailboxes_are_parsed(void **state UNUSED)
{
	static const char *const invalid[] = { "", "Ada", "Ada <>", "Ada\n <a@example.org>", "Ada <a b@example.org>",
		"\xff <a@example.org>" };
	struct mailbox mailbox;
	assert_true(mailbox_parse(pool, SLICE(" \"Ada L.\" <a@Example.org> "), &mailbox));
	assert_slice(mailbox.name, "Ada L.");
	assert_slice(mailbox.address.text, "a@example.org");
	assert_slice(mailbox.address.domain, "example.org");
	assert_true(mailbox_parse(pool, SLICE("<a@example.org>"), &mailbox));
	assert_int_equal(mailbox.name.size, 0);
	for (size_t i = 0; i < ARRAY_SIZE(invalid); i++)
		assert_false(mailbox_parse(pool, slice_of(invalid[i]), &mailbox));
}

static void
invalid_parts_are_refused(void **state UNUSED)
{
	const struct message_parts good = parts_of("a@example.org", "b@example.org", "x");
	struct message_parts parts = good;
#define REFUSED(member, value, expected)                        \
	do {                                                    \
		parts = good;                                   \
		parts.member = (value);                         \
		assert_string_equal(built(&parts), (expected)); \
	} while (0)
	REFUSED(subject, SLICE("a\r\nBcc: c@example.org"), "the subject has control characters");
	REFUSED(subject, SLICE(" "), "the subject is empty");
	REFUSED(subject, SLICE("\xff"), "the subject has control characters");
	REFUSED(to, SLICE("b@example.org\r\nBcc: c@example.org"), "the recipient is not a valid address");
	REFUSED(text, SLICE(""), "the text is empty");
	REFUSED(text, SLICE("a\rb"), "the text has control characters, or is not valid UTF-8");
	REFUSED(html, SLICE("\x01"), "the text has control characters, or is not valid UTF-8");
	REFUSED(id, SLICE(""), "the id of the message is not valid");
	REFUSED(id, SLICE("a@b"), "the id of the message is not valid");
	REFUSED(id, SLICE(".a"), "the id of the message is not valid");
	REFUSED(id, SLICE("a."), "the id of the message is not valid");
	REFUSED(id, SLICE("a..b"), "the id of the message is not valid");
	REFUSED(time_ms, -1, "the time of the message is not valid");
	REFUSED(unsubscribe_url, SLICE("https://a.example/ b"), "the URL for unsubscribing is not valid");
	REFUSED(unsubscribe_url, SLICE("mailto:a@example.org"), "the URL for unsubscribing is not valid");
	REFUSED(from.name, SLICE("a\nb"), "the sender is not a valid address");
	REFUSED(from.address.text, SLICE("a@example.org>\r\nx"), "the sender is not a valid address");
	REFUSED(from.address.domain, SLICE("example.com"), "the sender is not a valid address");
	REFUSED(reply_to.address.text, SLICE("a"), "the address for replies is not valid");
	parts = good;
	char *large = pool_bytes(pool, MESSAGE_MAX_BYTES);
	memset(large, 'a', MESSAGE_MAX_BYTES);
	parts.html = (struct slice){ large, MESSAGE_MAX_BYTES };
	assert_string_equal(built(&parts), "the message has more than 1048576 bytes");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_message_has_exactly_these_bytes, begin, end),
		cmocka_unit_test_setup_teardown(text_alone_is_not_multipart, begin, end),
		cmocka_unit_test_setup_teardown(one_click_needs_https, begin, end),
		cmocka_unit_test_setup_teardown(headers_are_encoded_words, begin, end),
		cmocka_unit_test_setup_teardown(long_headers_are_folded, begin, end),
		cmocka_unit_test_setup_teardown(long_subjects_are_cut, begin, end),
		cmocka_unit_test_setup_teardown(bodies_are_quoted_printable, begin, end),
		cmocka_unit_test_setup_teardown(addresses_are_safe, begin, end),
		cmocka_unit_test_setup_teardown(smtputf8_is_reported, begin, end),
		cmocka_unit_test_setup_teardown(mailboxes_are_parsed, begin, end),
		cmocka_unit_test_setup_teardown(invalid_parts_are_refused, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
