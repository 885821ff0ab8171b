/* SPDX-License-Identifier: MIT
 * libcurl reports the same error for an answer of the server to any command. So this file follows the commands and answers on
 * the connection: what was sent last, what was answered, and what the server offers. */
#include "deliver/mail/smtp.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "base/duration.h"
#include "base/panic.h"
#include "base/pool.h"
#include "os/clock.h"
#include "os/log.h"

_Static_assert(SMTP_ERROR_SIZE >= CURL_ERROR_SIZE, "the buffer for libcurl");

enum { MAILS_MAX = 100, AGE_MAX_MS = MINUTE_MS, URL_MAX = 600, PATH_MAX_BYTES = 1100 };

/* What was sent and answered for one mail. */
struct observed {
	enum smtp_stage stage;
	int status;   /* status of the answer to the last command; 0: there is none */
	bool is_done; /* the transfer is over: what follows belongs to the end of the connection */
	bool has_begun_tls, in_hello, offers_utf8, lacks_utf8;
	bool in_answer; /* the last line was not the last of its answer */
	char answer[SMTP_ANSWER_SIZE];
};

struct smtp_connection {
	CURL *curl; /* NULL: no connection is open */
	struct smtp_server server;
	const atomic_bool *stop;
	unsigned mails; /* on the open connection */
	int64_t opened_ms;
	/* about the mail under way */
	struct observed seen;
	const struct smtp_mail *mail;
	size_t given; /* how many bytes of its content libcurl has read */
};

/* ---- what libcurl calls ---- */

static size_t
give_content(char *place, size_t size, size_t count, void *context)
{
	struct smtp_connection *c = context;
	const struct slice content = c->mail->content;
	const size_t left = content.size - c->given, room = size * count;
	const size_t part = left < room ? left : room;
	memcpy(place, content.data + c->given, part);
	c->given += part;
	if (c->given == content.size) { /* libcurl does not call this function again after the announced size */
		c->seen.stage = SMTP_END;
		c->seen.status = 0;
	}
	return part;
}

static const struct {
	const char *command;
	enum smtp_stage stage;
} commands[] = {
	{ "MAIL FROM:", SMTP_SENDER },
	{ "RCPT TO:", SMTP_RECIPIENT },
	{ "DATA", SMTP_DATA },
};

static bool
begins_with(const char *line, size_t size, const char *word)
{
	return size >= strlen(word) && strncasecmp(line, word, strlen(word)) == 0;
}

/* Commands as they are sent. They are not stored: one contains the password. */
static int
hear_command(CURL *curl UNUSED, curl_infotype type, char *line, size_t size, void *context)
{
	struct observed *seen = &((struct smtp_connection *)context)->seen;
	if (type != CURLINFO_HEADER_OUT || seen->is_done)
		return 0;
	seen->is_done = begins_with(line, size, "QUIT");
	if (seen->is_done)
		return 0;
	seen->status = 0;
	seen->in_answer = false;
	seen->in_hello = begins_with(line, size, "EHLO");
	if (seen->in_hello)
		seen->offers_utf8 = false;
	seen->has_begun_tls = seen->has_begun_tls || begins_with(line, size, "STARTTLS");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (begins_with(line, size, commands[i].command))
			seen->stage = commands[i].stage;
	return 0;
}

/* Appends a line as printable ASCII. */
static void
add_line(struct observed *seen, const char *line, size_t size)
{
	size_t used = seen->in_answer ? strlen(seen->answer) : 0;
	if (used > 0 && used + 1 < sizeof(seen->answer))
		seen->answer[used++] = ' ';
	for (size_t i = 0; i < size && used + 1 < sizeof(seen->answer); i++)
		if (line[i] != '\r' && line[i] != '\n')
			seen->answer[used++] = line[i] >= ' ' && line[i] <= '~' ? line[i] : '?';
	seen->answer[used] = '\0';
}

/* Lines of answers. Returning anything but `size` ends the transfer. */
static size_t
hear_answer(char *line, size_t size, size_t count, void *context)
{
	struct smtp_connection *c = context;
	struct observed *seen = &c->seen;
	const size_t bytes = size * count;
	const bool is_last = bytes > 3 && line[3] != '-';
	if (seen->is_done || bytes < 3 || !ascii_is_digit(line[0]) || !ascii_is_digit(line[1]) || !ascii_is_digit(line[2]))
		return bytes;
	add_line(seen, line, bytes);
	seen->in_answer = !is_last;
	seen->status = 100 * (line[0] - '0') + 10 * (line[1] - '0') + (line[2] - '0');
	if (!seen->in_hello)
		return bytes;
	seen->offers_utf8 = seen->offers_utf8 || (bytes > 4 && begins_with(line + 4, bytes - 4, "SMTPUTF8"));
	if (!is_last)
		return bytes;
	seen->in_hello = false;
	/* what is offered before TLS does not count */
	const bool is_final = c->server.tls != SMTP_TLS_REQUIRED || seen->has_begun_tls;
	seen->lacks_utf8 = is_final && seen->status == 250 && c->mail->needs_utf8 && !seen->offers_utf8;
	return seen->lacks_utf8 ? 0 : bytes;
}

