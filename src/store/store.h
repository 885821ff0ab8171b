/* SPDX-License-Identifier: MIT
 * All that is kept: one connection to the database and what may be asked of it.
 *
 * Results: RESULT_UNAVAILABLE is a 503 for a client; RESULT_FAILED was logged. What changes something is repeated when others
 * were faster, and may in the end answer RESULT_CONFLICT, or RESULT_UNKNOWN: for a client a 503 as well. Rows that are
 * answered live in the caller's pool. Everything about the dispatcher is in store/queue/dispatch.h, about operators in
 * store/operator/admin.h.
 */
#ifndef LEADHOOK_STORE_STORE_H
#define LEADHOOK_STORE_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "base/result.h"
#include "engine/command.h"
#include "engine/custom_fields.h"
#include "engine/model.h"
#include "engine/payload.h"
#include "identity/host_list.h"

struct store;

/* The texts must stay valid as long as the store. */
struct store_options {
	/* as in db/db.h */
	const char *host, *socket, *user, *password, *database, *option_file, *tls, *tls_ca, *prefix;
	unsigned port, connect_timeout_s, io_timeout_s;
	/* the rules' settings */
	const char *base_url, *avatar_url;
	const char *form_urls; /* list */
	struct custom_field_limits custom_fields;
	const struct host_list *disposable_domains; /* NULL: none */
	int64_t retention_ms;                       /* of events, deliveries and attempts; 0: for ever */
};

/* Connects to nothing yet. */
struct store *store_new(const struct store_options *options);
void store_free(struct store **store);
/* Closes a connection that was idle for that long; the next use opens it again. */
void store_disconnect_idle(struct store *store, int64_t idle_ms);

/* When clock_monotonic_ms is that far, nothing more is asked of the database, and what was not committed is not done:
 * RESULT_UNAVAILABLE. Until then one answer may be under way, so all ends within its time-out behind that. */
void store_set_deadline(struct store *store, int64_t deadline_ms);
/* A call since then that answered RESULT_UNAVAILABLE: that is why. It has waited for nobody, the database is slow. */
MUST_CHECK bool store_was_late(const struct store *store);

/* Of the schema this program needs. */
MUST_CHECK uint32_t store_schema_wanted(void);
/* What the operator is to do about another version, `found`. */
const char *store_schema_hint(uint32_t found);
/* RESULT_OK when the database answers and has the schema of this program; RESULT_INVALID when it has another one (*found; 0:
 * none at all). For /health/ready and for every start. */
MUST_CHECK enum result store_ready(struct store *store, uint32_t *found);
/* The same for whoever goes on with nothing else: another schema is logged, once, with what to do. The functions that change
 * something ask this first, and answer RESULT_FAILED: a program may have been started while the database was away. */
MUST_CHECK enum result store_demand_schema(struct store *store);
/* Of a call that answered RESULT_UNAVAILABLE: the server is there, and does not let us in. The operator has to fix that. */
MUST_CHECK bool store_access_denied(const struct store *store);

/* Base URL, avatar template and the installation's secret; read from the database once. */
MUST_CHECK enum result store_payload_settings(struct store *store, const struct payload_settings **settings);

/* Runs commands as one batch: load, decide, write (HACKING, "Load, decide, write"). Always fills every outcome; bodies are in
 * the pool. Gives up with FAILURE_UNAVAILABLE when `deadline_ms` (clock_monotonic_ms) is over. */
void store_execute(struct store *store, struct pool *pool, const struct command *const *commands, size_t count,
    int64_t deadline_ms, struct outcome *outcomes);

/* The same, but waits for no campaign that somebody else has locked: its commands are not begun, and `locked`, one a command,
 * is true for them; the others are carried out. */
void store_execute_free(struct store *store, struct pool *pool, const struct command *const *commands, size_t count,
    int64_t deadline_ms, struct outcome *outcomes, bool *locked);

struct api_key {
	uint64_t id, account_id;
	bool account_suspended;
	int64_t account_per_minute; /* calls that its operator allows, 0: any number; -1: as the setting says */
	int64_t last_used_ms;       /* to the hour */
	int64_t now_ms;
};

/* A key that is not revoked, by the SHA-256 of its text. */
MUST_CHECK enum result store_find_key(struct store *store, const unsigned char hash[32], struct api_key *key);
/* Notes that it was used, to the hour; does nothing when that is noted already. */
MUST_CHECK enum result store_touch_key(struct store *store, const struct api_key *key);

/* With its counters; *now_ms is the database's time. */
MUST_CHECK enum result store_find_campaign(
    struct store *store, struct pool *pool, uint64_t id, struct campaign *campaign, int64_t *now_ms);
/* Of an account (0: of all), by id. */
MUST_CHECK enum result store_list_campaigns(
    struct store *store, struct pool *pool, uint64_t account_id, struct campaign **campaigns, size_t *count, int64_t *now_ms);

/* What a process keeps of a campaign it reads again after that long, also where the versions below say that nothing has
 * changed: whoever fixed rows by hand may not have moved them on. */
enum { STORE_FRESH_MS = 10000 };

/* Several statements that have to be of one moment: RESULT_CONFLICT when they were not. */
typedef enum result consistent_read(struct store *store, struct pool *pool, void *context);

/* Runs `body` until it does not find a conflict: twice as it is, then within a snapshot, where there is none. A body may use
 * this itself. Answers what the body answers. */
