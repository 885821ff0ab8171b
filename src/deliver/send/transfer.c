/* SPDX-License-Identifier: MIT */
#include "deliver/send/transfer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/panic.h"
#include "os/event_loop.h"
#include "os/log.h"

enum {
	CONNECTION_LIFETIME_S = 300, /* because the name is not resolved again for a reused connection (docs/deliveries.md 5) */
	CONNECTION_IDLE_S = 3,       /* libcurl ignores fractions: 4 s (docs/deliveries.md 2) */
	CA_LIFETIME_S = 300,         /* after this time a CA file is read again */
	COUNTED_MAX = 1024 * 1024    /* maximum bytes of a body with its framing, while they are counted */
};

static const struct slice error_names[] = {
	[SENDER_OK] = SLICE_NONE,
	[SENDER_FORBIDDEN_ADDRESS] = SLICE("forbidden_address"),
	[SENDER_INVALID_URL] = SLICE("invalid_url"),
	[SENDER_INVALID_HEADER] = SLICE("invalid_header"),
	[SENDER_NOT_RESOLVED] = SLICE("not_resolved"),
	[SENDER_REFUSED] = SLICE("refused"),
	[SENDER_UNREACHABLE] = SLICE("unreachable"),
	[SENDER_CONNECT_TIMEOUT] = SLICE("connect_timeout"),
	[SENDER_TIMEOUT] = SLICE("timeout"),
	[SENDER_CERTIFICATE] = SLICE("certificate"),
	[SENDER_CA_FILE] = SLICE("ca_file"),
	[SENDER_CLIENT_CERTIFICATE] = SLICE("client_certificate"),
	[SENDER_TLS] = SLICE("tls"),
	[SENDER_CONNECTION_LOST] = SLICE("connection_lost"),
	[SENDER_BAD_ANSWER] = SLICE("bad_answer"),
	[SENDER_UNREADABLE] = SLICE("unreadable"),
	[SENDER_SEALED] = SLICE("secret_sealed"),
	[SENDER_INTERRUPTED] = SLICE("interrupted"),
	[SENDER_INTERNAL] = SLICE("internal"),
};

static const struct {
	CURLcode code;
	enum sender_error error;
} error_of_code[] = {
	{ CURLE_OK, SENDER_OK }, { CURLE_UNSUPPORTED_PROTOCOL, SENDER_INVALID_URL },
	{ CURLE_URL_MALFORMAT, SENDER_INVALID_URL }, { CURLE_LOGIN_DENIED, SENDER_INVALID_URL }, /* a user name in the URL */
	{ CURLE_COULDNT_CONNECT, SENDER_UNREACHABLE }, { CURLE_PEER_FAILED_VERIFICATION, SENDER_CERTIFICATE },
	{ CURLE_SSL_CACERT_BADFILE, SENDER_CA_FILE }, { CURLE_SSL_CERTPROBLEM, SENDER_CLIENT_CERTIFICATE },
	{ CURLE_SSL_CLIENTCERT, SENDER_TLS }, { CURLE_SSL_CONNECT_ERROR, SENDER_TLS }, { CURLE_SSL_CIPHER, SENDER_TLS },
	{ CURLE_GOT_NOTHING, SENDER_CONNECTION_LOST }, { CURLE_PARTIAL_FILE, SENDER_CONNECTION_LOST },
	{ CURLE_RECV_ERROR, SENDER_CONNECTION_LOST }, { CURLE_SEND_ERROR, SENDER_CONNECTION_LOST },
	{ CURLE_WEIRD_SERVER_REPLY, SENDER_BAD_ANSWER }, { CURLE_BAD_CONTENT_ENCODING, SENDER_BAD_ANSWER },
	{ CURLE_WRITE_ERROR, SENDER_BAD_ANSWER }, /* our callbacks refused more data */
};

struct slice
sender_error_name(enum sender_error error)
{
	return error_names[error];
}

/* Codes whose meaning depends on whether there was a connection. */
static const struct {
	CURLcode code;
	enum sender_error unconnected, connected;
} double_meanings[] = {
	{ CURLE_OPERATION_TIMEDOUT, SENDER_CONNECT_TIMEOUT, SENDER_TIMEOUT },
	{ CURLE_COULDNT_RESOLVE_HOST, SENDER_NOT_RESOLVED, SENDER_CONNECTION_LOST }, /* libcurl would repeat the request */
	{ CURLE_UNSUPPORTED_PROTOCOL, SENDER_INVALID_URL, SENDER_BAD_ANSWER }, /* a response without a header is HTTP/0.9 */
	{ CURLE_OUT_OF_MEMORY, SENDER_INTERNAL, SENDER_BAD_ANSWER },           /* a header line that is too long for libcurl */
};

