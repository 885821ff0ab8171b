/* SPDX-License-Identifier: MIT
 * One connection to the database, and all reads and changes of a responder.
 *
 * RESULT_UNAVAILABLE is a 503 for a client; RESULT_FAILED was logged. Changes are repeated after conflicts, and may finally
 * return RESULT_CONFLICT or RESULT_UNKNOWN: also a 503 for a client. Returned rows live in the caller's pool. The dispatcher's
 * functions are in store/queue; those for operators in store/operator. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "base/result.h"
#include "engine/command.h"
#include "engine/custom_fields.h"
#include "engine/model.h"
#include "engine/payload.h"
#include "identity/domain.h"
#include "identity/rights.h"
#include "store/precondition.h"

struct store;

/* The texts must stay valid as long as the store. */
struct store_options {
	/* as in db/db.h */
	const char *host, *socket, *user, *password, *database, *option_file, *tls, *tls_ca, *prefix;
	const char *read_host; /* a list like `host`, of nodes of the same cluster; NULL or "": none */
	/* keys, a valid list as crypto/seal.h reads it; NULL or "": none. It is not used after store_new. */
	const char *secrets_key;
	unsigned port, connect_timeout_s, io_timeout_s;
	/* settings of the rules */
	const char *base_url, *avatar_url;
	const char *form_urls; /* list */
	struct custom_field_limits custom_fields;
	const struct host_list *disposable_domains; /* NULL: none */
	bool sends_mail, sends_texts;               /* as in engine/decide/working_set.h */
	int64_t unverified_ms;   /* after which leads that do not verify their address are deleted; 0: never */
	int64_t ip_ms;           /* after which addresses and user agents of leads are dropped; 0: never */
	int64_t retention_ms;    /* of events, deliveries and attempts; 0: for ever */
	unsigned cluster_number; /* which ids its campaigns and leads get; 0: from 1 on */
};

/* Does not connect yet. */
struct store *store_new(const struct store_options *options);
/* A store for reads at the nodes of `read_host`, which see what was committed at any node before; NULL without such nodes. */
struct store *store_new_reader(const struct store_options *options);
/* Whether both stores have the data of the same installation, which is read once. RESULT_UNAVAILABLE, logged, if not. */
MUST_CHECK enum result store_same_installation(struct store *store, struct store *other);
void store_free(struct store **store);
/* Closes a connection that was idle for that long. The next use opens it again. */
void store_disconnect_idle(struct store *store, int64_t idle_ms);

/* When clock_monotonic_ms reaches the deadline, no further statement is sent, and what is not committed is rolled back:
 * RESULT_UNAVAILABLE. A statement under way at that time may end later, by at most its timeout. */
void store_set_deadline(struct store *store, int64_t deadline_ms);
/* Whether a call since then returned RESULT_UNAVAILABLE because of the deadline: it did not wait for a lock, the database is
 * slow. */
MUST_CHECK bool store_was_late(const struct store *store);

/* After a call that returned RESULT_UNAVAILABLE: why the server refused the login, which the operator must correct. */
MUST_CHECK enum denial store_denial(const struct store *store);

/* The error of the last call that failed, for the operator. */
const char *store_error_text(const struct store *store);

/* Base URL, avatar template and the installation's secret; read from the database once. RESULT_FAILED, logged: the secret is
 * missing, or sealed with a key that this program does not have. */
MUST_CHECK enum result store_payload_settings(struct store *store, const struct payload_settings **settings);

/* Commands that are run as one batch, and what comes of them. */
struct execution {
	const struct command *const *commands;
	size_t count;
	int64_t deadline_ms;      /* of clock_monotonic_ms: later outcomes are FAILURE_UNAVAILABLE */
	struct outcome *outcomes; /* one per command; all are set */
	/* One per command; NULL: waits for campaigns that other transactions have locked. Else `locked` becomes true for the
	 * commands of those, which are not begun, and the others are run. */
	bool *locked;
	const struct precondition *precondition; /* for a single command: its key; NULL: none */
	/* Called when the outcome of a COMMIT is unknown, so that the call can last until its deadline; and when it is known
	 * after all, or the deadline has passed. NULL: not called. */
	void (*unknown_begins)(void *context), (*unknown_ends)(void *context);
	void *context;
	/* set; after an unknown COMMIT true when it may have been made */
	bool made_deliveries, made_messages;
	bool repeated; /* the key of the precondition was used before: the command was not run */
};
/* Loads, decides, writes (docs/architecture.md 4). The bodies of the outcomes are in the pool. FAILURE_UNAVAILABLE: the command
 * was not run, or its COMMIT is unknown and it may have been. FAILURE_INTERNAL: a defect, logged. */