MUST_CHECK enum result store_read_consistently(struct store *store, struct pool *pool, consistent_read *body, void *context);
/* Whether it is within one: then only what `store` itself reads is of that moment. */
bool store_in_snapshot(const struct store *store);

/* RESULT_NOT_FOUND: no such lead in this campaign. */
MUST_CHECK enum result store_find_lead(
    struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead_reference *reference, struct lead *lead);
/* A lead as its payload shows it, by what the database has at the time of one statement: the lead, its campaign's counters and
 * settings, its rank. Of the lead, only what payloads and lists show is filled. Campaign and definitions of a subject are valid
 * until the next look-up or command. RESULT_NOT_FOUND: no such lead in this campaign. */
MUST_CHECK enum result store_look_up(struct store *store, struct pool *pool, uint64_t campaign_id,
    const struct lead_reference *reference, struct payload_subject **subject);
/* What is asked by GET on a campaign, or for `me` of a leaderboard. */
struct look_up {
	uint64_t campaign_id;
	struct lead_reference reference;
	struct payload_view view;
	bool standing; /* as leaderboards show it, instead of the whole lead */
};
/* Answers look-ups, with as many statements as there are ways to name a lead, however many they are. Always fills every
 * outcome; bodies are in the pool. The versions of those that were found are those of the time they were read: a leaderboard
 * that was read after the same versions is still right. */
void store_answer_look_ups(
    struct store *store, struct pool *pool, const struct look_up *const *look_ups, size_t count, struct outcome *outcomes);
/* The same for leads of a page, which must stay valid as long as the subjects. */
MUST_CHECK enum result store_show_leads(struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead *leads,
    size_t count, struct payload_subject **subjects);

MUST_CHECK enum result store_find_versions(
    struct store *store, struct pool *pool, uint64_t campaign_id, struct campaign_versions *versions);

/* Zero, absent and -1 filters are not applied. */
struct lead_filter {
	uint32_t after;                                  /* the subscription number behind which the page begins */
	int verified, waitlisted, fraudulent, opted_out; /* 1: only those, 0: only the others, -1: all */
	uint64_t tag_id;
	int64_t since_ms; /* created then or later */
	size_t limit;     /* of leads on the page */
};
struct lead_page {
	struct lead *leads; /* by subscription number; filled as by store_look_up */
	size_t count;
	uint32_t next; /* `after` of the next page; 0: this was the last */
};
/* Looks at no more than LEAD_PAGE_ROWS_MAX rows: with a filter a page may be short or empty and still have a next one. */
enum { LEAD_PAGE_ROWS_MAX = 10000 };
MUST_CHECK enum result store_list_leads(
    struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead_filter *filter, struct lead_page *page);
/* The first `limit` leads that are not fraudulent, by score, then by sign-up. Only numbers, social ids, scores, and what
 * display_name is made of, are filled. */
MUST_CHECK enum result store_leaderboard(
    struct store *store, struct pool *pool, uint64_t campaign_id, size_t limit, struct lead **leads, size_t *count);

/* Of one campaign, each kind by id. */
MUST_CHECK enum result store_find_definitions(
    struct store *store, struct pool *pool, uint64_t campaign_id, struct definitions *definitions);

struct bulk_request {
	uint64_t account_id, campaign_id; /* of the campaign, and the campaign */
	uint32_t account_jobs;            /* the most jobs that may be queued for the account; 0: any number */
	enum lead_action action;
	uint64_t tag_id;   /* LEAD_TAG */
	struct slice word; /* as in struct lead_change */
	const struct lead_reference *leads;
	size_t lead_count; /* at most BULK_LEADS_MAX */
};
enum { BULK_LEADS_MAX = 250 };
/* Queues the work for the leads that there are, each once, in one transaction. *matched: how many; none queues nothing.
 * RESULT_INVALID: the account has as many jobs as it may have. */
MUST_CHECK enum result store_queue_bulk(struct store *store, const struct bulk_request *request, size_t *matched);

/* A webhook as its operator sees it. */
struct webhook_row {
	uint64_t id, campaign_id;
	struct slice url, source, secret;
	uint32_t events;
	bool form;
	enum webhook_state state;
	int64_t failing_since_ms, last_delivery_ms;
	int status; /* HTTP status of the last attempt, 0: none */
};

struct webhook_put {
	uint64_t campaign_id;
	struct slice url;
	uint32_t events;
	struct slice source; /* absent: kept */
	const bool *form;    /* NULL: kept, json for a new one */
	struct slice secret; /* for a new one; new itself in every call */
	size_t maximum;      /* webhooks a campaign may have */
};

/* Adds a webhook, or replaces the events (source, format) of the one with the same URL, byte for byte. *created says which:
 * only then the secret is the one given. One whose receiver has answered 410 is active again; a disabled one stays so.
 * RESULT_INVALID: the campaign has `maximum` already; RESULT_NOT_FOUND: no such campaign. */
MUST_CHECK enum result store_put_webhook(struct store *store, const struct webhook_put *put, uint64_t *id, bool *created);
/* Its pending deliveries are ended by the dispatcher. */
MUST_CHECK enum result store_remove_webhook(struct store *store, uint64_t campaign_id, struct slice url);
/* The same by id. */
MUST_CHECK enum result store_remove_webhook_id(struct store *store, uint64_t id);
MUST_CHECK enum result store_list_webhooks(
    struct store *store, struct pool *pool, uint64_t campaign_id, struct webhook_row **webhooks, size_t *count);

#endif
