/* SPDX-License-Identifier: MIT
 * The reads and changes of the operator's command. Rows live in the caller's pool. */
#ifndef LEADHOOK_STORE_OPERATOR_ADMIN_H
#define LEADHOOK_STORE_OPERATOR_ADMIN_H

#include "store/figures.h"
#include "store/store.h"

/* The error of the last call that failed, for the operator. */
const char *store_error_text(const struct store *store);

/* Applies the schema files that the database does not have yet, in order. Each is safe to run twice, so a killed run is simply
 * started again. Also makes the partitions of the coming days. `apply` false: only reports. *from and *to: version before and
 * after. RESULT_WRONG_SCHEMA: the database is newer than this program. */
MUST_CHECK enum result store_upgrade(struct store *store, bool apply, uint32_t *from, uint32_t *to);

/* Records the number of the cluster (store_options), and makes its ids begin in their range. *recorded: the number before.
 * RESULT_REFUSED: the database has campaigns or leads with ids of that one, or the new number is 0. */
MUST_CHECK enum result store_set_cluster_number(struct store *store, uint64_t *recorded);

/* A finding of `leadhook check`. */
struct finding {
	struct slice what;   /* stable name, e.g. "schema_version" */
	struct slice detail; /* what was found */
	struct slice hint;   /* what to do */
};
/* The most connections that the programs of a host hold at once, by process: the table of docs/operating.md 2.2. */
struct connection_needs {
	unsigned workers; /* 0: there is one responder, without a committer */
	unsigned committer, dispatcher, mailer, texter, command;
};
/* Checks server version, rights, schema, session settings, and whether the server allows so many connections (NULL: not
 * checked). `deep`, if the rest passed: recounts all redundant data, which may take minutes while sign-ups go on. A failed
 * query is a finding, not an error. */
void store_check(struct store *store, struct pool *pool, const struct connection_needs *needs, bool deep,
    struct finding **findings, size_t *count);
/* What `leadhook doctor` needs besides these findings. */
struct server_facts {
	struct slice data_folder; /* of a server on this host; else absent */
	struct slice socket;      /* of a server that is connected to by TCP on this host; else absent */
	struct slice account;     /* "name"@"host", as a statement has it */
	int64_t now_ms;           /* the database's time */
};
MUST_CHECK enum result store_read_server(struct store *store, struct pool *pool, struct server_facts *facts);
/* URLs of active webhooks, the newest first, at most `maximum`. */
MUST_CHECK enum result store_list_destinations(
    struct store *store, struct pool *pool, uint64_t maximum, struct slice **urls, size_t *count);

/* A webhook that was not stopped by people. */
struct stopped_webhook {
	uint64_t id, campaign_id;
	bool gone; /* its receiver answered 410; else it failed for too long */
};
/* Up to `maximum`, the newest first. */
MUST_CHECK enum result store_list_stopped_webhooks(
    struct store *store, struct pool *pool, uint64_t maximum, struct stopped_webhook **webhooks, size_t *count);
/* Prepares every statement of the program on the current schema. `failed` is the name of the first that does not fit. */
MUST_CHECK enum result store_check_statements(struct store *store, const char **failed);

/* After a restore: no id is given again that may have been given since the backup, so that receivers do not take a new event
 * for an old one. */
MUST_CHECK enum result store_skip_ids(struct store *store);

struct account_row {
	uint64_t id;
	struct slice name;
	int64_t suspended_ms, created_ms;
	int64_t per_minute;     /* limit of GET and POST calls with a key, 0: any number; -1: the setting's */
	struct slice time_zone; /* absent: UTC */
};
MUST_CHECK enum result store_add_account(
    struct store *store, const struct precondition *precondition, struct slice name, uint64_t *id);
MUST_CHECK enum result store_list_accounts(
    struct store *store, struct pool *pool, struct list_part part, struct account_row **accounts, size_t *count);
