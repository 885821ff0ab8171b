/* SPDX-License-Identifier: MIT
 * One call on its way through this folder. Nobody else includes it. */
#ifndef LEADHOOK_API_CALL_H
#define LEADHOOK_API_CALL_H

#include "api/api.h"
#include "base/cache.h"
#include "base/log.h"
#include "engine/failure.h"
#include "engine/model.h"
#include "json/writer.h"

/* What a call may wait for at the database: the rows that all calls read, whoever else changes the campaign, the queue of bulk
 * work. */
enum call_wait { WAIT_READ, WAIT_CAMPAIGN, WAIT_QUEUE, CALL_WAITS };

/* Who has waited in vain, and until when nobody waits for that campaign, or for any. */
struct refusal {
	uint64_t campaign_id; /* WAIT_READ: 0 */
	int64_t until_ms, all_until_ms;
};

struct api {
	const struct api_options *options;
	struct store *store;
	struct cache *boards;
	const struct api_backend *backend;
	struct api_key used_key; /* of the last request; id 0: none */
	struct refusal refusals[CALL_WAITS];
	struct log_throttle refusal_log[LIMIT_KINDS];
};

/* What the body looks like before it is parsed. */
enum body_key { BODY_HAS_NO_KEY, BODY_MAY_HAVE_KEY, BODY_HAS_KNOWN_KEY };

struct call {
	struct api *api;
	const struct route *route; /* NULL: the path is unknown */
	struct http_request *request;
	struct http_response *response;
	struct http_params *params;
	struct ip_address client; /* as docs/api.md 5 finds it; zeros when nobody knows it */
	bool has_client;
	struct slice key_text; /* as it was sent; absent: none */
	struct api_key key;    /* that came with the request; id 0: none did */
	uint64_t account_id;   /* whose key came with the request; 0: none */
	bool key_is_known;     /* this host has seen it to be valid */
	enum body_key body_key;
	bool counted;             /* by a limit */
	bool judging;             /* by the limits, without being counted */
	struct slice social_id;   /* KEY_TOKEN: the lead that the token is for */
	struct campaign campaign; /* on routes that have one */
	int64_t now_ms;           /* the database's time, with the campaign */
	int64_t begun_ms;
	int64_t deadline_ms;   /* of what the backend does for this call */
	enum call_wait wait;   /* the last that it has begun */
	bool unavailable;      /* has failed as 503, whatever JSONP makes of it */
	struct slice callback; /* JSONP: the function that gets the answer; absent: no JSONP */
	bool callback_is_bad;  /* one was named, and can be none */
};

/* The answers (answer.c). A handler calls exactly one of them, or one of the pages. Failures return false. */
bool call_fail(struct call *call, enum failure failure);
/* With a sentence of its own, or completed, where engine/failure.h says so. */
bool call_fail_with(struct call *call, enum failure failure, struct slice detail);
/* invalid_parameter: the name, then "must be one text". */
bool call_fail_parameter(struct call *call, struct slice name, const char *rule);
/* What a failed call to the store is for the client. */
enum failure call_failure(enum result result);
/* A body that is JSON already. */
void call_answer(struct call *call, struct slice json);
/* Starts one to be written. */
struct json_writer call_begin(struct call *call);

/* Finds out how the answer is to look; before anything can fail. */
void call_read_callback(struct call *call);
/* False when there is one that can be none: the call has then failed. */
MUST_CHECK bool call_check_callback(struct call *call);
/* Puts what was answered into its call, where it is JSONP. */
void call_finish(struct call *call);

/* HTML instead, with all headers that such a page needs. Both texts are plain. `button`: of a form that posts to the
 * same address; NULL: there is none. */
void call_page(struct call *call, const char *heading, struct slice text, const char *button);
void call_fail_page(struct call *call, struct slice message);

/* What a route needs before its handler runs. KEY_TOKEN: the signature of an opt-out link. */
enum route_key { KEY_NONE, KEY_OPTIONAL, KEY_REQUIRED, KEY_TOKEN };

enum {
	ROUTE_BULK = 1 << 0,      /* names many leads: these names collect, and the body may be larger */
	ROUTE_UNTIL_END = 1 << 1, /* 423 once the campaign has ended (docs/api.md 6) */
	ROUTE_SUBSCRIBE = 1 << 2, /* a social id is the referrer's, never that of the lead to update */
	ROUTE_JSONP = 1 << 3,     /* may be asked for as a script */
	ROUTE_PAGE = 1 << 4,      /* answers HTML, whatever happens; reads no parameters but the query's */
	ROUTE_COUNTERS = 1 << 5,  /* shows how many leads there are: the campaign must not come from a cache */
	ROUTE_READINESS = 1 << 6  /* has a limit of its own */
};

