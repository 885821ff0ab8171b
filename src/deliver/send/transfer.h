/* SPDX-License-Identifier: MIT
 * One attempt of a sender with libcurl: its options, libcurl's callbacks while it runs, and the meaning of its result. */
#pragma once

#include <curl/curl.h>
#include <stdbool.h>
#include <sys/queue.h>

#include "base/attributes.h"
#include "deliver/send/sender.h"

TAILQ_HEAD(transfers, transfer);

/* What all transfers of a sender share. */
struct transfer_shared {
	struct sender_options options;
	struct event_loop *loop;
	CURLSH *share;
	const char *user_agent;          /* the whole header line */
	const char *ca_file, *ca_folder; /* for attempts without a CA file of their own; set by transfer_set_up */
	struct transfers failed;         /* transfers to be ended without waiting for libcurl */
};

/* Its handle is reused; options that are the same for all attempts are set once. */
struct transfer {
	CURL *easy;
	struct transfer_shared *shared;
	void *cookie;
	struct curl_slist lines[2 + SENDER_HEADERS_MAX]; /* header lines, ours first; libcurl only reads them */
	int64_t started_ms;
	int64_t extension_ms;    /* extension of its time limits */
	enum sender_error error; /* set by our callbacks before libcurl reports an error */
	bool own_certificates;   /* the handle still has the certificates of its last attempt */
	bool counted;            /* its received bytes are counted, before chunks are decoded */
	bool head_ended;         /* the empty line was received */
	size_t headers_read, body_read, stored;
	size_t counted_bytes;
	char answer[SENDER_ANSWER_STORED], location[SENDER_LOCATION_MAX];
	char error_text[CURL_ERROR_SIZE]; /* libcurl's error message */
	struct transfers *in;             /* the list that it is in */
	TAILQ_ENTRY(transfer) list;
};

/* Returns false, logged, when libcurl does not support an option. */
MUST_CHECK bool transfer_set_up(struct transfer *transfer, struct transfer_shared *shared);
/* Sets what differs between attempts. Returns why it cannot be sent, or SENDER_OK. */
MUST_CHECK enum sender_error transfer_begin(struct transfer *transfer, const struct attempt *attempt);
void transfer_move(struct transfer *transfer, struct transfers *list);
/* Moves the transfer to the failed ones, because a callback must not remove a handle from the multi. The first error stays. */
void transfer_fail(struct transfer *transfer, enum sender_error error);
void transfer_extend(struct transfer *transfer, int64_t extension_ms);
/* From now on, too many received bytes end the transfer. */
void transfer_count_bytes(struct transfer *transfer);
/* Undoes the extension and the counting of bytes, before the next attempt. */
void transfer_restore(struct transfer *transfer);
/* Still false while it is connecting. */
bool transfer_was_connected(const struct transfer *transfer);
/* The meaning of libcurl's result. */
enum sender_error transfer_error(const struct transfer *transfer, CURLcode code);
/* The status of the final response, not of an interim one (1xx); 0 when none was received. */
int transfer_status(const struct transfer *transfer);
/* The same as attempt_result.location. */
struct slice transfer_location(struct transfer *transfer);
