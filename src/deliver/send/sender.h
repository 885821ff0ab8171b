/* SPDX-License-Identifier: MIT
 * Sends attempts over HTTP, many in parallel (libcurl's multi interface), in one thread.
 *
 * Protects against hostile receivers: addresses are checked when the connection is opened (docs/deliveries.md 5); redirects,
 * cookies, proxies and user names are not supported; every wait has a timeout and every response a maximum size. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "webhook/address_rules.h"

struct event_loop;
struct sender;

enum {
	SENDER_ANSWER_STORED = 1024,    /* bytes of a response body that are stored in the log */
	SENDER_LOCATION_MAX = 512,      /* bytes of the target of a redirect */
	SENDER_ANSWER_READ = 64 * 1024, /* bytes of a response body that are read; the rest is cut off without an error */
	SENDER_HEADERS_MAX = 8,
	SENDER_HEADERS_READ = 64 * 1024 /* bytes of response headers; more is an error */
};

/* Why an attempt got no complete response. */
enum sender_error {
	SENDER_OK,                /* a complete response with any status */
	SENDER_FORBIDDEN_ADDRESS, /* the name resolved to a forbidden address or port; nothing was sent */
	SENDER_INVALID_URL,
	SENDER_INVALID_HEADER, /* a control character in a header; nothing was sent */
	SENDER_NOT_RESOLVED,
	SENDER_REFUSED, /* connection refused */
	SENDER_UNREACHABLE,
	SENDER_CONNECT_TIMEOUT,    /* includes name resolution and the TLS handshake */
	SENDER_TIMEOUT,            /* connected, but no complete response in time */
	SENDER_CERTIFICATE,        /* the receiver's certificate is not trusted, or is for another name */
	SENDER_CA_FILE,            /* our CA file cannot be read, or contains no certificate */
	SENDER_CLIENT_CERTIFICATE, /* our certificate or its key cannot be read, or they do not match */
	SENDER_TLS,                /* no common version, …; or the receiver rejects our certificate, or requires one */
	SENDER_CONNECTION_LOST,
	SENDER_BAD_ANSWER, /* not HTTP, or too many header bytes */
	/* not the receiver's fault */
	SENDER_UNREADABLE,  /* not reported by the sender: the payload, URL or secret is invalid, so nothing can be sent */
	SENDER_SEALED,      /* not reported by the sender: URL or secret cannot be opened (store/queue/due_deliveries.h) */
	SENDER_INTERRUPTED, /* not reported by the sender: the dispatchers that sent it crashed or were killed */
	SENDER_INTERNAL     /* out of descriptors, out of memory, a defect */
};

/* "timeout", …: at most 32 ASCII bytes, as stored in the log of attempts. The absent slice for SENDER_OK. */
struct slice sender_error_name(enum sender_error error);

struct sender_options {
	const char *user_agent;                 /* no control characters */
	size_t in_flight;                       /* maximum number of parallel attempts */
	int64_t connect_timeout_ms, timeout_ms; /* for connecting; for the whole attempt */
	int64_t stall_max_ms; /* how much of an attempt may not count, because the loop was busy or the process was stopped */
	const char *ca_file;  /* PEM; NULL: the system's CAs */
	const struct address_rules *rules; /* which addresses may be connected to */
};

struct attempt {
	const char *url;
	const struct slice *headers; /* "Name: value", terminated */
	size_t header_count;         /* at most SENDER_HEADERS_MAX */
	struct slice body;           /* body of a POST; body and headers must stay valid until the attempt is done */
	bool by_get;                 /* a GET; otherwise a POST */
	/* Names of PEM files, copied; NULL: the attempt has no such file. The certificate's file may include the key, which
	 * must have no passphrase. After a file is replaced, connections that used the old one are reused for some minutes. */
	const char *ca_file, *client_certificate, *client_key;
};

struct attempt_result {
	enum sender_error error;
	bool connected;           /* whether the request, or a part of it, may have been sent */
	int status;               /* HTTP status; 0 when none was received */
	struct slice retry_after; /* the header's value as received, or absent */
	struct slice answer;      /* first SENDER_ANSWER_STORED bytes of the body; after a failure of TLS, libcurl's message */
	struct slice location;    /* target of a redirect, an absolute URL in ASCII, ending in "..." if cut; or absent */
	int64_t duration_ms;
};

/* The loop calls it once for each attempt, when it is done. `result` and what it points to are valid during the call. Must not
 * start attempts. */
typedef void sender_done(void *context, void *cookie, const struct attempt_result *result);

/* Prepares the process for sending: a receiver that disconnects must not end it, and a name server that does not answer must
 * not block a thread for long. */
void sender_prepare_process(void);

/* A loop has at most one sender, which receives its reports of delays. The end of an attempt ends the loop's wait. Returns
 * NULL, logged, when libcurl does not support an option. The loop and everything that `options` points to must stay valid. */
struct sender *sender_new(struct event_loop *loop, const struct sender_options *options, sender_done *done, void *context);
/* Aborts attempts under way without calling `done`. */
void sender_free(struct sender **sender);

/* Starts an attempt. More than options.in_flight at a time is a defect and ends the process. An invalid attempt is reported by
 * its result. */
void sender_start(struct sender *sender, const struct attempt *attempt, void *cookie);
/* Aborts the attempt with this cookie without calling `done`; what the attempt points to is no longer used. Must not be called
 * by `done`. */
void sender_cancel(struct sender *sender, const void *cookie);