/* Returns RESULT_OK when the account exists, else RESULT_NOT_FOUND. */
MUST_CHECK enum result store_find_account(struct store *store, uint64_t id);

/* Suspends the account, so that later calls on its campaigns fail. RESULT_NOT_FOUND, here and below: no such account. */
MUST_CHECK enum result store_suspend_account(struct store *store, uint64_t id);
MUST_CHECK enum result store_resume_account(struct store *store, uint64_t id);
/* Sets account_row.per_minute. */
MUST_CHECK enum result store_limit_account(struct store *store, uint64_t id, int64_t per_minute);
/* Sets account_row.time_zone. */
MUST_CHECK enum result store_set_time_zone(struct store *store, uint64_t id, struct slice time_zone);

struct api_key_row {
	uint64_t id, account_id;
	struct slice name;
	int64_t created_ms, last_used_ms, revoked_ms;
	int64_t expires_ms; /* -1: it does not expire */
	rights rights;
	struct slice campaigns; /* ids, separated by commas; absent: all of the account */
};
struct new_key {
	uint64_t account_id;
	struct slice name;
	unsigned char hash[32];
	rights rights;
	int64_t expires_ms;        /* -1: never */
	const uint64_t *campaigns; /* of the account */
	size_t campaign_count;     /* at most KEY_CAMPAIGNS_MAX; 0: all */
};
/* RESULT_NOT_FOUND: no such account. RESULT_REFUSED: a campaign that is not one of the account. RESULT_TOO_MANY: the account
 * has `maximum` keys that can be used. Keys that were revoked or have expired stay while there is room for `maximum`
 * together: the oldest is deleted for a new one. */
MUST_CHECK enum result store_add_key(
    struct store *store, const struct precondition *precondition, const struct new_key *key, uint64_t maximum, uint64_t *id);
MUST_CHECK enum result store_list_keys(struct store *store, struct pool *pool, uint64_t account_id, struct list_part part,
    struct api_key_row **keys, size_t *count);
/* Revoking twice is fine. RESULT_NOT_FOUND: no such key. */
MUST_CHECK enum result store_revoke_key(struct store *store, uint64_t id);

/* The settings of a campaign that an operator sets; absent slices are NULL in the row. */
struct campaign_settings {
	CAMPAIGN_SETTINGS(FIELD_MEMBER) /* an end time of -1: none; max_per_ip: see store_count_addresses */
	/* As store_end_campaign or store_reopen_campaign, after everything else. */
	enum campaign_request { CAMPAIGN_STAYS, CAMPAIGN_OPENS, CAMPAIGN_ENDS } request;
};
/* RESULT_NOT_FOUND: no such account. RESULT_TOO_MANY: it has `maximum` campaigns. */
MUST_CHECK enum result store_add_campaign(struct store *store, const struct precondition *precondition, uint64_t account_id,
    const struct campaign_settings *settings, uint64_t maximum, uint64_t *id);
/* Why an id is refused: it is taken, or not one of this cluster, whose campaigns have the ids from `first` to `last`. */
struct id_verdict {
	bool is_taken;
	uint64_t first, last;
};
/* The same with this id, for an operator: without a maximum. The other function does not give the id then. RESULT_REFUSED:
 * *verdict says why. */
MUST_CHECK enum result store_add_campaign_as(struct store *store, uint64_t account_id, const struct campaign_settings *settings,
    uint64_t id, struct id_verdict *verdict);
struct campaign_change {
	/* Sets some of them and leaves the others unchanged; the values must outlive the call. Returns false to refuse. */
	bool (*edit)(void *context, struct campaign_settings *settings);
	void *context;
	/* Present: queues the count that a change of max_per_ip needs (store_count_addresses), as a job by this caller. */
	struct slice count_by;
	uint64_t job_id; /* set; 0: there is nothing to count */
};
/* Changes settings with the campaign and its counters locked, so that concurrent changes of different settings are both stored.
 * `edit` may be called several times. A new end time replaces the old one, also after that has passed; a campaign that was
 * ended by command stays ended. RESULT_REFUSED: `edit` returned false. RESULT_TOO_MANY: the count cannot be queued, as in
 * store_add_job. RESULT_NOT_FOUND: no such campaign. In all these cases nothing was changed. */