void store_execute(struct store *store, struct pool *pool, struct execution *execution);
/* Whether the installation sends mail, as in its options. */
MUST_CHECK bool store_sends_mail(const struct store *store);
/* Adds to the sign-ups of a campaign that a limit has refused today, and to their addresses (docs/statistics.md 2.1). Nothing
 * where there is no such campaign. */
MUST_CHECK enum result store_add_refusals(struct store *store, uint64_t campaign_id, uint32_t signups, uint32_t addresses);
MUST_CHECK bool store_sends_texts(const struct store *store);
/* A batch that would write more than this is done in several transactions, one after another. A command for points of several
 * leads that alone would write more becomes a job (struct outcome, queued); any other command is one transaction, whatever it
 * writes. */
enum { STORE_BATCH_ROWS_MAX = 3000, STORE_BATCH_BYTES_MAX = 2 * 1024 * 1024 };

enum { KEY_CAMPAIGNS_MAX = 32 };

struct api_key {
	uint64_t id, account_id;
	bool account_suspended;
	int64_t account_per_minute; /* limit of calls, 0: any number; -1: the setting's */
	int64_t last_used_ms;       /* to the hour */
	int64_t now_ms;
	int64_t expires_ms; /* -1: it has no end */
	rights rights;
	uint32_t campaign_count; /* of `campaigns`; 0: all of the account */
	uint64_t campaigns[KEY_CAMPAIGNS_MAX];
};
/* Whether it is for this campaign, if that is one of its account. */
static inline bool
api_key_covers(const struct api_key *key, uint64_t campaign_id)
{
	for (uint32_t i = 0; i < key->campaign_count; i++)
		if (key->campaigns[i] == campaign_id)
			return true;
	return key->campaign_count == 0;
}

/* A key that is neither revoked nor expired, by the SHA-256 of its text. */
MUST_CHECK enum result store_find_key(struct store *store, const unsigned char hash[32], struct api_key *key);
/* Records that the key was used, to the hour. Does nothing when that is recorded already. */
MUST_CHECK enum result store_touch_key(struct store *store, const struct api_key *key);

/* With its counters; *now_ms is the database's time. */
MUST_CHECK enum result store_find_campaign(
    struct store *store, struct pool *pool, uint64_t id, struct campaign *campaign, int64_t *now_ms);
/* A part of a list by id: at most `limit` rows, with ids above `after`. */
struct list_part {
	uint64_t after;
	size_t limit;
};
#define LIST_ALL ((struct list_part){ 0, PTRDIFF_MAX })
/* Of an account (0: of all), by id. */
MUST_CHECK enum result store_list_campaigns(struct store *store, struct pool *pool, uint64_t account_id, struct list_part part,
    struct campaign **campaigns, size_t *count, int64_t *now_ms);

/* The version that every change of the campaign's settings, webhooks and definitions raises. */
MUST_CHECK enum result store_read_settings_version(struct store *store, uint64_t campaign_id, uint64_t *version);
/* Cached data of a campaign is read again after that long, even if its version is the same: a row that was corrected by hand
 * may have an unchanged version. */
enum { STORE_FRESH_MS = 10000 };

/* Reads of several statements that must belong together, as a loop: its body is run again while it sets RESULT_CONFLICT, twice
 * as it is, then in a snapshot. Loops may be nested. Do not leave one by break or return.
 *
 *	struct consistent_read read = { .store = store };
 *	while (store_reads(&read))
 *		read.result = read_it(store);
 *	return read.result; */
struct consistent_read {
	struct store *store;
	enum result result;
	unsigned runs;
};
bool store_reads(struct consistent_read *read);
/* Whether it runs in a snapshot: only reads through `store` then see the same moment. */
bool store_in_snapshot(const struct store *store);

