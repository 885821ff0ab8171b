/* SPDX-License-Identifier: MIT
 * Routes: which calls there are, and what each needs (docs/api.md 4.1). */
#pragma once

#include "engine/failure.h"
#include "http/request.h"
#include "identity/rights.h"
#include "os/metrics_page.h"

/* The authentication that a route needs. KEY_TOKEN: the signature of an opt-out link. KEY_PASSWORD: a key as `password`.
 * KEY_INBOUND: the secret in the URL of an inbound webhook, which stands for its account. KEY_PAGE: none, but the limits of the
 * address apply. KEY_METRICS: depends on the settings of metrics. KEY_PROBE: the token in its path, without which the path is
 * unknown. KEY_MANAGE: a key in Authorization, or what src/manage accepts. */
enum route_key {
	KEY_NONE,
	KEY_OPTIONAL,
	KEY_REQUIRED,
	KEY_TOKEN,
	KEY_PASSWORD,
	KEY_INBOUND,
	KEY_PAGE,
	KEY_METRICS,
	KEY_PROBE,
	KEY_MANAGE
};

enum {
	ROUTE_BULK = 1 << 0,      /* may have many leads: repeated names make arrays, and the body may be larger */
	ROUTE_UNTIL_END = 1 << 1, /* 423 once the campaign has ended (docs/api.md 6) */
	ROUTE_SUBSCRIBE = 1 << 2, /* a social id names the referrer, never the lead to update */
	ROUTE_JSONP = 1 << 3,     /* can be requested as a script */
	ROUTE_PAGE = 1 << 4,      /* always answers HTML; its handler reads the body */
	ROUTE_COUNTERS = 1 << 5,  /* shows counters: the campaign must not come from a cache */
	ROUTE_READINESS = 1 << 6, /* has its own limit */
	ROUTE_URL = 1 << 7,       /* leads have `url` (docs/api.md 4.5) */
	ROUTE_FIELDS = 1 << 8,    /* parameters without a meaning are custom fields (docs/api.md 4.4) */
	ROUTE_HOSTED = 1 << 9,    /* a hosted page: answers with a page, or 404 unless the campaign has pages */
	ROUTE_MAILED = 1 << 10,   /* a page of sign-ups and mails: answers with a page even if the campaign has no pages */
	ROUTE_REQUESTS =
	    1 << 11,            /* its form requests a message to any address: only on pages of our own (hosts_only, 4.1.11) */
	ROUTE_FRAMED = 1 << 12, /* a page that others may show in a frame: those that may contain the campaign's forms */
	ROUTE_ALL_RIGHTS = 1 << 13, /* a key needs all of its rights */
	ROUTE_ADMITS = 1 << 14,     /* its result gives access to others: not allowed with a key that expires */
	ROUTE_EXPIRES = 1 << 15     /* a link in a mail that works for seven days */
};

struct route {
	enum http_method method;
	const char *path; /* segments; "{campaign}" and "{page}" a campaign id, another "{…}" anything; NULL: below /manage */
	enum route_key key;
	enum { NO_CAMPAIGN, CAMPAIGN_IN_PATH, CAMPAIGN_IN_PARAMETERS } campaign; /* in the path it is the second segment */
	rights rights; /* a key that is sent needs one of them, or all with ROUTE_ALL_RIGHTS; RIGHTS_NONE: keys are not read */
	unsigned flags;
};

/* All routes, in the order of ROUTE_LIST; without those of management. */
extern const struct route route_table[];
extern const size_t route_count;
/* Finds the route of a request. FAILURE_METHOD_NOT_ALLOWED: *route is that of another method, and *allow contains the methods
 * of the path. Any other failure: *route is NULL. */
enum failure route_find(const struct http_request *request, const struct route **route, struct slice *allow);

enum { MANAGE_BODY_MAX_BYTES = 1024 * 1024 };
/* Whether the path is below /manage. */
MUST_CHECK bool route_is_management(const struct http_request *request);
/* Like route_find, for a path below /manage. */
enum failure route_find_management(const struct http_request *request, const struct route **route, struct slice *allow);

/* The metric for the answers of a route; NULL stands for unknown paths. */
size_t route_metric(const struct route *route);
/* The names of all routes for the page of metrics, in the pool. */
const struct metric_route *route_names(struct pool *pool, size_t *count);
