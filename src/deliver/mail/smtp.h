/* SPDX-License-Identifier: MIT
 * One connection to the mail server, through libcurl, which blocks the calling thread. One recipient for each mail.
 *
 * If TLS is required, nothing is sent without it: libcurl is never allowed to continue in clear text. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/slice.h"

enum smtp_tls { SMTP_TLS_REQUIRED, SMTP_TLS_IMPLICIT, SMTP_TLS_NONE };

/* The texts must stay valid as long as the connection. */
struct smtp_server {
	const char *host;
	unsigned port;
	enum smtp_tls tls;
	const char *user, *password; /* "": no login */
	const char *helo;            /* "": this host's name */
	const char *ca_file;         /* "": the system's */
	const char *sender;          /* the envelope's, an address */
};

/* Both slices must stay valid during the call. */
struct smtp_mail {
	const char *recipient; /* an address */
	bool needs_utf8;       /* the server supports SMTPUTF8 (RFC 6531) */
	struct slice content;
};

/* How far a transfer came: what was sent last. SMTP_END: libcurl has read all of the content, and the server may have it. */
enum smtp_stage { SMTP_CONNECTING, SMTP_SENDER, SMTP_RECIPIENT, SMTP_DATA, SMTP_END, SMTP_STAGES };

enum smtp_end {
	SMTP_ACCEPTED,
	SMTP_REFUSED,     /* the server answered what was sent last with 400 or more */
	SMTP_LOST,        /* no connection or no answer, or the connection ended */
	SMTP_BAD_TLS,     /* no TLS, or another certificate */
	SMTP_BAD_LOGIN,   /* user and password were refused, or there is no way to send them */
	SMTP_NO_UTF8,     /* the server does not offer what the mail needs; nothing was sent */
	SMTP_BAD_ADDRESS, /* sender or recipient contains a control character, a space or a bracket; nothing was sent */
	SMTP_ABANDONED    /* `stop` became true */
};

enum { SMTP_ANSWER_SIZE = 2048, SMTP_ERROR_SIZE = 256, SMTP_ENHANCED_SIZE = 16 };

struct smtp_result {
	enum smtp_end end;
	enum smtp_stage stage;
	const char *sender, *recipient;    /* addresses of the envelope; valid as long as the server's and the mail's texts */
	int status;                        /* status of the server's last answer; 0: none */
	char enhanced[SMTP_ENHANCED_SIZE]; /* "5.1.1" (RFC 3463), or "" */
	char answer[SMTP_ANSWER_SIZE];     /* that answer in printable ASCII, its lines joined; cut if too long */
	char error[SMTP_ERROR_SIZE];       /* libcurl's message, unless the mail was accepted */
};

struct smtp_connection;

/* Does not connect yet. `stop`: once true, a transfer under way is abandoned within a second or two; may be NULL. */
struct smtp_connection *smtp_new(const struct smtp_server *server, const atomic_bool *stop);
/* Sends one mail, on the open connection or a new one. Takes at most SMTP_TIME_MAX_MS. A connection is closed after a failure,
 * and after a number of mails or a minute. */
void smtp_send(struct smtp_connection *connection, const struct smtp_mail *mail, struct smtp_result *result);
bool smtp_is_open(const struct smtp_connection *connection);
/* Closes the connection if it is open: sends QUIT without waiting for the answer. */
void smtp_hang_up(struct smtp_connection *connection);
void smtp_free(struct smtp_connection **connection);

/* Maximum for one mail: its own time and the wait for the answer to QUIT. */
enum { SMTP_ANSWER_MS = 30 * 1000, SMTP_MAIL_MS = 120 * 1000, SMTP_TIME_MAX_MS = 2 * (SMTP_MAIL_MS + SMTP_ANSWER_MS) };
