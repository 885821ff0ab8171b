/* SPDX-License-Identifier: MIT
 * Lines with a sender, a recipient, a subject, an address for replies and a URL, then a text, then after a line `--` HTML
 * (docs/mail.md 2): no matter what they contain, the message has only the headers of its parts, short lines, and 7-bit
 * characters. */
#include "fuzz.h"

#include <string.h>

#include "mail/mime.h"
#include "mail/mime_message.h"

enum { LINE_MAX_BYTES = 998 };

static const struct slice expected[] = { SLICE("Date"), SLICE("From"), SLICE("To"), SLICE("Reply-To"), SLICE("Subject"),
	SLICE("Message-ID"), SLICE("Auto-Submitted"), SLICE("X-Auto-Response-Suppress"), SLICE("List-Unsubscribe"),
	SLICE("List-Unsubscribe-Post"), SLICE("MIME-Version"), SLICE("Content-Type"), SLICE("Content-Transfer-Encoding") };

/* Removes the first line, which must end with CR LF and contain no other CR or LF. */
static struct slice
take_line(struct slice *rest)
{
	const size_t end = slice_find(*rest, '\n');
	REQUIRE(end < rest->size && end > 0 && rest->data[end - 1] == '\r');
	const struct slice line = slice_sub(*rest, 0, end - 1);
	*rest = slice_sub(*rest, end + 1, rest->size);
	REQUIRE(line.size <= LINE_MAX_BYTES && slice_find(line, '\r') == line.size && slice_find(line, '\0') == line.size);
	return line;
}

/* The headers come in this order, each at most once. */
static void
check_headers(struct slice *rest, const struct message_parts *parts, const struct mail_message *message)
{
	size_t next = 0;
	for (struct slice line; (line = take_line(rest)).size > 0;) {
		if (line.data[0] == ' ') {
			REQUIRE(next > 0 && slice_trim(line).size > 0);
			continue;
		}
		const struct slice name = slice_sub(line, 0, slice_find(line, ':'));
		while (next < ARRAY_SIZE(expected) && !slice_equal(expected[next], name))
			next++;
		REQUIRE(next < ARRAY_SIZE(expected));
		next++;
		REQUIRE(slice_equal(name, SLICE("Reply-To")) <= (parts->reply_to.address.text.size > 0));
		REQUIRE(slice_starts_with(name, SLICE("List-")) <= slice_present(parts->unsubscribe_url));
		REQUIRE(slice_is_ascii(line) || (message->smtputf8 && slice_is_one_of(name, expected + 1, 3)));
		if (slice_equal(name, SLICE("Subject")))
			REQUIRE(line.size <= MIME_LINE_MAX);
	}
	REQUIRE(next >= ARRAY_SIZE(expected) - 1);
}

/* Between the headers and the end: 7-bit characters, and the boundary only in its own places. */
static void
check_body(struct slice rest, bool multipart)
{
	size_t boundaries = 0;
	while (rest.size > 0) {
		const struct slice line = take_line(&rest);
		REQUIRE(slice_is_ascii(line) && line.size <= MIME_LINE_MAX && !slice_equal(line, SLICE(".")));
		REQUIRE(!slice_starts_with(line, SLICE("From ")));
		boundaries += slice_starts_with(line, SLICE("--=_part"));
	}
	REQUIRE(boundaries == (multipart ? 3 : 0));
}

static void
check_message(struct pool *pool, const struct message_parts *parts)
{
	struct mail_message message, again;
	struct slice problem = SLICE_NONE;
	if (!message_build(pool, parts, &message, &problem)) {
		REQUIRE(problem.size > 0);
		return;
	}
	REQUIRE(message_build(pool, parts, &again, &problem) && slice_equal(message.bytes, again.bytes));
	for (size_t i = 0; i < message.recipient.size; i++)
		REQUIRE((unsigned char)message.recipient.data[i] > ' ' && strchr("<>\x7f", message.recipient.data[i]) == NULL);
	REQUIRE(message.smtputf8 || slice_is_ascii(message.recipient));
	struct slice rest = message.bytes;
	check_headers(&rest, parts, &message);
	check_body(rest, parts->html.size > 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pool *pool = pool_new();
	struct slice rest = fuzz_input(data, size);
	struct message_parts parts = { .id = SLICE("m1"), .time_ms = (int64_t)size * INT64_C(86400000) * 31 };
	const struct slice from = fuzz_line(&rest);
	parts.to = fuzz_line(&rest);
	parts.subject = fuzz_line(&rest);
	const struct slice reply_to = fuzz_line(&rest), url = fuzz_line(&rest);
	const char *html = rest.size == 0 ? NULL : memmem(rest.data, rest.size, "\n--\n", 4);
	parts.text = html == NULL ? rest : slice_sub(rest, 0, (size_t)(html - rest.data));
	parts.html = html == NULL ? SLICE_NONE : slice_sub(rest, parts.text.size + 4, rest.size);
	parts.unsubscribe_url = url.size > 0 ? url : SLICE_NONE;
	if (!mailbox_parse(pool, reply_to, &parts.reply_to))
		parts.reply_to.address.text = SLICE_NONE;
	/* a name that no configuration could have must be refused here, too */
	if (!mailbox_parse(pool, from, &parts.from)) {
		REQUIRE(mailbox_parse(pool, SLICE("a@example.org"), &parts.from));
		parts.from.name = from;
	}
	check_message(pool, &parts);
	pool_free(&pool);
	return 0;
}