void
transfer_move(struct transfer *transfer, struct transfers *list)
{
	TAILQ_REMOVE(transfer->in, transfer, list);
	TAILQ_INSERT_TAIL(list, transfer, list);
	transfer->in = list;
}

void
transfer_fail(struct transfer *transfer, enum sender_error error)
{
	if (transfer->error == SENDER_OK)
		transfer->error = error;
	if (transfer->in != &transfer->shared->failed)
		transfer_move(transfer, &transfer->shared->failed);
}

bool
transfer_was_connected(const struct transfer *transfer)
{
	curl_off_t time = 0;
	return curl_easy_getinfo(transfer->easy, CURLINFO_PRETRANSFER_TIME_T, &time) == CURLE_OK && time > 0;
}

static bool
was_refused(const struct transfer *transfer)
{
	long number = 0;
	return curl_easy_getinfo(transfer->easy, CURLINFO_OS_ERRNO, &number) == CURLE_OK && number == ECONNREFUSED;
}

/* In TLS 1.3 the receiver verifies the client certificate after the handshake. */
static bool
was_refused_by_tls(const struct transfer *transfer)
{
	return strstr(transfer->error_text, " alert ") != NULL;
}

static enum sender_error
error_of(const struct transfer *transfer, CURLcode code)
{
	if (code == CURLE_COULDNT_CONNECT && was_refused(transfer))
		return SENDER_REFUSED;
	if (code == CURLE_RECV_ERROR && was_refused_by_tls(transfer))
		return SENDER_TLS;
	for (size_t i = 0; i < ARRAY_SIZE(double_meanings); i++)
		if (double_meanings[i].code == code)
			return transfer_was_connected(transfer) ? double_meanings[i].connected : double_meanings[i].unconnected;
	for (size_t i = 0; i < ARRAY_SIZE(error_of_code); i++)
		if (error_of_code[i].code == code)
			return error_of_code[i].error;
	return transfer_was_connected(transfer) ? SENDER_BAD_ANSWER
						: SENDER_INTERNAL; /* connected: the receiver contributed to the error */
}

enum sender_error
transfer_error(const struct transfer *transfer, CURLcode code)
{
	if (transfer->error != SENDER_OK)
		return transfer->error;
	if (code == CURLE_WRITE_ERROR && transfer->body_read >= SENDER_ANSWER_READ)
		return SENDER_OK;
	if (code == CURLE_OK && !transfer->head_ended) /* libcurl accepts less */
		return SENDER_CONNECTION_LOST;
	return error_of(transfer, code);
}

/* Ends an attempt whose request has been sent: when a reused connection ends without a response, libcurl would repeat the
 * request, up to five times, although the receiver may have begun its work. */
static bool
refuse_repetition(struct transfer *transfer)
{
	if (!transfer_was_connected(transfer))
		return false;
	transfer_fail(transfer, SENDER_CONNECTION_LOST);
	return true;
}

/* CURLOPT_OPENSOCKETFUNCTION: checks each resolved address before the connection. A forbidden address fails the whole attempt;
 * otherwise libcurl would try the next address. */
static curl_socket_t
open_socket(void *context, curlsocktype purpose UNUSED, struct curl_sockaddr *address)
{
	struct transfer *transfer = context;
	if (transfer->error != SENDER_OK || refuse_repetition(transfer))
		return CURL_SOCKET_BAD;
	if (!address_allowed(transfer->shared->options.rules, &address->addr)) {
		transfer_fail(transfer, SENDER_FORBIDDEN_ADDRESS);
		return CURL_SOCKET_BAD;
	}
	const int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
	if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM))
		transfer_fail(transfer, SENDER_INTERNAL); /* not the receiver's fault */
	if (fd >= 0)
		event_loop_keep(transfer->shared->loop, fd);
	return fd;
}

/* CURLOPT_CLOSESOCKETFUNCTION, for what open_socket opened. */
static int
close_socket(void *context, curl_socket_t fd)
{
	event_loop_forget(context, fd);
	return close(fd);
}

