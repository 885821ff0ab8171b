/* SPDX-License-Identifier: MIT
 * A list of host names, each of which includes its subdomains (docs/api.md 4.6, blocked_email_domains and
 * blocked_referrers). */
#ifndef LEADHOOK_IDENTITY_HOST_LIST_H
#define LEADHOOK_IDENTITY_HOST_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/pool.h"
#include "base/slice.h"

struct host_list {
	struct slice *hosts; /* lower-case A-labels, sorted */
	size_t count;
};

/* Hosts separated by commas or white space; `#` starts a comment that ends with the line. A leading "." or "*." is dropped.
 * Returns false, with *bad set, at the first item that is no host name. The list is in the pool and does not refer to
 * `text`. */
MUST_CHECK bool host_list_parse(struct pool *pool, struct slice text, struct host_list *list, struct slice *bad);

/* True when the list contains the host, given in lower-case A-labels, or a parent domain. */
bool host_list_contains(const struct host_list *list, struct slice host);
/* The same for the text of a short list. An absent list is empty, an absent host is in no list. */
bool host_list_text_contains(struct pool *pool, struct slice text, struct slice host);

#endif
