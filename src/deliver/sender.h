/* SPDX-License-Identifier: MIT
 * Sends attempts over HTTP, many at a time (libcurl's multi interface), from one thread.
 *
 * What the outside may do to us ends here: addresses are checked when they are dialled (docs/deliveries.md 5), redirects,
 * cookies, proxies and user names are not known, every wait has an end, every answer a maximum. */
#ifndef LEADHOOK_DELIVER_SENDER_H
#define LEADHOOK_DELIVER_SENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/slice.h"
#include "webhook/address.h"

struct sender;

enum {
	SENDER_ANSWER_KEPT = 1024,      /* bytes of an answer's body that are kept for the log */
	SENDER_ANSWER_READ = 64 * 1024, /* bytes that are read: more of it is cut off, which is no failure */
	SENDER_HEADERS_READ = 64 * 1024 /* bytes of an answer's header lines: more of them is a failure */
};

/* Why an attempt got no whole answer. */
enum sender_error {
	SENDER_OK,                /* a whole answer, whatever its status */
	SENDER_FORBIDDEN_ADDRESS, /* the name led to an address or a port that is not allowed; nothing was sent */
	SENDER_INVALID_URL,
	SENDER_INVALID_HEADER, /* a control character where it would make a header line of its own; nothing was sent */
	SENDER_NOT_RESOLVED,
	SENDER_REFUSED, /* nobody listens */
	SENDER_UNREACHABLE,
	SENDER_CONNECT_TIMEOUT,    /* including the look-up of the name and the TLS handshake */
	SENDER_TIMEOUT,            /* connected, but no whole answer in time */
	SENDER_CERTIFICATE,        /* the receiver's: not to be trusted, or for another name */
	SENDER_CA_FILE,            /* ours: cannot be read, or holds no certificate */
	SENDER_CLIENT_CERTIFICATE, /* ours, or its key: cannot be read, or they do not fit */
	SENDER_TLS,                /* no common version, …; or the receiver refuses our certificate, or that there is none */
	SENDER_CONNECTION_LOST,
	SENDER_BAD_ANSWER, /* not HTTP, or header lines without end */
	SENDER_UNREADABLE, /* never told by the sender: its payload, URL or secret is broken, so that there is nothing to send
			    */
	SENDER_INTERNAL    /* out of descriptors, out of memory, a defect */
};

/* "timeout", … at most 32 ASCII bytes, as the log of attempts holds them; the absent slice for SENDER_OK. */
struct slice sender_error_name(enum sender_error error);

struct sender_options {
	const char *user_agent;                 /* no control characters */
	size_t in_flight;                       /* attempts at a time */
	int64_t connect_timeout_ms, timeout_ms; /* the latter of the whole attempt */
	int64_t stall_max_ms; /* time between two calls of sender_wait, or while the process is stopped, counts in neither, up
				 to that much of an attempt */
	const char *ca_file;  /* PEM; NULL: the system's */
	const struct address_rules *rules; /* what may be dialled */
};

struct attempt {
	const char *url;
	const struct slice *headers; /* "Name: value", copied */
	size_t header_count;
	struct slice body; /* must stay valid until the attempt is done */
	/* Names of PEM files, copied; NULL: none of its own. The key may be in the certificate's file, and has no passphrase.
	 * When a file is replaced, connections that were made with the former one go on for some minutes. */
	const char *ca_file, *client_certificate, *client_key;
};

struct attempt_result {
	enum sender_error error;
	int status;               /* HTTP, or 0 when none came */
	struct slice retry_after; /* the header's value as it came, or absent */
	struct slice answer;      /* first SENDER_ANSWER_KEPT bytes of the body */
	int64_t duration_ms;
};

/* Called from within sender_wait when an attempt is done, once for each. `result` and what it points to are valid during the
 * call; it must not start attempts. */
typedef void sender_done(void *context, void *cookie, const struct attempt_result *result);

/* NULL, logged, when libcurl cannot do what is asked of it. What `options` points to must stay valid. */
struct sender *sender_new(const struct sender_options *options, sender_done *done, void *context);
/* Gives up what is under way without a call of `done`; *sender may be NULL, becomes NULL. */
void sender_free(struct sender **sender);

/* Starts an attempt. At most options.in_flight at a time: one more is a defect and ends the process. Whatever is wrong with
 * the attempt is told by its result. */
void sender_start(struct sender *sender, const struct attempt *attempt, void *cookie);

enum { SENDER_WAKE_FDS = 3 };

/* Moves data, calls `done`; answers as soon as something has happened, at the latest after `timeout_ms`. Sleeps also when
 * nothing is under way. Each of `wake_fds` (-1: none) ends the wait when it becomes readable: bit i of the answer. */
unsigned sender_wait(struct sender *sender, int64_t timeout_ms, const int wake_fds[SENDER_WAKE_FDS]);

#endif