/* CURLOPT_PREREQFUNCTION: runs before a request is sent, including on a reused connection, for which no socket is opened. */
static int
before_request(void *context, char *ip, char *own_ip UNUSED, int port, int own_port UNUSED)
{
	struct transfer *transfer = context;
	const struct address_rules *rules = transfer->shared->options.rules;
	struct ip_address peer;
	if (refuse_repetition(transfer))
		return CURL_PREREQFUNC_ABORT;
	if (!ip_address_parse(slice_of(ip), &peer) || !address_ip_allowed(rules, &peer) ||
	    !address_port_allowed(rules, (uint16_t)port))
		transfer_fail(transfer, SENDER_FORBIDDEN_ADDRESS);
	return transfer->error == SENDER_OK ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

int
transfer_status(const struct transfer *transfer)
{
	long status = 0;
	if (transfer->headers_read > 0 && curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status) != CURLE_OK)
		return 0;
	return status < 200 ? 0 : (int)status;
}

/* libcurl resolves the target against the URL. A URL that it cannot parse is returned as received, with any bytes. */
struct slice
transfer_location(struct transfer *transfer)
{
	const char *url = NULL;
	size_t size = 0;
	if (transfer_status(transfer) == 0 || curl_easy_getinfo(transfer->easy, CURLINFO_REDIRECT_URL, &url) != CURLE_OK ||
	    url == NULL)
		return SLICE_NONE;
	for (; url[size] != '\0' && size < sizeof(transfer->location); size++)
		transfer->location[size] = url[size] > ' ' && url[size] <= '~' ? url[size] : '?';
	if (url[size] != '\0')
		memcpy(transfer->location + size - 3, "...", 3);
	return (struct slice){ transfer->location, size };
}

/* No encoding other than chunked was requested. libcurl would decode others, layer by layer and without checking its timeouts:
 * a few kilobytes could keep it busy for hours. */
static bool
is_encoded(struct slice line)
{
	struct slice name;
	return slice_next(&line, ':', &name) && slice_equal_nocase(slice_trim(name), SLICE("Transfer-Encoding")) &&
	       !slice_equal_nocase(slice_trim(line), SLICE("chunked"));
}

/* Called for each line, including those of interim responses and of trailers. */
static size_t
read_header(char *data, size_t size, size_t count, void *context)
{
	struct transfer *transfer = context;
	transfer->headers_read += size * count;
	if ((data[0] == '\r' || data[0] == '\n') && transfer_status(transfer) != 0)
		transfer->head_ended = true;
	if (is_encoded((struct slice){ data, size * count }))
		return 0;
	return transfer->headers_read <= SENDER_HEADERS_READ ? size * count : 0;
}

static size_t
read_body(char *data, size_t size, size_t count, void *context)
{
	struct transfer *transfer = context;
	size_t bytes = size * count, room = SENDER_ANSWER_STORED - transfer->stored;
	size_t bytes_stored = bytes < room ? bytes : room;
	memcpy(transfer->answer + transfer->stored, data, bytes_stored);
	transfer->stored += bytes_stored;
	transfer->body_read += bytes;
	return transfer->body_read < SENDER_ANSWER_READ ? bytes : 0;
}

/* CURLOPT_DEBUGFUNCTION, set while bytes are counted. It gets the body before the chunks are decoded: chunk framing has no size
 * limit, and the other callbacks do not see it. */
static int
count_bytes(CURL *easy UNUSED, curl_infotype type, char *data UNUSED, size_t size, void *context)
{
	struct transfer *transfer = context;
	if (type == CURLINFO_DATA_IN)
		transfer->counted_bytes += size;
	if (transfer->counted_bytes > COUNTED_MAX)
		transfer_fail(transfer, SENDER_BAD_ANSWER);
	return 0;
}

/* Sets an option unless an earlier one failed. */
#define SET(option, value)    \
	if (code == CURLE_OK) \
	code = curl_easy_setopt(transfer->easy, (option), (value))

/* Sets the CAs for attempts without a CA file of their own: those of the options, or libcurl's default, which cannot be
 * restored by setting an option to NULL. libcurl's default folder contains the same CAs as its default file. The folder is not
 * used, because reading it takes tens of milliseconds, and libcurl caches a file only if there is no folder. */