MUST_CHECK enum result store_edit_campaign(
    struct store *store, const struct precondition *precondition, uint64_t id, struct campaign_change *change);
/* Applies a change of max_per_ip to the existing leads, one piece a call, each in a transaction of its own so that sign-ups go
 * on in between: if it is set, they are counted per address; if it is 0, the counts are removed. Until *done, duplicate_ip is
 * not flagged; any later call goes on where the last one ended. RESULT_NOT_FOUND: no such campaign. */
MUST_CHECK enum result store_count_addresses(struct store *store, uint64_t campaign_id, bool *done);
/* Ends it now, also when its end time has passed. */
MUST_CHECK enum result store_end_campaign(struct store *store, const struct precondition *precondition, uint64_t id);
/* Opens it again, and removes an end time that has passed. */
MUST_CHECK enum result store_reopen_campaign(struct store *store, const struct precondition *precondition, uint64_t id);

/* A definition of a campaign. A tag's name has no white space at either end, which the tables would not distinguish. */
struct definition {
	enum definition_kind { DEFINITION_TAG, DEFINITION_ACTION, DEFINITION_REWARD } kind;
	union {
		struct tag tag;
		struct action action;
		struct reward_level reward;
	} as; /* ids are ignored */
};
/* Why a definition is refused. */
enum definition_refusal {
	DEFINITION_FITS,
	DEFINITION_TOO_MANY,   /* the campaign has store_definitions_max of the kind already */
	DEFINITION_NAME_TAKEN, /* by another tag of the campaign */
	DEFINITION_NO_TAG,     /* the campaign has none with the action's tag_id */
	DEFINITION_REFUSED     /* by the edit */
};
/* How many a campaign can have of the kind. */
size_t store_definitions_max(enum definition_kind kind);
struct new_definition {
	const struct definition *definition;
	/* set */
	uint64_t id;
	enum definition_refusal refusal; /* of RESULT_REFUSED */
};
/* RESULT_NOT_FOUND: no such campaign. */
MUST_CHECK enum result store_add_definition(
    struct store *store, const struct precondition *precondition, uint64_t campaign_id, struct new_definition *new);
struct definition_reference {
	enum definition_kind kind;
	uint64_t id;
};
struct definition_change {
	/* Sets some of it and leaves the rest unchanged; the values must outlive the call. Returns false to refuse. */
	bool (*edit)(void *context, struct definition *definition);
	void *context;
	enum definition_refusal refusal; /* set; of RESULT_REFUSED */
};
/* As store_edit_campaign. RESULT_NOT_FOUND: no definition of that kind and id. */
MUST_CHECK enum result store_edit_definition(struct store *store, const struct precondition *precondition,
    const struct definition_reference *reference, struct definition_change *change);
/* Leads keep it if they have it. Actions stay bound to a removed tag. */
MUST_CHECK enum result store_remove_definition(
    struct store *store, const struct precondition *precondition, const struct definition_reference *reference);

