/* SPDX-License-Identifier: MIT
 * What the operator's command asks of the database. Rows live in the caller's pool. */
#ifndef LEADHOOK_STORE_ADMIN_H
#define LEADHOOK_STORE_ADMIN_H

#include "store/store.h"

/* Of the last call that failed; for the operator's eyes. */
const char *store_error_text(const struct store *store);

/* Applies the schema files that the database does not have yet, in order; each is safe to run twice, so a run that was killed
 * is simply started again. Makes the partitions of the coming days, too. `apply` false: only tells. *from and *to: version before and after. RESULT_INVALID: the database is
 * newer than this program. */
MUST_CHECK enum result store_upgrade(struct store *store, bool apply, uint32_t *from, uint32_t *to);

/* One remark of `leadhook check`. */
struct finding {
	struct slice what;   /* stable word, e.g. "schema_version" */
	struct slice detail; /* what was seen */
	struct slice mend;   /* what to do */
};
/* Server version, rights, schema, session settings. `deep`, where these allow it: everything that is kept twice is counted
 * again, which may take minutes, and sign-ups go on. What the database answers is a finding, never an error. */
void store_check(struct store *store, struct pool *pool, bool deep, struct finding **findings, size_t *count);
/* Prepares every statement of the program on the schema at hand. `failed` names the first that does not fit. */
MUST_CHECK enum result store_check_statements(struct store *store, const char **failed);

struct account_row {
	uint64_t id;
	struct slice name;
	int64_t suspended_ms, created_ms;
};
MUST_CHECK enum result store_add_account(struct store *store, struct slice name, uint64_t *id);
MUST_CHECK enum result store_list_accounts(
    struct store *store, struct pool *pool, struct account_row **accounts, size_t *count);
/* RESULT_OK when there is such an account, else RESULT_NOT_FOUND. */
MUST_CHECK enum result store_find_account(struct store *store, uint64_t id);

struct api_key_row {
	uint64_t id, account_id;
	struct slice name;
	int64_t created_ms, last_used_ms, revoked_ms;
};
/* RESULT_NOT_FOUND: no such account. */
MUST_CHECK enum result store_add_key(
    struct store *store, uint64_t account_id, struct slice name, const unsigned char hash[32], uint64_t *id);
MUST_CHECK enum result store_list_keys(
    struct store *store, struct pool *pool, uint64_t account_id, struct api_key_row **keys, size_t *count);
/* Revoking twice is fine. RESULT_NOT_FOUND: no such key. */
MUST_CHECK enum result store_revoke_key(struct store *store, uint64_t id);

/* The settings of a campaign that an operator sets; absent slices are NULL in the row. */
struct campaign_settings {
	struct slice name;
	int64_t ends_ms; /* -1: none */
	uint32_t jump_start;
	bool privacy, require_key;
	struct slice landing_url, thankyou_url, status_url;
	uint32_t points_signup, points_direct, points_indirect, points_verified;
	bool require_verification, waitlist;
	uint32_t max_per_ip;                                                     /* 0: off; else see store_count_addresses */
	struct slice blocked_email_domains, blocked_referrers, allowed_networks; /* lists; absent: empty */
	/* As store_end_campaign does it, behind everything else. */
	enum campaign_wish { CAMPAIGN_STAYS, CAMPAIGN_OPENS, CAMPAIGN_ENDS } wish;
};
/* RESULT_NOT_FOUND: no such account. */
MUST_CHECK enum result store_add_campaign(
    struct store *store, uint64_t account_id, const struct campaign_settings *settings, uint64_t *id);
/* Sets some of them and leaves the others as they are; what it sets must outlive the call. False: they may not be so. */
typedef bool campaign_edit(void *context, struct campaign_settings *settings);
/* Changes settings with the campaign and its counters locked, so that two calls at once keep what both have set. `edit` may be
 * called several times. A new end time holds instead of the old one, also when that has passed; what was ended by command stays
 * ended. RESULT_INVALID: `edit` answered false, nothing was changed. RESULT_NOT_FOUND: no such campaign. */
MUST_CHECK enum result store_edit_campaign(struct store *store, uint64_t id, campaign_edit *edit, void *context);
/* Goes on with what a change of max_per_ip leaves to be done, a piece a call, each a transaction of its own so that sign-ups go
 * on in between: set, the leads there are get counted per address; 0, the counts are removed. Until *done duplicate_ip is not
 * judged; whoever calls next, however long after, goes on where the last one ended. RESULT_NOT_FOUND: no such campaign. */