/* RESULT_NOT_FOUND: no such lead in this campaign. */
MUST_CHECK enum result store_find_lead(
    struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead_reference *reference, struct lead *lead);
/* A lead as its payload shows it, at the time of one statement: the lead, its campaign's counters and settings, its rank. Only
 * the fields of the lead that payloads and lists show are filled. Campaign and definitions of a subject are valid until the
 * next look-up or command. RESULT_NOT_FOUND: no such lead in this campaign. */
MUST_CHECK enum result store_look_up(struct store *store, struct pool *pool, uint64_t campaign_id,
    const struct lead_reference *reference, struct payload_subject **subject);
/* A look-up: GET on a campaign, or `me` of a leaderboard. */
struct look_up {
	uint64_t campaign_id;
	struct lead_reference reference;
	struct payload_view view;
	bool standing; /* as leaderboards show it, instead of the whole lead */
	struct standing_style style;
};
/* Answers look-ups with one statement for each way to name a lead, however many look-ups there are. Always fills every outcome;
 * bodies are in the pool. The versions of an outcome are those of the time it was read: a leaderboard that was read with the
 * same versions is still valid. */
void store_answer_look_ups(
    struct store *store, struct pool *pool, const struct look_up *const *look_ups, size_t count, struct outcome *outcomes);
/* The same for leads of a page, which must stay valid as long as the subjects. */
MUST_CHECK enum result store_show_leads(struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead *leads,
    size_t count, struct payload_subject **subjects);

MUST_CHECK enum result store_find_versions(
    struct store *store, struct pool *pool, uint64_t campaign_id, struct campaign_versions *versions);

/* What is read of leads that are listed. */
enum lead_detail {
	LEAD_AS_SHOWN,  /* as by store_look_up */
	LEAD_AS_STORED, /* all that is stored of the leads themselves */
	LEAD_NAMES      /* only subscription number, custom fields and utm; not `newest`, and not in another order */
};

/* Zero, absent and -1 filters are not applied. */
struct lead_filter {
	enum lead_detail detail;
	uint32_t after;                                  /* the page begins after this subscription number, in its order */
	int verified, waitlisted, fraudulent, opted_out; /* 1: only those, 0: only the others, -1: all */
	uint64_t tag_id;
	int64_t since_ms; /* created at or after this time */
	size_t limit;     /* of leads on the page */
	int64_t until_ms; /* created before this time */
	struct slice source;
	struct slice name; /* words, each the beginning of one of its names, in their order or the family name first; without
			    * regard to case and accents */
	struct lead_reference identities[LEAD_BY_ID]; /* only the lead that has all of them */
	size_t identity_count;
	bool newest;   /* the latest sign-up first */
	uint32_t last; /* of the page before: it examines no rows beyond; 0: as many as it may */
};
struct lead_page {
	struct lead *leads; /* by subscription number */
	size_t count;
	uint32_t next; /* `after` of the next page; 0: this was the last */
	uint32_t last; /* number up to which it may have examined leads; 0: there are none beyond */
};
/* Reads at most LEAD_PAGE_ROWS_MAX rows, or LEAD_PAGE_NAMES_MAX where it searches names, for which it reads all custom fields,
 * milliseconds where a lead has as many as it may: with a filter, a page may be short or empty and still have a next one. */
enum { LEAD_PAGE_ROWS_MAX = 10000, LEAD_PAGE_NAMES_MAX = 200 };
MUST_CHECK enum result store_list_leads(
    struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead_filter *filter, struct lead_page *page);
/* A list in another order: by score, the highest first, then by sign-up; or those that a lead has referred directly, by id. */
struct lead_order {
	uint64_t referrer_id; /* the lead; 0: by score */
	/* Where the list goes on: after the lead with this score and number, or with this id. */
	bool has_place;
	uint32_t score, number;
	uint64_t id;
	/* set */
	size_t examined; /* rows, of all calls with it; the initial value is 0 */
	bool more;       /* there may be something after the place */
};
/* The next page of such a list; moves the place. `newest`: by id, the highest first; `after`, `last` and identities of the
 * filter are not read. All calls with the same *order examine as many rows as one of store_list_leads does with a filter, and
 * answer empty pages when they have. A lead whose score changes between two calls may be listed twice, or not at all. */