static int
must_stop(void *context, curl_off_t a UNUSED, curl_off_t b UNUSED, curl_off_t c UNUSED, curl_off_t d UNUSED)
{
	const struct smtp_connection *connection = context;
	return connection->stop != NULL && atomic_load(connection->stop) ? 1 : 0;
}

/* ---- the connection ---- */

#define SET(curl, option, value)                                             \
	do {                                                                 \
		if (curl_easy_setopt((curl), (option), (value)) != CURLE_OK) \
			panic("libcurl refuses an option");                  \
	} while (0)

/* The path of the URL is the name in the greeting. An IPv6 address needs brackets. */
static void
set_server(CURL *curl, const struct smtp_server *server)
{
	static const long tls[] = {
		[SMTP_TLS_REQUIRED] = CURLUSESSL_ALL, [SMTP_TLS_IMPLICIT] = CURLUSESSL_ALL, [SMTP_TLS_NONE] = CURLUSESSL_NONE
	};
	char url[URL_MAX];
	const bool bare = strchr(server->host, ':') != NULL && server->host[0] != '[';
	snprintf(url, sizeof(url), "%s://%s%s%s:%u/%s", server->tls == SMTP_TLS_IMPLICIT ? "smtps" : "smtp", bare ? "[" : "",
	    server->host, bare ? "]" : "", server->port, server->helo);
	SET(curl, CURLOPT_URL, url);
	SET(curl, CURLOPT_USE_SSL, tls[server->tls]);
	SET(curl, CURLOPT_SSL_VERIFYPEER, 1L);
	SET(curl, CURLOPT_SSL_VERIFYHOST, 2L);
	if (*server->ca_file != '\0') {
		SET(curl, CURLOPT_CAINFO, server->ca_file);
		SET(curl, CURLOPT_CAPATH, NULL);
	}
	if (*server->user != '\0') {
		SET(curl, CURLOPT_USERNAME, server->user);
		SET(curl, CURLOPT_PASSWORD, server->password);
	}
	SET(curl, CURLOPT_PROXY, ""); /* not even one from the environment */
	SET(curl, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	SET(curl, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
}

static void
set_behaviour(struct smtp_connection *c)
{
	CURL *curl = c->curl;
	SET(curl, CURLOPT_NOSIGNAL, 1L);
	SET(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)SMTP_ANSWER_MS);
	SET(curl, CURLOPT_SERVER_RESPONSE_TIMEOUT, (long)SMTP_ANSWER_MS / 1000);
	SET(curl, CURLOPT_TIMEOUT_MS, (long)SMTP_MAIL_MS);
	SET(curl, CURLOPT_UPLOAD, 1L);
	SET(curl, CURLOPT_READFUNCTION, give_content);
	SET(curl, CURLOPT_READDATA, c);
	SET(curl, CURLOPT_HEADERFUNCTION, hear_answer);
	SET(curl, CURLOPT_HEADERDATA, c);
	SET(curl, CURLOPT_VERBOSE, 1L); /* required by the next option, whose function gets all of the output */
	SET(curl, CURLOPT_DEBUGFUNCTION, hear_command);
	SET(curl, CURLOPT_DEBUGDATA, c);
	SET(curl, CURLOPT_NOPROGRESS, 0L);
	SET(curl, CURLOPT_XFERINFOFUNCTION, must_stop);
	SET(curl, CURLOPT_XFERINFODATA, c);
}

struct smtp_connection *
smtp_new(const struct smtp_server *server, const atomic_bool *stop)
{
	struct smtp_connection *c = memory_alloc(sizeof(*c));
	c->server = *server;
	c->stop = stop;
	return c;
}

static void
begin(struct smtp_connection *c)
{
	c->curl = curl_easy_init();
	if (c->curl == NULL)
		memory_exhausted();
	c->mails = 0;
	c->opened_ms = clock_monotonic_ms();
	set_server(c->curl, &c->server);
	set_behaviour(c);
}

/* libcurl ends the connection together with its handle: it sends QUIT, and would wait two minutes for the answer. */
void
smtp_hang_up(struct smtp_connection *c)
{
	curl_socket_t socket = CURL_SOCKET_BAD;
	if (c->curl == NULL)
		return;
	if (curl_easy_getinfo(c->curl, CURLINFO_ACTIVESOCKET, &socket) == CURLE_OK && socket != CURL_SOCKET_BAD)
		shutdown(socket, SHUT_RD);
	curl_easy_cleanup(c->curl);
	c->curl = NULL;
}

bool
smtp_is_open(const struct smtp_connection *c)
{
	return c->curl != NULL;
}

void
smtp_free(struct smtp_connection **connection)
{
	if (*connection == NULL)
		return;
	smtp_hang_up(*connection);
	free(*connection);
	*connection = NULL;
}

/* ---- one mail ---- */

/* "<address>". The address must contain nothing that could begin another command. */
static bool
make_path(const char *address, char path[PATH_MAX_BYTES])
{
	const size_t size = strlen(address);
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)address[i] <= ' ' || address[i] == 0x7f || address[i] == '<' || address[i] == '>')
			return false;
	return size > 0 && snprintf(path, PATH_MAX_BYTES, "<%s>", address) < PATH_MAX_BYTES;
}

