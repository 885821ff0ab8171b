/* SPDX-License-Identifier: MIT
 * Shared by sender.c and transfer.c. */
#ifndef LEADHOOK_DELIVER_SENDER_PRIVATE_H
#define LEADHOOK_DELIVER_SENDER_PRIVATE_H

#include <curl/curl.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/queue.h>

#include "base/attributes.h"
#include "deliver/send/sender.h"

/* One slot. Its handle is reused; options that are the same for all attempts are set once. */
struct transfer {
	CURL *easy;
	struct sender *sender;
	void *cookie;
	struct curl_slist lines[2 + SENDER_HEADERS_MAX]; /* header lines, ours first; libcurl only reads them */
	int64_t started_ms;
	int64_t extension_ms;    /* extension of its time limits */
	enum sender_error error; /* set by our callbacks before libcurl reports an error */
	bool own_certificates;   /* the handle has those of its last attempt */
	bool counted;            /* its received bytes are, before decoding of chunks */
	bool head_ended;         /* the empty line was received */
	size_t headers_read, body_read, stored;
	size_t counted_bytes;
	char answer[SENDER_ANSWER_STORED], location[SENDER_LOCATION_MAX];
	char error_text[CURL_ERROR_SIZE]; /* libcurl's error message */
	struct transfers *in;             /* its list */
	TAILQ_ENTRY(transfer) list;
};

TAILQ_HEAD(transfers, transfer);

/* A descriptor and epoll(7). */
struct watch {
	uint32_t wanted, registered; /* EPOLLIN, EPOLLOUT */
	bool connection;             /* a socket that open_socket opened: it stays registered while it is idle */
};

struct sender {
	struct sender_options options;
	sender_done *done;
	void *context;
	CURLM *multi;
	CURLSH *share;
	int epoll;
	struct watch *watches; /* by descriptor */
	size_t watch_capacity;
	int wake_fds[SENDER_WAKE_FDS]; /* of the last wait */
	struct pool *pool;
	const char *user_agent;          /* the header line */
	const char *ca_file, *ca_folder; /* for attempts without a CA file of their own */
	int64_t timer_ms;                /* when libcurl's next timeout is due */
	int64_t expected_ms;             /* by then the clock is read again, unless the process is late */
	int64_t overdue_ms;              /* when extensions are checked next */
	struct transfer *slots;
	struct transfers unused;
	struct transfers running, watched; /* in the order of their start; received bytes are counted of those that are slow */
	struct transfers failed;           /* to be ended without waiting for libcurl */
	size_t ended;                      /* in this wait */
	pthread_t thread;                  /* the only thread that uses it */
	bool reporting;                    /* `done` is running */
};

/* ---- sender.c ---- */

/* Ends a transfer after libcurl has returned: a callback must not remove a handle from the multi. */
void sender_fail(struct transfer *transfer, enum sender_error error);
/* To be called for each socket of a connection, after it was opened and before it is closed. */
void sender_socket_opened(struct sender *sender, int fd);
void sender_socket_closing(struct sender *sender, int fd);

/* ---- transfer.c ---- */

/* Returns false, logged, when libcurl does not support an option. */
MUST_CHECK bool transfer_set_up(struct transfer *transfer, struct sender *sender);
/* Sets what differs between attempts. Returns why it cannot be sent, or SENDER_OK. */
MUST_CHECK enum sender_error transfer_begin(struct transfer *transfer, const struct attempt *attempt);
void transfer_extend(struct transfer *transfer, int64_t extension_ms);
/* From now on, or no more, too many bytes end the transfer. */
void transfer_count_bytes(struct transfer *transfer, bool count);
/* False also while it connects. */
bool transfer_was_connected(const struct transfer *transfer);
/* The meaning of libcurl's result. */
enum sender_error transfer_error(const struct transfer *transfer, CURLcode code);
/* Of the final response, not of an interim one (1xx); 0 when none was received. */
int transfer_status(const struct transfer *transfer);
/* attempt_result.location. */
struct slice transfer_location(struct transfer *transfer);

#endif
