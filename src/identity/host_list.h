/* SPDX-License-Identifier: MIT
 * A list of host names, each standing for its subdomains too
 * (docs/api.md 4.6, blocked_email_domains and blocked_referrers). */
#ifndef LEADHOOK_CORE_HOST_LIST_H
#define LEADHOOK_CORE_HOST_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/pool.h"
#include "base/slice.h"

struct host_list {
	struct slice *hosts; /* lower-case A-labels, sorted */
	size_t count;
};

/* Hosts separated by commas or white space; `#` starts a comment that ends with the line. A leading "." or "*." is dropped.
 * False, with *bad set to it, at the first item that is no host name. Everything lives in the pool, of `text` nothing. */
MUST_CHECK bool host_list_parse(struct pool *pool, struct slice text, struct host_list *list, struct slice *bad);

/* True when the host, in lower-case A-labels, or a domain above it is in the list. */
bool host_list_contains(const struct host_list *list, struct slice host);
/* The same of a short list that was not parsed before; an absent one is empty, an absent host is in none. */
bool host_list_text_contains(struct pool *pool, struct slice text, struct slice host);

#endif
