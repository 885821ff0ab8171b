/* SPDX-License-Identifier: MIT
 * The gateway that sends texts to phones, as the operator describes it: its requests, and what its answers mean (docs/mail.md
 * 8). Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"
#include "deliver/send/sender.h"

enum { GATEWAY_HEADERS = 3 };

/* A POST of a form or of JSON, or a GET with the body as the query of the URL. */
enum gateway_format { GATEWAY_FORM, GATEWAY_JSON, GATEWAY_QUERY };

struct text_gateway {
	const char *url;
	const char *headers[GATEWAY_HEADERS]; /* "": none */
	enum gateway_format format;
	struct slice body;                      /* with {to} and {text} */
	struct slice sent_status, retry_status; /* lists of HTTP statuses */
	struct slice sent_text;                 /* "": none */
	struct slice calling_codes;             /* list of beginnings, without + */
	bool any_number;                        /* to all numbers, not only to those that may be mobile */
};

/* Why no text may be sent to this number (E.164); absent if one may be sent. */
struct slice gateway_refusal(const struct text_gateway *gateway, struct slice number);

/* The request that sends the text, in the pool. */
void gateway_request(
    struct pool *pool, const struct text_gateway *gateway, struct slice number, struct slice text, struct attempt *attempt);

enum gateway_verdict {
	GATEWAY_SENT,
	GATEWAY_RETRY,   /* not sent, retried later */
	GATEWAY_REFUSED, /* not sent, never retried */
	GATEWAY_HOLD,    /* no request was made, through no fault of the text */
	GATEWAY_UNKNOWN  /* it may have been sent; never retried: each text costs money */
};
enum gateway_verdict gateway_judge(const struct text_gateway *gateway, const struct attempt_result *result);

/* The answer, in the pool, with the code masked: gateways repeat the text. */
struct slice gateway_answer(struct pool *pool, struct slice answer, struct slice code);

/* The wait before the next attempt of a text, after `attempts` attempts. */
int64_t gateway_retry_ms(unsigned attempts);