MUST_CHECK enum result store_list_leads_in_order(struct store *store, struct pool *pool, uint64_t campaign_id,
    const struct lead_filter *filter, struct lead_order *order, struct lead_page *page);
/* Whether they have examined so many. */
bool store_order_is_spent(const struct lead_filter *filter, const struct lead_order *order);
/* The first `limit` leads that are not fraudulent, by score, then by sign-up. Only numbers, social ids, scores, and the sources
 * of names and avatars are filled. */
MUST_CHECK enum result store_leaderboard(
    struct store *store, struct pool *pool, uint64_t campaign_id, size_t limit, struct lead **leads, size_t *count);

/* Of one campaign, each kind by id. */
MUST_CHECK enum result store_find_definitions(
    struct store *store, struct pool *pool, uint64_t campaign_id, struct definitions *definitions);

struct bulk_request {
	uint64_t account_id, campaign_id; /* the campaign and its account */
	uint32_t account_jobs;            /* maximum of jobs queued for the account; 0: any number */
	enum lead_action action;
	/* LEAD_TAG: at least one tag, each once. There is a job for each. */
	const uint64_t *tag_ids;
	size_t tag_count;
	struct slice argument; /* as in struct lead_change, as the next two */
	int32_t points;
	struct slice message;
	const struct lead_reference *leads;
	size_t lead_count;    /* at most BULK_LEADS_MAX */
	struct slice made_by; /* at most 255 bytes; absent: no one */
	bool referrers;       /* the change is for the referrers of the leads, as they are at the time of this call */
};
enum { BULK_LEADS_MAX = 250 };
struct bulk_queued {
	size_t leads;    /* that exist, or referrers of them, each once; 0: no lead has a referrer, and nothing is queued */
	uint64_t job_id; /* the first job, whose ids follow each other */
};
/* Queues the jobs for the leads, or for their referrers, in one transaction. RESULT_NOT_FOUND: there are no such leads.
 * RESULT_TOO_MANY: the account would have more than its maximum of jobs. In both cases nothing is queued. */
MUST_CHECK enum result store_queue_bulk(struct store *store, const struct precondition *precondition,
    const struct bulk_request *request, struct bulk_queued *queued);

/* A webhook as its operator sees it. */
struct webhook_row {
	uint64_t id, campaign_id;
	struct slice url, source;
	uint32_t events;
	bool form;
	enum webhook_state state;
	int64_t failing_since_ms, last_delivery_ms;
	int status; /* HTTP status of the last attempt, 0: none */
};

enum format_change {
	FORMAT_UNCHANGED, /* JSON for a new webhook */
	FORMAT_JSON,
	FORMAT_FORM
};

struct webhook_put {
	uint64_t campaign_id;
	struct slice url;
	uint32_t events;
	struct slice source; /* absent: unchanged */
	enum format_change format;
	struct slice secret; /* for a new one; a new secret in every call */
	size_t maximum;      /* of webhooks in a campaign */
};

/* Adds a webhook, or replaces the events (source, format) of the one with the same URL, byte for byte. *created: it was added,
 * with the given secret. A webhook whose receiver answered 410 becomes active again; a disabled one stays disabled.
 * RESULT_TOO_MANY: the campaign has `maximum` webhooks; RESULT_NOT_FOUND: no such campaign. */
MUST_CHECK enum result store_put_webhook(
    struct store *store, const struct precondition *precondition, const struct webhook_put *put, uint64_t *id, bool *created);
/* The dispatcher ends its pending deliveries. */
MUST_CHECK enum result store_remove_webhook(struct store *store, uint64_t campaign_id, struct slice url);
/* The same by id. */
MUST_CHECK enum result store_remove_webhook_id(struct store *store, const struct precondition *precondition, uint64_t id);
MUST_CHECK enum result store_list_webhooks(
    struct store *store, struct pool *pool, uint64_t campaign_id, struct webhook_row **webhooks, size_t *count);
