/* SPDX-License-Identifier: MIT */
#include "mail/mime_message.h"

#include <time.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "mail/mime.h"
#include "os/clock.h"

/* In quoted-printable, "=" occurs only before hexadecimal digits and line ends, so this occurs in no part (RFC 2045, 6.7). */
#define BOUNDARY "=_part"

/* A header line has at most 998 bytes (RFC 5322, 2.1.1), and some relays break long ones. */
enum { URL_MAX_BYTES = 900 };

/* ---- Checks ---- */

static bool
is_text(struct slice text)
{
	for (size_t i = 0; i < text.size; i++)
		if (((unsigned char)text.data[i] < ' ' && text.data[i] != '\n' && text.data[i] != '\t') || text.data[i] == 0x7f)
			return false;
	return utf8_valid(text);
}

/* A short dot-atom of a few kinds of characters, which needs no quotes. */
static bool
is_id(struct slice id)
{
	struct slice part;
	if (id.size == 0 || id.size > MESSAGE_ID_MAX_BYTES || slice_ends_with(id, SLICE(".")) || !slice_is_alnum(id, "._-"))
		return false;
	while (slice_next(&id, '.', &part))
		if (part.size == 0)
			return false;
	return true;
}

static bool
is_header_url(struct slice url)
{
	if (url.size > URL_MAX_BYTES ||
	    (!slice_starts_with(url, SLICE("https://")) && !slice_starts_with(url, SLICE("http://"))))
		return false;
	for (size_t i = 0; i < url.size; i++)
		if (url.data[i] <= ' ' || url.data[i] > '~' || url.data[i] == '<' || url.data[i] == '>')
			return false;
	return true;
}

/* Callers may have filled in the struct without mailbox_parse. */
static bool
is_mailbox(struct pool *pool, const struct mailbox *mailbox)
{
	struct mail_address address;
	return mailbox_name_valid(mailbox->name) && mail_address_parse(pool, mailbox->address.text, &address) &&
	       slice_equal(address.text, mailbox->address.text) && slice_equal(address.domain, mailbox->address.domain) &&
	       address.smtputf8 == mailbox->address.smtputf8;
}

static bool
has_reply_to(const struct message_parts *parts)
{
	return parts->reply_to.address.text.size > 0;
}