struct route {
	enum http_method method;
	const char *path; /* segments; "{campaign}" a campaign id, another "{…}" anything */
	enum route_key key;
	enum { NO_CAMPAIGN, CAMPAIGN_IN_PATH, CAMPAIGN_IN_PARAMETERS } campaign; /* in the path it is the second segment */
	unsigned flags;
	void (*handle)(struct call *call);
};

/* All there are. */
const struct route *api_routes(size_t *count);
/* FAILURE_NONE: *route is the one. FAILURE_METHOD_NOT_ALLOWED: *route is one of another method, *allow has those that the path
 * knows. Any other failure: *route is NULL. */
enum failure api_route(const struct http_request *request, const struct route **route, struct slice *allow);

/* The handlers. */
void handle_health(struct call *call);
void handle_ready(struct call *call);
void handle_campaigns(struct call *call);
void handle_stats(struct call *call);
void handle_signup(struct call *call);
void handle_lookup(struct call *call);
void handle_list_leads(struct call *call);
void handle_leaderboard(struct call *call);
void handle_list_actions(struct call *call);
void handle_list_tags(struct call *call);
void handle_complete_action(struct call *call);
void handle_points(struct call *call);
void handle_tag_lead(struct call *call);
void handle_bulk_change(struct call *call);
void handle_bulk_delete(struct call *call);
void handle_opt_out(struct call *call);
void handle_put_webhook(struct call *call);
void handle_remove_webhook(struct call *call);
void handle_list_webhooks(struct call *call);

/* The right that the route needs, and the limits that are judged before it (access.c). False: the call has failed. */
MUST_CHECK bool call_authenticate(struct call *call);
/* Whether who calls, or on what, may be in the body alone. */
MUST_CHECK bool call_waits_for_body(struct call *call);
/* Then: what the limits make of the rest, before the body is parsed. False: the call has failed. */
MUST_CHECK bool call_may_read_body(struct call *call);
/* Whether the body has changed nothing about the key. */
MUST_CHECK bool call_has_same_key(struct call *call);
/* Counts a call whose parameters cannot be read, if it has not counted yet. False: the call has failed. */
MUST_CHECK bool call_count_unread(struct call *call);
/* At the end: a large body was parsed for a key that was not there. That counts as a wrong key. */
void call_note_unproven(struct call *call);
/* KEY_TOKEN (opt_out.c). False: the call has failed. */
MUST_CHECK bool call_check_token(struct call *call);
/* The id in the path, or the first of the names that stand for it; 0 when there is none that could be one (api.c). */
MUST_CHECK bool call_campaign_id(struct call *call, uint64_t *id);

/* docs/api.md 5 (limits.c). False: the call has failed. */
/* A request without a key: what its address may do. */
MUST_CHECK bool call_pass_address(struct call *call);
/* One with a key: what its account may do. */
MUST_CHECK bool call_pass_account(struct call *call);
/* Without a key: whether the campaign may have one more new lead now. False: *verdict says when. */
MUST_CHECK bool call_may_add_lead(struct call *call, struct limit_verdict *verdict);
void call_count_new_lead(struct call *call);
void call_refuse_new_lead(struct call *call, const struct limit_verdict *verdict);
/* Whether the address may send one more wrong key. */
MUST_CHECK bool call_may_fail_key(struct call *call);
/* Whether this host knows it to be valid. */
MUST_CHECK bool call_key_is_known(struct call *call, struct slice hash);
/* Whether a key may be looked up: one that this host knows to be valid always. */
MUST_CHECK bool call_may_try_key(struct call *call, struct slice hash);
/* What it was found to be. A bad one counts, and the call has failed. */
void call_key_is_good(struct call *call, struct slice hash);
void call_key_is_bad(struct call *call, struct slice hash);
/* Counts one, whatever comes of it. */
void call_note_failed_key(struct call *call);

/* The tag that a text names (campaigns.c). False: the call has failed. */
enum { TAG_BY_ID = 1 << 0, TAG_BY_NAME = 1 << 1 };
MUST_CHECK bool call_find_tag(struct call *call, struct slice text, unsigned by, uint64_t *tag_id);

/* How workers keep from waiting for the database one call behind the other (call.c). Before each kind of wait; false: the
 * call has failed. */
MUST_CHECK bool call_may_wait(struct call *call, enum call_wait wait);
/* When the call is over. */
void call_note_wait(struct call *call);

/* Runs a command. False: it has failed, and the call with it. */
MUST_CHECK bool call_execute(struct call *call, const struct command *command, struct outcome *outcome);

#endif