static CURLcode
find_authorities(struct transfer_shared *shared, CURL *easy)
{
	char *file = NULL, *folder = NULL;
	shared->ca_file = shared->options.ca_file;
	if (shared->ca_file != NULL)
		return CURLE_OK;
	CURLcode code = curl_easy_getinfo(easy, CURLINFO_CAINFO, &file);
	if (code == CURLE_OK && file != NULL && access(file, R_OK) == 0)
		shared->ca_file = file;
	else if (code == CURLE_OK)
		code = curl_easy_getinfo(easy, CURLINFO_CAPATH, &folder);
	shared->ca_folder = folder;
	return code;
}

/* libcurl reuses a connection only when the names of CA file and client certificate match. A TLS session does not depend on
 * these names: a resumed session is not verified again, and the receiver sees the previous client certificate. */
static CURLcode
set_certificates(struct transfer *transfer, const struct attempt *attempt)
{
	const struct transfer_shared *shared = transfer->shared;
	const bool own_ca = attempt->ca_file != NULL, own_client = attempt->client_certificate != NULL;
	CURLcode code = CURLE_OK;
	if (!own_ca && !own_client && !transfer->own_certificates)
		return CURLE_OK;
	transfer->own_certificates = true;
	SET(CURLOPT_CAINFO, own_ca ? attempt->ca_file : shared->ca_file);
	SET(CURLOPT_CAPATH, own_ca ? NULL : shared->ca_folder);
	SET(CURLOPT_CA_CACHE_TIMEOUT, own_ca ? 0L : (long)CA_LIFETIME_S); /* the cache has room for only one file */
	SET(CURLOPT_SSLCERT, attempt->client_certificate);
	SET(CURLOPT_SSLKEY, attempt->client_key);
	SET(CURLOPT_SSL_SESSIONID_CACHE, own_ca || own_client ? 0L : 1L);
	if (code == CURLE_OK)
		transfer->own_certificates = own_ca || own_client;
	return code;
}

/* libcurl checks its timeouts before it reads. */
static CURLcode
set_times(struct transfer *transfer)
{
	const struct sender_options *options = &transfer->shared->options;
	CURLcode code = CURLE_OK;
	SET(CURLOPT_CONNECTTIMEOUT_MS, (long)(options->connect_timeout_ms + transfer->extension_ms));
	SET(CURLOPT_TIMEOUT_MS, (long)(options->timeout_ms + transfer->extension_ms));
	return code;
}

static CURLcode
set_callbacks(struct transfer *transfer)
{
	CURLcode code = CURLE_OK;
	SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
	SET(CURLOPT_OPENSOCKETDATA, transfer);
	SET(CURLOPT_CLOSESOCKETFUNCTION, close_socket);
	SET(CURLOPT_CLOSESOCKETDATA, transfer->shared->loop);
	SET(CURLOPT_PREREQFUNCTION, before_request);
	SET(CURLOPT_PREREQDATA, transfer);
	SET(CURLOPT_HEADERFUNCTION, read_header);
	SET(CURLOPT_HEADERDATA, transfer);
	SET(CURLOPT_WRITEFUNCTION, read_body);
	SET(CURLOPT_WRITEDATA, transfer);
	SET(CURLOPT_DEBUGFUNCTION, count_bytes);
	SET(CURLOPT_DEBUGDATA, transfer);
	SET(CURLOPT_ERRORBUFFER, transfer->error_text);
	return code;
}

