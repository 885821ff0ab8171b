/* SPDX-License-Identifier: MIT
 * One HTTP request, for `leadhook doctor`. Blocks until its answer is complete. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

struct web_request {
	const char *method, *url; /* http or https; redirects and proxies are not used */
	const char *ca_file;      /* PEM; NULL: libcurl's */
	const char *user_agent;
	const struct slice *headers; /* "Name: value", terminated */
	size_t header_count;
	struct slice body; /* absent: none */
	unsigned parts;    /* how many parts the body is sent in, at least 1, with pauses of `pause_ms` between them */
	int64_t pause_ms, timeout_ms;
};

struct web_answer {
	struct slice error;   /* libcurl's message; absent: there is an answer */
	bool is_untrusted;    /* the error is about the server's certificate */
	int status;           /* 0 without an answer */
	struct slice headers; /* headers of the final response: lines that end with CR LF */
	struct slice body;    /* its first 64 KiB */
	struct slice local_address;
	int64_t duration_ms;
};

/* The answer lives in the pool. */
void web_client_send(struct pool *pool, const struct web_request *request, struct web_answer *answer);

/* libcurl's default file of certificates, in the pool; absent: it has none. */
struct slice web_client_ca_file(struct pool *pool);
