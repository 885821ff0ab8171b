/* SPDX-License-Identifier: MIT
 * Rate limits (docs/api.md 5), counted in memory that all processes of this host share.
 *
 * The memory is bounded. For each kind of limit it has a table of sets of LIMITER_WAYS rings (limit/window.h). A caller without
 * a ring in its set gets an empty one, or one whose window has passed. If there is none, it shares the least used ring and
 * inherits its count, so that a flood of callers cannot erase the count of another. Hence a set passes at most LIMITER_WAYS
 * times the limit of requests in a window, a caller at its limit stays there, and each caller has its own ring as long as there
 * is room.
 *
 * A flood from one network cannot block others either: a keyed hash assigns each network at most LIMITER_SPREAD sets, and its
 * callers are only in these.
 *
 * A process may be killed at any instruction: the others continue. At worst its call counts, or the entry that it was replacing
 * starts again. */
#pragma once

#include "base/slice.h"
#include "identity/network.h"
#include "limit/window.h"
#include "os/metrics.h"

#define LIMITER_FILE "limits" /* in the folder */

/* X(name, parts of the memory for callers, sites and providers, what counts refusals; LIMIT_COUNT: it refuses nothing). A
 * comment tells which calls the kind limits, and by what they are counted. */
/* clang-format off */
#define LIMIT_LIST(X) \
	X(LOOKUPS, 16, 2, 1, LIMITED_LOOKUPS) /* GET without a key: an address */ \
	X(READINESS, 2, 1, 1, LIMITED_READINESS) /* GET /health/ready: an address */ \
	X(SIGNUPS, 17, 3, 1, LIMITED_SIGNUPS) /* POST on a campaign without a key: an address and a campaign */ \
	X(POSTS, 8, 1, 1, LIMITED_POSTS) /* POST on any campaign without a key: an address */ \
	X(FAILED_KEYS, 8, 1, 1, LIMITED_FAILED_KEYS) /* calls with a wrong key: an address */ \
	X(INBOUND, 2, 0, 0, LIMITED_INBOUND) /* calls of inbound URLs: an inbound webhook */ \
	X(UNKNOWN_URLS, 2, 1, 1, LIMITED_UNKNOWN_URLS) /* calls of inbound URLs that do not exist: an address */ \
	X(CODES, 2, 1, 1, LIMITED_CODES) /* requests for a code by text, without a key: an address */ \
	X(LOGINS, 2, 1, 1, LIMITED_LOGINS) /* logins of users, including wrong ones: an address */ \
	X(TEST_MAILS, 1, 0, 0, LIMITED_TEST_MAILS) /* test mails of users: an email address */ \
	X(ACCOUNT_TESTS, 1, 0, 0, LIMITED_ACCOUNT_TESTS) /* test mails: an account */ \
	X(DELETES, 3, 0, 0, LIMITED_DELETES) /* calls that delete: an account */ \
	X(SEARCHES, 1, 0, 0, LIMITED_SEARCHES) /* calls that search everything a campaign has stored: an account */ \
	X(CHANGES, 1, 0, 0, LIMITED_CHANGES) /* calls that the audit log records: an account */ \
	X(NEW_LEADS, 2, 0, 0, LIMITED_NEW_LEADS) /* new leads without a key: a campaign */ \
	X(NEW_LEADS_LOG, 1, 0, 0, LIMIT_COUNT) /* log lines about them: a campaign */ \
	X(PROOFS, 1, 0, 0, LIMIT_COUNT) /* sign-ups with proof of work, without a key: a campaign; refuses nothing */ \
	X(BOTS, 1, 0, 0, LIMIT_COUNT) /* calls refused because they look like a bot's: a campaign; refuses nothing */ \
	X(BOTS_LOG, 1, 0, 0, LIMIT_COUNT) /* log lines about them: a campaign */ \
	X(REFUSED, 1, 0, 0, LIMIT_COUNT) /* addresses whose sign-ups without a key are refused: a campaign; refuses nothing */ \
	X(ACCOUNT, 6, 0, 0, LIMITED_ACCOUNT) /* GET and POST with a key: an account; its limit is in the claim */
