/* SPDX-License-Identifier: MIT
 * Who may do how much (docs/api.md 5), counted in memory that all processes of this host share.
 *
 * The memory is bounded. It is a table of sets of LIMITER_WAYS rings (limit/window.h) for each kind of limit. A caller that is
 * not in his set gets an empty ring, or one whose time has passed; where there is none he goes on with the one that is the
 * least used, and what was counted in it counts for him: a flood of callers cannot make anybody's count disappear. So however
 * many there are, no window lets more through a set than LIMITER_WAYS times the limit, who is at his limit stays there, and as
 * long as there is room each has a ring of his own.
 *
 * Nor can a flood shut others out that comes from one network: a keyed hash, which nobody can foresee, puts each network into a
 * few sets, LIMITER_SPREAD at most, and its callers are in these alone.
 *
 * A process may be killed at any instruction: the others go on, at worst its call counts, or somebody begins anew whose place
 * it was about to take. */
#ifndef LEADHOOK_LIMIT_LIMITER_H
#define LEADHOOK_LIMIT_LIMITER_H

#include "base/attributes.h"
#include "base/slice.h"
#include "limit/rule.h"

enum limit_kind {
	LIMIT_LOOKUPS,       /* no key, GET: an address */
	LIMIT_READINESS,     /* GET /health/ready: an address */
	LIMIT_SIGNUPS,       /* no key, POST on a campaign: an address and a campaign */
	LIMIT_POSTS,         /* no key, POST on any: an address */
	LIMIT_FAILED_KEYS,   /* an address */
	LIMIT_DELETES,       /* an account */
	LIMIT_NEW_LEADS,     /* no key: a campaign's */
	LIMIT_NEW_LEADS_LOG, /* lines about it: a campaign's */
	LIMIT_ACCOUNT,       /* an account's GET and POST; its limit comes with the claim, its window is the rule's */
	LIMIT_KINDS
};

enum { LIMITER_WAYS = 8, LIMITER_SPREAD = 64, LIMITER_WHO_MAX = 24, LIMITER_CLAIMS_MAX = 6, LIMITER_MEMORY_MIN = 1024 * 1024 };

/* What a limit counts together: a caller, or a network of callers, with 4 and 16 times the limits of the rule. */
enum limit_reach { REACH_CALLER, REACH_SITE, REACH_PROVIDER, LIMIT_REACHES };

struct limiter;

struct limiter_options {
	const char *folder; /* of the file; "": shared with the processes that are forked alone */
	size_t memory;      /* at least LIMITER_MEMORY_MIN */
	struct limit_rule rules[LIMIT_KINDS];
	int64_t (*now_ms)(void); /* clock_monotonic_ms; the same for all processes */
};

/* Whose callers they are: any bytes, and in how many sets they may be. */
struct limit_network {
	struct slice name;
	size_t spread; /* from 1 to LIMITER_SPREAD */
};

struct limit_claim {
	enum limit_kind kind;
	enum limit_reach reach; /* other than REACH_CALLER for the kinds that count addresses alone */
	struct slice who;       /* at most LIMITER_WHO_MAX bytes; a caller is in one network alone */
	uint32_t limit;         /* of LIMIT_ACCOUNT, from 1 to LIMIT_MAX */
};

/* Of the window that refuses the longest, where one does. */
struct limit_verdict {
	enum limit_kind kind;
	uint32_t limit;
	int64_t wait_ms; /* until the same claims would pass, if nobody else came in between */
};

/* NULL, logged, when there is no memory to share. */
struct limiter *limiter_open(const struct limiter_options *options);
/* *limiter may be NULL, becomes NULL. What was counted stays. */
void limiter_close(struct limiter **limiter);

/* True: all of the claims pass, and count. False: none counts. A kind without a rule passes. */
MUST_CHECK bool limiter_pass(struct limiter *limiter, const struct limit_network *network, const struct limit_claim *claims,
    size_t count, struct limit_verdict *verdict);
/* The same without counting: what a claim would come to now. */
MUST_CHECK bool limiter_would_pass(struct limiter *limiter, const struct limit_network *network,
    const struct limit_claim *claims, size_t count, struct limit_verdict *verdict);

/* Names (LIMITER_WHO_MAX bytes of them count) that were noted are known, until others were noted, or asked for, since. */
void limiter_note(struct limiter *limiter, struct slice name);
MUST_CHECK bool limiter_knows(struct limiter *limiter, struct slice name);
void limiter_forget(struct limiter *limiter, struct slice name);

#endif