/* What an operator sets of a webhook; absent slices are NULL in the row. */
struct webhook_settings {
	struct slice url; /* valid; absent, as it is read: it stays */
	struct slice source;
	uint32_t events;
	bool form;
	struct slice schedule;                                /* as retry_schedule_parse takes it; absent: the setting's */
	struct slice accepts;                                 /* as retry_is_taken takes it */
	uint32_t rate;                                        /* deliveries a second; 0: any number */
	struct slice ca_file, client_certificate, client_key; /* paths where the dispatcher runs */
};
struct webhook_details {
	struct webhook_row row;
	struct webhook_settings settings;
	struct slice last_error;   /* why the last attempt got no complete answer; absent: it got one */
	unsigned failures;         /* attempts since the last success */
	int64_t held_until_ms;     /* nothing is sent before; -1: no hold */
	int64_t previous_until_ms; /* until then the previous secret signs too; -1: it does not */
	uint64_t pending;          /* deliveries */
	int64_t oldest_due_ms;     /* of them; -1: there are none */
};
/* RESULT_NOT_FOUND: no such webhook, here and below. */
MUST_CHECK enum result store_find_webhook(struct store *store, struct pool *pool, uint64_t id, struct webhook_details *webhook);
/* Makes a disabled or gone webhook active, and ends its hold and its failures; its deliveries are sent when they are due. */
MUST_CHECK enum result store_enable_webhook(struct store *store, const struct precondition *precondition, uint64_t id);
/* Its deliveries wait from then on. Does nothing to a webhook that is not active: a gone one stays gone. */
MUST_CHECK enum result store_disable_webhook(struct store *store, const struct precondition *precondition, uint64_t id);
/* Sets another secret, a new one in every call. The previous one signs too for `overlap_ms`; older ones no longer do. */
MUST_CHECK enum result store_rotate_secret(
    struct store *store, const struct precondition *precondition, uint64_t id, struct slice secret, int64_t overlap_ms);
struct webhook_change {
	/* Sets some of them and leaves the others unchanged; the values must outlive the call. Returns false to refuse. */
	bool (*edit)(void *context, struct webhook_settings *settings);
	void *context;
	/* set; in the pool */
	struct webhook_details before, after; /* read in the transaction */
	bool url_taken;                       /* another webhook of the campaign has the URL */
};
/* As store_edit_campaign. Existing deliveries keep their format. With another URL also as store_move_webhook
 * (store/webhooks.h). RESULT_REFUSED: by the edit, or url_taken. */
MUST_CHECK enum result store_edit_webhook(struct store *store, struct pool *pool, const struct precondition *precondition,
    uint64_t id, struct webhook_change *change);
/* A test delivery for a webhook in any state: it is in no table, and has no payload or format yet. */
struct due_delivery;
MUST_CHECK enum result store_test_delivery(
    struct store *store, struct pool *pool, uint64_t webhook_id, struct due_delivery *delivery);

/* Zero, absent and -1 filters are not applied. */
struct delivery_filter {
	uint64_t webhook_id;
	struct slice lead_social_id;
	int event; /* enum event_type, or -1 */
	int state; /* enum delivery_state, or -1 */
	int64_t since_ms, until_ms;
	size_t limit;
	uint64_t campaign_id;
	enum answer_class answer;
	uint64_t after; /* only those that come after this one in the list */
};
struct delivery_row {
	uint64_t id, webhook_id, campaign_id;
	unsigned event;     /* enum event_type */
	int64_t created_ms; /* of the event */
	uint64_t lead_id;
	struct slice lead_social_id; /* absent: the lead is gone */
	enum delivery_state state;
	unsigned attempts;
	int64_t due_ms;          /* -1: ended */
	int last_status;         /* 0: none */
	struct slice last_error; /* "timeout", …; absent: the last attempt got a complete answer */
	struct slice
	    leased_by; /* the id of the dispatcher that leases its webhook's shard; absent: none does, or it has ended */
	/* State of its webhook. */
	enum webhook_state webhook_state;
	unsigned webhook_failures;
	unsigned webhook_rate;         /* as webhook_settings.rate */
	int64_t webhook_hold_until_ms; /* 0: no hold */
	int64_t now_ms;
};
struct delivery_list {
	struct delivery_row *deliveries;
	size_t count;
	uint64_t next; /* `after` of the rest of the list, which may be empty; 0: this is all */
};
/* By id, the highest first: the latest day first, within a day only roughly, because processes take ids in blocks. Campaign,
 * webhook, lead and failed ones have indexes, days are ranges of ids. Of rows that it does not list it reads about
 * DELIVERIES_EXAMINED at most: with other filters a list may be short or empty and still have a next one. */
