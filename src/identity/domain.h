/* SPDX-License-Identifier: MIT
 * Domain names, normalized to the form that is compared: lower-case A-labels. */
#pragma once

#include <stdbool.h>

#include "base/pool.h"

enum { DOMAIN_LABEL_MAX = 63, DOMAIN_MAX = 253 };

/* Letters, digits and hyphens in ASCII, or UTF-8 that passes IDNA2008 (RFC 5891; mapped by UTS 46, non-transitional, so that
 * "BÜCHER。example" becomes "xn--bcher-kva.example" and ß stays ß). Labels have 1 to 63 octets and neither begin nor end with a
 * hyphen; at most 253 octets in all, no trailing dot. An A-label in the input must itself be valid. Returns false otherwise. */
MUST_CHECK bool domain_to_ascii(struct pool *pool, struct slice typed, struct slice *ascii);

/* A list of host names, each of which includes its subdomains (docs/api.md 4.6, blocked_email_domains, blocked_referrers). */
struct host_list {
	struct slice *hosts; /* lower-case A-labels, sorted, each once */
	size_t count;
};

/* Parses hosts separated by commas or white space; `#` starts a comment that ends with the line. A leading "." or "*." is
 * dropped. Returns false, with *bad set to the first item that is not a host name. The list is in the pool and does not refer
 * to `text`. */
MUST_CHECK bool host_list_parse(struct pool *pool, struct slice text, struct host_list *list, struct slice *bad);

/* The hosts in their order, separated by spaces, as a list is stored. */
struct slice host_list_text(struct pool *pool, const struct host_list *list);

/* Reads a stored list. An absent text is an empty list. The list is in the pool and does not refer to `text`. */
void host_list_read(struct pool *pool, struct slice text, struct host_list *list);

/* True when the list contains the host, given in lower-case A-labels, or a parent domain. */
bool host_list_contains(const struct host_list *list, struct slice host);
/* Likewise for the text of a stored list that is needed only once. An absent list is empty, and an absent host is in no
 * list. */
bool host_list_text_contains(struct slice text, struct slice host);