/* clang-format on */
#define LIMIT_KIND(name, callers, sites, providers, metric) LIMIT_##name,
enum limit_kind { LIMIT_LIST(LIMIT_KIND) LIMIT_KINDS };
#undef LIMIT_KIND

enum {
	LIMITER_WAYS = 8,
	LIMITER_SPREAD = 64,
	LIMITER_CALLER_MAX = 24,
	LIMITER_CLAIMS_MAX = 6,
	LIMITER_MEMORY_MIN = 1024 * 1024
};

/* What a limit counts together: a caller, or a network of callers, for which the limits of the rule are 4 and 16 times as
 * high. */
enum limit_reach { REACH_CALLER, REACH_SITE, REACH_PROVIDER, LIMIT_REACHES };

struct limiter;

/* The metric of the kind's refusals; METRIC_LIMIT_COUNT if it refuses nothing. */
enum metric_limit limit_metric(enum limit_kind kind);

struct limiter_options {
	const char *folder; /* of the file; "": shared with forked processes only */
	size_t memory;      /* at least LIMITER_MEMORY_MIN */
	struct limit_rule rules[LIMIT_KINDS];
	int64_t (*now_ms)(void); /* clock_monotonic_ms; the same for all processes */
};

/* The network of callers: its name (any bytes), and the maximum number of its sets. */
struct limit_network {
	struct slice name;
	size_t spread; /* from 1 to LIMITER_SPREAD */
};

struct limit_claim {
	enum limit_kind kind;
	enum limit_reach reach; /* always REACH_CALLER, except for the kinds that count only addresses */
	struct slice caller;    /* at most LIMITER_CALLER_MAX bytes; a caller belongs to one network */
	uint32_t limit;         /* for LIMIT_ACCOUNT, from 1 to LIMIT_MAX */
};

/* Describes the window that refuses for the longest time, if any does. */
struct limit_verdict {
	enum limit_kind kind;
	uint32_t limit;
	int64_t wait_ms; /* until the same claims would pass if there were no other requests in between */
};

/* Returns NULL, and logs why, when there is no shared memory. */
struct limiter *limiter_open(const struct limiter_options *options);
/* The counts stay. */
void limiter_close(struct limiter **limiter);

/* Returns true when all claims pass, and counts them. Otherwise counts none. A kind without a rule passes. */
MUST_CHECK bool limiter_pass(struct limiter *limiter, const struct limit_network *network, const struct limit_claim *claims,
    size_t count, struct limit_verdict *verdict);
/* The same without counting. */
MUST_CHECK bool limiter_would_pass(struct limiter *limiter, const struct limit_network *network,
    const struct limit_claim *claims, size_t count, struct limit_verdict *verdict);

/* The share of the kind's memory that callers now use, from 0 to 1, estimated from a part of it; 0 if the kind has no rule. */
double limiter_fill(struct limiter *limiter, enum limit_kind kind);

/* Returns how many calls were counted in the first window of the kind's rule; 0 if it has no rule. */
uint32_t limiter_count(struct limiter *limiter, const struct limit_network *network, const struct limit_claim *claim);

/* A bounded set of names, of which LIMITER_CALLER_MAX bytes are used. The names that were least recently noted or queried are
 * replaced. */
void limiter_note(struct limiter *limiter, struct slice name);
MUST_CHECK bool limiter_is_noted(struct limiter *limiter, struct slice name);
void limiter_remove(struct limiter *limiter, struct slice name);

/* ---- addresses: each counts as a caller and, for IPv6, also as a part of two networks ---- */

/* The name of a caller: an address, with or without a campaign. */
struct limit_name {
	char bytes[sizeof(struct ip_address) + sizeof(uint64_t)];
};

/* Makes the claims of an address and its networks, and returns how many there are, at most LIMIT_REACHES. `campaign_id` 0: the
 * limit is not counted by campaign. All clients without an address count as one caller. The claims point into `names`. */
size_t limit_claim_address(const struct ip_address *address, enum limit_kind kind, uint64_t campaign_id,
    struct limit_claim *claims, struct limit_name *names);
/* The network of these callers. It points into `address`. */
struct limit_network limit_network_of(const struct ip_address *address);