enum { DELIVERIES_EXAMINED = 1000 };
MUST_CHECK enum result store_list_deliveries(
    struct store *store, struct pool *pool, const struct delivery_filter *filter, struct delivery_list *list);
/* How many deliveries such a list without `after` has, up to the limit of the filter. It reads about DELIVERIES_COUNTED rows at
 * most that it does not count. *more: there are, or may be, more than *count. */
enum { DELIVERIES_COUNTED = 10000 };
MUST_CHECK enum result store_count_deliveries(
    struct store *store, const struct delivery_filter *filter, uint64_t *count, bool *more);
/* How far a visit of deliveries has come. */
struct delivery_walk {
	uint64_t below;      /* only deliveries with lower ids are left; 0: it has not begun */
	int64_t deadline_ms; /* no piece is begun after it, except the first one; in clock_monotonic_ms, or CLOCK_NEVER */
	bool done;           /* set: nothing is left */
};
/* The same list without that limit: `visit` gets it piece by piece, each valid during the call, and may change what it gets.
 * The first result of `visit` other than RESULT_OK ends the visit and is returned; *walk is then undefined. A visit that is
 * not done goes on in the next call with the same filter. */
typedef enum result delivery_visitor(void *context, const struct delivery_row *deliveries, size_t count);
MUST_CHECK enum result store_visit_deliveries(struct store *store, const struct delivery_filter *filter,
    struct delivery_walk *walk, delivery_visitor *visit, void *context);

/* Those of these ids that exist, in any number, the highest first within each DB_LIST_MAX of them. */
MUST_CHECK enum result store_find_deliveries(
    struct store *store, struct pool *pool, const uint64_t *ids, size_t count, struct delivery_row **deliveries, size_t *found);

/* A row of `attempts`. */
struct attempt_row {
	unsigned attempt; /* from 1 */
	int64_t started_ms, duration_ms;
	int status;          /* 0: no answer */
	struct slice error;  /* absent: the answer was complete */
	struct slice answer; /* its beginning, any bytes; may be absent */
};
struct delivery_details {
	struct delivery_row row;
	bool form;                    /* how it is sent: as a form, or as JSON */
	struct slice message_id;      /* the webhook-id header */
	struct slice payload;         /* JSON */
	struct slice url;             /* absent: the webhook was removed */
	struct attempt_row *attempts; /* the last 100, in their order */
	size_t attempt_count;
};
/* RESULT_NOT_FOUND: no such delivery, or the retention has dropped its event. */
MUST_CHECK enum result store_find_delivery(
    struct store *store, struct pool *pool, uint64_t id, struct delivery_details *delivery);

/* A node of a cluster; counts are since its start. */
struct node_status {
	struct slice name, state; /* "Synced" and so on */
	uint64_t cluster_size;    /* connected nodes */
	uint64_t receive_queue;   /* changes of other nodes that it has not applied yet */
	bool flow_control;        /* commits at all nodes wait now, for one with a long queue */
	uint64_t paused_ms;       /* how long they did */
	uint64_t sent, received;  /* demands for that: of this node, and of all */
};
/* *node is NULL when the server is not one. */
MUST_CHECK enum result store_read_node(struct store *store, struct pool *pool, struct node_status **node);

/* Erasures of people and removals of campaigns that are not finished; of them, those that began more than an hour ago. */
struct unfinished_removals {
	uint64_t all, late;
};
MUST_CHECK enum result store_count_removals(struct store *store, struct pool *pool, struct unfinished_removals *unfinished);

struct store_status {
	struct store_figures figures;
	struct unfinished_removals removals;
	uint32_t schema_version;
	struct slice server_version;
	struct node_status *node; /* NULL: the server is not a node of a cluster */
};
MUST_CHECK enum result store_get_status(struct store *store, struct pool *pool, struct store_status *status);

#endif