static const CURLcode tls_errors[] = { CURLE_USE_SSL_FAILED, CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION,
	CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_NOTFOUND,
	CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_INVALIDCERTSTATUS, CURLE_NOT_BUILT_IN };

static bool
is_tls_error(CURLcode code)
{
	for (size_t i = 0; i < ARRAY_SIZE(tls_errors); i++)
		if (code == tls_errors[i])
			return true;
	return false;
}

static enum smtp_end
end_of(const struct smtp_connection *c, CURLcode code)
{
	const struct observed *seen = &c->seen;
	if (code == CURLE_OK)
		return SMTP_ACCEPTED;
	if (seen->lacks_utf8)
		return SMTP_NO_UTF8;
	if (code == CURLE_ABORTED_BY_CALLBACK)
		return SMTP_ABANDONED;
	if (seen->stage == SMTP_CONNECTING && is_tls_error(code))
		return SMTP_BAD_TLS;
	if (code == CURLE_LOGIN_DENIED)
		return SMTP_BAD_LOGIN;
	return seen->status >= 400 ? SMTP_REFUSED : SMTP_LOST;
}

/* Finds the enhanced code, such as 5.1.1 in "550 5.1.1 no such user": the second word, if it has that form. */
static void
find_enhanced(const char *answer, char enhanced[SMTP_ENHANCED_SIZE])
{
	unsigned class, subject, detail;
	char rest;
	*enhanced = '\0';
	if (strlen(answer) > 4 && sscanf(answer + 4, "%1u.%3u.%3u%c", &class, &subject, &detail, &rest) >= 3 &&
	    (class == 4 || class == 5))
		snprintf(enhanced, SMTP_ENHANCED_SIZE, "%u.%u.%u", class, subject, detail);
}

static CURLcode
transfer(struct smtp_connection *c, const char *sender, const char *recipient, struct smtp_result *result)
{
	const bool offers_utf8 = c->seen.offers_utf8;
	struct curl_slist *recipients = curl_slist_append(NULL, recipient);
	if (recipients == NULL)
		memory_exhausted();
	c->given = 0;
	c->seen = (struct observed){ .offers_utf8 = offers_utf8 };
	*result->error = '\0';
	SET(c->curl, CURLOPT_MAIL_FROM, sender);
	SET(c->curl, CURLOPT_MAIL_RCPT, recipients);
	SET(c->curl, CURLOPT_INFILESIZE_LARGE, (curl_off_t)c->mail->content.size);
	SET(c->curl, CURLOPT_ERRORBUFFER, result->error);
	const CURLcode code = curl_easy_perform(c->curl);
	SET(c->curl, CURLOPT_ERRORBUFFER, NULL);
	SET(c->curl, CURLOPT_MAIL_RCPT, NULL);
	curl_slist_free_all(recipients);
	if (code != CURLE_OK && *result->error == '\0')
		snprintf(result->error, sizeof(result->error), "%s", curl_easy_strerror(code));
	return code;
}

/* A server may end a connection between two mails, with or without a word (421). */
static bool
may_repeat(const struct smtp_connection *c, CURLcode code)
{
	long connections = 0;
	curl_easy_getinfo(c->curl, CURLINFO_NUM_CONNECTS, &connections);
	return code != CURLE_OK && code != CURLE_ABORTED_BY_CALLBACK && c->mails > 0 && connections == 0 &&
	       (c->seen.stage == SMTP_CONNECTING || c->seen.stage == SMTP_SENDER) &&
	       (c->seen.status == 0 || c->seen.status == 421);
}

void
smtp_send(struct smtp_connection *c, const struct smtp_mail *mail, struct smtp_result *result)
{
	char sender[PATH_MAX_BYTES], recipient[PATH_MAX_BYTES];
	*result = (struct smtp_result){ .end = SMTP_BAD_ADDRESS, .sender = c->server.sender, .recipient = mail->recipient };
	if (!make_path(c->server.sender, sender) || !make_path(mail->recipient, recipient))
		return;
	/* only a new connection shows what the server offers */
	if (c->mails >= MAILS_MAX || clock_monotonic_ms() - c->opened_ms >= AGE_MAX_MS || mail->needs_utf8)
		smtp_hang_up(c);
	if (c->curl == NULL)
		begin(c);
	c->mail = mail;
	CURLcode code = transfer(c, sender, recipient, result);
	if (may_repeat(c, code)) {
		smtp_hang_up(c);
		begin(c);
		code = transfer(c, sender, recipient, result);
	}
	c->mails++;
	result->end = end_of(c, code);
	result->stage = c->seen.stage;
	result->status = c->seen.status;
	memcpy(result->answer, c->seen.status == 0 ? "" : c->seen.answer, c->seen.status == 0 ? 1 : sizeof(result->answer));
	find_enhanced(result->answer, result->enhanced);
	if (result->end == SMTP_ACCEPTED)
		*result->error = '\0';
	else
		smtp_hang_up(c);
	c->mail = NULL;
}
