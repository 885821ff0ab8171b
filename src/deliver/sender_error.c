/* SPDX-License-Identifier: MIT */
#include "deliver/sender_error.h"

#include <errno.h>
#include <string.h>

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
	[SENDER_INTERNAL] = SLICE("internal"),
};

static const struct {
	CURLcode code;
	enum sender_error error;
} error_of_code[] = {
	{ CURLE_OK, SENDER_OK }, { CURLE_UNSUPPORTED_PROTOCOL, SENDER_INVALID_URL },
	{ CURLE_URL_MALFORMAT, SENDER_INVALID_URL }, { CURLE_LOGIN_DENIED, SENDER_INVALID_URL }, /* a user name in the URL */
	{ CURLE_COULDNT_RESOLVE_HOST, SENDER_NOT_RESOLVED }, { CURLE_COULDNT_CONNECT, SENDER_UNREACHABLE },
	{ CURLE_OPERATION_TIMEDOUT, SENDER_TIMEOUT }, { CURLE_PEER_FAILED_VERIFICATION, SENDER_CERTIFICATE },
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

/* Codes with two meanings: without and with a connection. */
static const struct {
	CURLcode code;
	enum sender_error unconnected, connected;
} double_meanings[] = {
	{ CURLE_OPERATION_TIMEDOUT, SENDER_CONNECT_TIMEOUT, SENDER_TIMEOUT },
	{ CURLE_UNSUPPORTED_PROTOCOL, SENDER_INVALID_URL, SENDER_BAD_ANSWER }, /* a response without a header is HTTP/0.9 */
	{ CURLE_OUT_OF_MEMORY, SENDER_INTERNAL, SENDER_BAD_ANSWER },           /* a header line that is too long for libcurl */
};

static bool
was_connected(CURL *easy)
{
	curl_off_t time = 0;
	return curl_easy_getinfo(easy, CURLINFO_PRETRANSFER_TIME_T, &time) == CURLE_OK && time > 0;
}

static bool
was_refused(CURL *easy)
{
	long number = 0;
	return curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &number) == CURLE_OK && number == ECONNREFUSED;
}

/* In TLS 1.3 the receiver verifies the client certificate after the handshake. */
static bool
was_refused_by_tls(const char *error_text)
{
	return strstr(error_text, " alert ") != NULL;
}

enum sender_error
sender_error_of(CURL *easy, CURLcode code, const char *error_text)
{
	if (code == CURLE_COULDNT_CONNECT && was_refused(easy))
		return SENDER_REFUSED;
	if (code == CURLE_RECV_ERROR && was_refused_by_tls(error_text))
		return SENDER_TLS;
	for (size_t i = 0; i < ARRAY_SIZE(double_meanings); i++)
		if (double_meanings[i].code == code)
			return was_connected(easy) ? double_meanings[i].connected : double_meanings[i].unconnected;
	for (size_t i = 0; i < ARRAY_SIZE(error_of_code); i++)
		if (error_of_code[i].code == code)
			return error_of_code[i].error;
	return was_connected(easy) ? SENDER_BAD_ANSWER : SENDER_INTERNAL; /* the receiver contributed to the error */
}