/* Sets the options that are the same for every attempt. libcurl returns an error for an option that it was built without. */
static bool
configure(struct transfer *transfer)
{
	CURLcode code = find_authorities(transfer->shared, transfer->easy);
	if (code == CURLE_OK)
		code = set_times(transfer);
	SET(CURLOPT_PRIVATE, transfer);
	SET(CURLOPT_SHARE, transfer->shared->share);
	/* Timeouts. */
	SET(CURLOPT_NOSIGNAL, 1L);
	SET(CURLOPT_QUICK_EXIT, 1L); /* otherwise the end of an attempt waits for a resolver that hangs */
	SET(CURLOPT_MAXLIFETIME_CONN, (long)CONNECTION_LIFETIME_S);
	SET(CURLOPT_MAXAGE_CONN, (long)CONNECTION_IDLE_S);
	SET(CURLOPT_TCP_KEEPALIVE, 0L);
	/* Destination. */
	SET(CURLOPT_PROTOCOLS_STR, "http,https");
	SET(CURLOPT_PROXY, "");    /* no proxy, not even one from the environment, … */
	SET(CURLOPT_NOPROXY, "*"); /* … and no exceptions from there */
	SET(CURLOPT_FOLLOWLOCATION, 0L);
	SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	SET(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
	/* TLS. */
	SET(CURLOPT_SSL_VERIFYPEER, 1L);
	SET(CURLOPT_SSL_VERIFYHOST, 2L);
	SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	SET(CURLOPT_CAINFO, transfer->shared->ca_file);
	SET(CURLOPT_CAPATH, transfer->shared->ca_folder);
	SET(CURLOPT_CA_CACHE_TIMEOUT, (long)CA_LIFETIME_S);
	SET(CURLOPT_KEYPASSWD, ""); /* otherwise libcurl prompts for it on the terminal */
	/* The request; no Accept-Encoding, so that the response is not compressed. */
	SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	SET(CURLOPT_HTTPHEADER, transfer->lines);
	if (code == CURLE_OK)
		code = set_callbacks(transfer);
	if (code != CURLE_OK)
		log_error("curl_setup", LOG_STR("error", curl_easy_strerror(code)));
	return code == CURLE_OK;
}

#undef SET

bool
transfer_set_up(struct transfer *transfer, struct transfer_shared *shared)
{
	static char expect[] = "Expect:"; /* a body over 1 MiB must not wait for "100 Continue" */
	transfer->shared = shared;
	transfer->lines[0] = (struct curl_slist){ expect, &transfer->lines[1] };
	transfer->lines[1] = (struct curl_slist){ (char *)(uintptr_t)shared->user_agent, NULL };
	transfer->easy = curl_easy_init();
	return transfer->easy != NULL && configure(transfer);
}

/* Returns false when a header contains a line break. */
static bool
add_headers(struct transfer *transfer, const struct attempt *attempt)
{
	struct curl_slist *last = &transfer->lines[1];
	if (attempt->header_count > SENDER_HEADERS_MAX)
		panic("too many headers");
	for (size_t i = 0; i < attempt->header_count; i++) {
		if (slice_has_control(attempt->headers[i]))
			return false;
		last->next = last + 1;
		last = last->next;
		last->data = (char *)(uintptr_t)attempt->headers[i].data;
	}
	last->next = NULL;
	return true;
}

/* The handle may still be set up for a request with another method. */
static CURLcode
set_request(CURL *easy, const struct attempt *attempt)
{
	CURLcode code = curl_easy_setopt(easy, CURLOPT_URL, attempt->url);
	if (code == CURLE_OK)
		code = curl_easy_setopt(easy, attempt->by_get ? CURLOPT_HTTPGET : CURLOPT_POST, 1L);
	if (code == CURLE_OK && !attempt->by_get)
		code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)attempt->body.size);
	if (code == CURLE_OK && !attempt->by_get)
		code = curl_easy_setopt(easy, CURLOPT_POSTFIELDS, attempt->body.data);
	return code;
}

enum sender_error
transfer_begin(struct transfer *transfer, const struct attempt *attempt)
{
	transfer->error = SENDER_OK;
	transfer->head_ended = false;
	transfer->headers_read = transfer->body_read = transfer->stored = transfer->counted_bytes = 0;
	transfer->error_text[0] = '\0';
	if (!add_headers(transfer, attempt))
		return SENDER_INVALID_HEADER;
	const bool good = set_certificates(transfer, attempt) == CURLE_OK && set_request(transfer->easy, attempt) == CURLE_OK;
	return good ? SENDER_OK : SENDER_INTERNAL;
}

void
transfer_extend(struct transfer *transfer, int64_t extension_ms)
{
	transfer->extension_ms = extension_ms;
	if (set_times(transfer) != CURLE_OK)
		panic("libcurl refuses a time"); /* libcurl accepts any number */
}

static void
set_counted(struct transfer *transfer)
{
	if (curl_easy_setopt(transfer->easy, CURLOPT_VERBOSE, transfer->counted ? 1L : 0L) != CURLE_OK)
		panic("libcurl refuses CURLOPT_VERBOSE");
}

void
transfer_count_bytes(struct transfer *transfer)
{
	transfer->counted = true;
	set_counted(transfer);
}

void
transfer_restore(struct transfer *transfer)
{
	if (transfer->extension_ms > 0)
		transfer_extend(transfer, 0);
	if (!transfer->counted)
		return;
	transfer->counted = false;
	set_counted(transfer);
}