/* Returns NULL, or what is wrong. */
static const char *
check(struct pool *pool, const struct message_parts *parts)
{
	const struct {
		bool valid;
		const char *problem;
	} checks[] = {
		{ is_mailbox(pool, &parts->from), "the sender is not a valid address" },
		{ !has_reply_to(parts) || is_mailbox(pool, &parts->reply_to), "the address for replies is not valid" },
		{ utf8_valid(parts->subject) && !utf8_has_control(parts->subject), "the subject has control characters" },
		{ slice_trim(parts->subject).size > 0, "the subject is empty" },
		{ is_text(parts->text) && is_text(parts->html), "the text has control characters, or is not valid UTF-8" },
		{ slice_trim(parts->text).size > 0, "the text is empty" },
		{ is_id(parts->id), "the id of the message is not valid" },
		{ parts->time_ms >= 0 && parts->time_ms < CLOCK_END_MS, "the time of the message is not valid" },
		{ !slice_present(parts->unsubscribe_url) || is_header_url(parts->unsubscribe_url),
		    "the URL for unsubscribing is not valid" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(checks); i++)
		if (!checks[i].valid)
			return checks[i].problem;
	return NULL;
}

/* ---- Headers ---- */

static void
add_header(struct buffer *out, const char *name, struct slice value)
{
	buffer_add_text(out, name);
	buffer_add(out, SLICE(": "));
	buffer_add(out, value);
	buffer_add(out, SLICE("\r\n"));
}

/* strftime(3) depends on the locale. */
static void
add_date(struct buffer *out, int64_t ms)
{
	static const char days[][4] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
	static const char months[][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	const time_t seconds = (time_t)(ms / 1000);
	struct tm utc;
	gmtime_r(&seconds, &utc);
	buffer_printf(out, "Date: %s, %02d %s %04d %02d:%02d:%02d +0000\r\n", days[utc.tm_wday], utc.tm_mday,
	    months[utc.tm_mon], utc.tm_year + 1900, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

static void
add_mailbox(struct buffer *out, struct slice name, const struct mailbox *mailbox)
{
	const struct slice address = mailbox->address.text;
	buffer_add(out, name);
	buffer_add(out, SLICE(": "));
	if (mailbox->name.size > 0) {
		const size_t column = mime_add_phrase(out, name.size + 2, mailbox->name);
		buffer_add(out, column + address.size + sizeof(" <>") - 1 > MIME_LINE_MAX ? SLICE("\r\n <") : SLICE(" <"));
		buffer_add(out, address);
		buffer_add(out, SLICE(">"));
	} else {
		buffer_add(out, address);
	}
	buffer_add(out, SLICE("\r\n"));
}

static void
add_headers(struct buffer *out, const struct message_parts *parts, struct slice subject, struct slice to)
{
	add_date(out, parts->time_ms);
	add_mailbox(out, SLICE("From"), &parts->from);
	add_header(out, "To", to);
	if (has_reply_to(parts))
		add_mailbox(out, SLICE("Reply-To"), &parts->reply_to);
	mime_add_text_header(out, SLICE("Subject"), subject);
	buffer_printf(out, "Message-ID: <%.*s@%.*s>\r\n", SLICE_ARGS(parts->id), SLICE_ARGS(parts->from.address.domain));
	add_header(out, "Auto-Submitted", SLICE("auto-generated"));
	add_header(out, "X-Auto-Response-Suppress", SLICE("All"));
	if (slice_present(parts->unsubscribe_url))
		buffer_printf(out, "List-Unsubscribe: <%.*s>\r\n", SLICE_ARGS(parts->unsubscribe_url));
	/* RFC 8058 3.1: only with https */
	if (slice_starts_with(parts->unsubscribe_url, SLICE("https://")))
		add_header(out, "List-Unsubscribe-Post", SLICE("List-Unsubscribe=One-Click"));
	add_header(out, "MIME-Version", SLICE("1.0"));
}

/* ---- Bodies ---- */

static void
add_part(struct buffer *out, struct slice type, struct slice text)
{
	add_header(out, "Content-Type", type);
	add_header(out, "Content-Transfer-Encoding", SLICE("quoted-printable"));
	buffer_add(out, SLICE("\r\n"));
	mime_add_quoted_printable(out, text);
}

static void
add_body(struct buffer *out, const struct message_parts *parts)
{
	static const struct slice plain = SLICE("text/plain; charset=utf-8"), html = SLICE("text/html; charset=utf-8");
	if (parts->html.size == 0) {
		add_part(out, plain, parts->text);
		return;
	}
	add_header(out, "Content-Type", SLICE("multipart/alternative; boundary=\"" BOUNDARY "\""));
	buffer_add(out, SLICE("\r\n--" BOUNDARY "\r\n"));
	add_part(out, plain, parts->text);
	buffer_add(out, SLICE("\r\n--" BOUNDARY "\r\n"));
	add_part(out, html, parts->html);
	buffer_add(out, SLICE("\r\n--" BOUNDARY "--\r\n"));
}

static struct slice
cut_subject(struct slice subject)
{
	subject = slice_trim(subject);
	struct slice rest = subject;
	uint32_t character;
	for (size_t i = 0; i < MESSAGE_SUBJECT_MAX_CHARACTERS && utf8_next(&rest, &character);)
		i++;
	return slice_trim(slice_sub(subject, 0, subject.size - rest.size));
}

bool
message_build(struct pool *pool, const struct message_parts *parts, struct mail_message *message, struct slice *problem)
{
	struct mail_address to;
	struct buffer out;
	const char *wrong = check(pool, parts);
	if (wrong == NULL && !mail_address_parse(pool, parts->to, &to))
		wrong = "the recipient is not a valid address";
	if (wrong != NULL) {
		*problem = slice_of(wrong);
		return false;
	}
	buffer_init(&out, MESSAGE_MAX_BYTES);
	add_headers(&out, parts, cut_subject(parts->subject), to.text);
	add_body(&out, parts);
	const bool fits = buffer_ok(&out);
	if (fits)
		*message = (struct mail_message){
			.recipient = to.text,
			.bytes = pool_copy(pool, buffer_slice(&out)),
			.smtputf8 = to.smtputf8 || parts->from.address.smtputf8 ||
				    (has_reply_to(parts) && parts->reply_to.address.smtputf8),
		};
	else
		*problem = pool_printf(pool, "the message has more than %d bytes", MESSAGE_MAX_BYTES);
	buffer_free(&out);
	return fits;
}