MUST_CHECK enum result store_count_addresses(struct store *store, uint64_t campaign_id, bool *done);
/* Ends it now, also when its end time has passed; or opens it again (an end time that has passed is then removed). */
MUST_CHECK enum result store_end_campaign(struct store *store, uint64_t id, bool end);

/* What a campaign's owner defines. No white space at either end of a tag's name, which the tables could not tell apart. */
struct definition {
	enum definition_kind { DEFINITION_TAG, DEFINITION_ACTION, DEFINITION_REWARD } kind;
	union {
		struct tag tag;
		struct action action;
		struct reward_level reward;
	} as; /* ids are not looked at */
};
/* Why it may not be so. */
enum definition_refusal {
	DEFINITION_FITS,
	DEFINITION_TOO_MANY,   /* the campaign has DEFINITIONS_MAX of the kind already */
	DEFINITION_NAME_TAKEN, /* by another tag of the campaign */
	DEFINITION_NO_TAG,     /* the campaign has none with the action's tag_id */
	DEFINITION_REFUSED     /* by the edit */
};
/* RESULT_INVALID: *refusal tells why. RESULT_NOT_FOUND: no such campaign. */
MUST_CHECK enum result store_add_definition(struct store *store, uint64_t campaign_id, const struct definition *definition,
    uint64_t *id, enum definition_refusal *refusal);
/* Sets some of it and leaves the rest as it is; what it sets must outlive the call. False: it may not be so. */
typedef bool definition_edit(void *context, struct definition *definition);
/* As store_edit_campaign. RESULT_NOT_FOUND: the kind has none with that id. */
MUST_CHECK enum result store_edit_definition(struct store *store, enum definition_kind kind, uint64_t id, definition_edit *edit,
    void *context, enum definition_refusal *refusal);
/* What leads have of it they keep. Actions that a removed tag completes stay bound to it. */
MUST_CHECK enum result store_remove_definition(struct store *store, enum definition_kind kind, uint64_t id);

/* By id; the pending deliveries are ended by the dispatcher. */
MUST_CHECK enum result store_remove_webhook_id(struct store *store, uint64_t id);

/* Zero, absent and -1 filters are not applied. */
struct delivery_filter {
	uint64_t webhook_id;
	struct slice lead_social_id;
	int event; /* enum event_type, or -1 */
	int state; /* enum delivery_state, or -1 */
	int64_t since_ms, until_ms;
	size_t limit;
};
struct delivery_row {
	uint64_t id, webhook_id;
	unsigned event; /* enum event_type */
	struct slice lead_social_id;
	enum delivery_state state;
	unsigned attempts;
	int64_t due_ms;          /* -1: not due any more */
	int last_status;         /* 0: none */
	struct slice last_error; /* "timeout", …; absent: the last attempt got a whole answer */
};
struct delivery_list {
	struct delivery_row *deliveries;
	size_t count;
	bool cut; /* there may be more, among those that were not looked at */
};
/* By id, from the highest: the latest day first, within a day only roughly, because processes take ids in blocks. Webhook, lead
 * and state have indexes, days are ranges of ids; for what else the filter says it looks at no more than
 * about DELIVERIES_LOOKED_AT. */
enum { DELIVERIES_LOOKED_AT = 100000 };
MUST_CHECK enum result store_list_deliveries(
    struct store *store, struct pool *pool, const struct delivery_filter *filter, struct delivery_list *list);

struct store_status {
	uint64_t accounts, campaigns, leads, webhooks;
	uint64_t due_now;       /* what a dispatcher could take now: to send it, or to end it when its webhook is no more */
	uint64_t due_later;     /* the others: due later, held back, claimed, of a disabled webhook */
	int64_t oldest_due_ms;  /* since when the oldest of due_now could be taken; -1: none */
	uint64_t bulk_jobs;     /* bulk calls that are not done yet */
	int64_t oldest_bulk_ms; /* when the oldest of them came; -1: there is none */
	int64_t now_ms;
	uint32_t schema_version;
	struct slice server_version;
};
MUST_CHECK enum result store_get_status(struct store *store, struct pool *pool, struct store_status *status);

#endif
