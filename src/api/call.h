/* SPDX-License-Identifier: MIT
 * One call of the API; private to this folder. */
#ifndef LEADHOOK_API_CALL_H
#define LEADHOOK_API_CALL_H

#include "api/api.h"
#include "base/cache.h"
#include "crypto/digest.h"
#include "engine/failure.h"
#include "engine/model.h"
#include "os/log.h"
#include "store/inbound.h"
#include "json/writer.h"

/* What a call may wait for: reads, the lock of the campaign, the table of bulk jobs. */
enum call_wait { WAIT_READ, WAIT_CAMPAIGN, WAIT_BULK_JOBS, CALL_WAITS };

/* The campaign of the last timeout, and until when calls on it, or on all campaigns, are refused. */
struct refusal {
	uint64_t campaign_id; /* WAIT_READ: 0 */
	int64_t until_ms, all_until_ms;
};

/* Sign-ups of a campaign that a limit has refused, and their addresses, which are not stored yet. */
struct refused {
	uint64_t campaign_id;
	uint32_t signups, addresses;
	int64_t stored_ms; /* when the last ones were */
};
enum { REFUSED_CAMPAIGNS_MAX = 16 };

struct api {
	const struct api_options *options;
	struct store *store, *reader; /* as in api_new */
	int64_t reader_away_until_ms;
	struct cache *boards;
	const struct api_extension *extension; /* NULL: none */
	const struct api_backend *backend;
	struct api_key used_key; /* of the last request; id 0: none */
	struct refusal refusals[CALL_WAITS];
	struct refused refused[REFUSED_CAMPAIGNS_MAX];
	struct log_throttle refusal_log[LIMIT_KINDS];
	uint64_t last_lead_id; /* that a sign-up has made; 0: none yet */
};

/* What a search of the unparsed body for a key found. */
enum body_key { BODY_HAS_NO_KEY, BODY_MAY_HAVE_KEY, BODY_HAS_KNOWN_KEY };

struct call {
	struct api *api;
	const struct route *route; /* NULL: the path is unknown */
	struct http_request *request;
	struct http_response *response;
	struct http_params *params;
	struct ip_address client; /* by docs/api.md 5; zeros when unknown */
	bool has_client;
	struct slice key_text; /* as submitted; absent: none */
	struct api_key key;    /* of the request; id 0: none */
	uint64_t account_id;   /* of the key; 0: none */
	bool key_is_known;     /* this host has verified it before */
	enum body_key body_key;
	struct digest known_key;        /* BODY_HAS_KNOWN_KEY: the hash of that key */
	bool counted;                   /* by a limit */
	bool checking_limits;           /* the limits are checked without counting */
	struct slice social_id;         /* KEY_TOKEN: the lead that the token is for */
	struct slice lead_email;        /* KEY_TOKEN: its email address (a key) while the token is valid; absent: none */
	struct slice reader_language;   /* of the lead that has proven to be the caller, for its page; absent: unknown */
	struct inbound_webhook inbound; /* KEY_INBOUND: the webhook whose URL was called */
	struct slice sender;            /* KEY_INBOUND: the address of the call, which is not the lead's; absent: unknown */
	struct campaign campaign;       /* on routes that have one */
	int64_t now_ms;                 /* the database's time, with the campaign */
	int64_t begun_ms;
	int64_t deadline_ms;  /* of the backend's work for this call */
	enum call_wait wait;  /* the last wait */
	enum failure failure; /* the last one, and its message */
	struct slice failure_message;
	bool unavailable;      /* has failed with 503 */
	bool hides_failure;    /* the database failed, and the answer must not show it */
	struct slice callback; /* JSONP: the function that is called with the answer; absent: no JSONP */
	bool callback_is_bad;  /* a callback was given, and is invalid */
	bool has_page_headers; /* call_page_headers was called */
	unsigned wait_s;       /* of the refusal by a limit */
};

/* The answers (answer.c). A handler calls call_answer, call_begin or one of api/pages.h once, or fails. A later failure
 * replaces an earlier answer or failure, except headers. Failures return false. */
bool call_fail(struct call *call, enum failure failure);
/* The same with an addition to the message, or another message, as engine/failure.h says. */
bool call_fail_with(struct call *call, enum failure failure, struct slice detail);
/* invalid_parameter: the name, then "must be one text". */
bool call_fail_parameter(struct call *call, struct slice name, const char *requirement);
/* Inflates a body that is compressed with gzip to at most `limit` bytes. Fails the call for any other encoding, and for an
 * incomplete body. Inbound calls are stored inflated, because a replay has no headers. */
bool call_read_encoding(struct call *call, size_t limit);
/* The failure that a result of the store means for the client. */
enum failure call_failure(enum result result);
/* Answers with JSON. */
void call_answer(struct call *call, struct slice json);
/* Starts an answer, to be written with the returned writer. */
struct json_writer call_begin(struct call *call);

/* Reads the JSONP callback, before anything can fail. */
void call_read_callback(struct call *call);
/* Returns false when the callback is invalid: the call has then failed. */
MUST_CHECK bool call_check_callback(struct call *call);
/* Wraps the answer in the callback, for JSONP. */
void call_finish(struct call *call);
/* Whether a browser sent a form without a script: it is answered for people (forms.c). */
MUST_CHECK bool call_is_form(const struct call *call);
/* Answers with a redirection (303). False: it is no http or https URL, and nothing is done. */
MUST_CHECK bool call_redirect(struct call *call, struct slice url);
/* A text member of a payload; absent: there is none. In the pool. */
struct slice call_payload_text(struct pool *pool, struct slice payload, struct slice name);
/* Turns the answer to such a form into a redirection or a page. Does nothing for other calls. */
void call_finish_form(struct call *call);
/* Whether a browser sent the request from a page on the host of `server.base_url`, as hosted pages are. */
MUST_CHECK bool call_is_from_hosted_page(const struct call *call);
/* Whether a browser sent the request from a page whose host is not one of the campaign's (docs/api.md 4.1.11). */
MUST_CHECK bool call_is_from_foreign_page(const struct call *call);

/* Answers with a page about the failure of the call (pages.c; api/pages.h has the other pages). */
void call_fail_page(struct call *call);

/* The authentication that a route needs. KEY_TOKEN: the signature of an opt-out link. KEY_PASSWORD: a key as `password`.
 * KEY_INBOUND: the secret in the URL of an inbound webhook, which stands for its account. KEY_PAGE: none, and the limits of the
 * address. KEY_METRICS: as the settings of metrics say. KEY_PROBE: the token in its path, without which the path is unknown.
 * KEY_EXTENSION: a key in Authorization, or what the extension reads. */
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
	KEY_EXTENSION
};

enum {
	ROUTE_BULK = 1 << 0,        /* may have many leads: repeated names make arrays, and the body may be larger */
	ROUTE_UNTIL_END = 1 << 1,   /* 423 once the campaign has ended (docs/api.md 6) */
	ROUTE_SUBSCRIBE = 1 << 2,   /* a social id is that of the referrer, never of the lead to update */
	ROUTE_JSONP = 1 << 3,       /* can be requested as a script */
	ROUTE_PAGE = 1 << 4,        /* always answers HTML; its handler reads the body */
	ROUTE_COUNTERS = 1 << 5,    /* shows counters: the campaign must not come from a cache */
	ROUTE_READINESS = 1 << 6,   /* has its own limit */
	ROUTE_URL = 1 << 7,         /* leads have `url` (docs/api.md 4.5) */
	ROUTE_FIELDS = 1 << 8,      /* parameters without a meaning are custom fields (docs/api.md 4.4) */
	ROUTE_HOSTED = 1 << 9,      /* a hosted page: answers people, 404 unless the campaign has pages */
	ROUTE_MAILED = 1 << 10,     /* a page of sign-ups and mails: answers people, whether the campaign has pages or not */
	ROUTE_REQUESTS = 1 << 11,   /* its form requests a message to any address: only on own pages (hosts_only, 4.1.11) */
	ROUTE_FRAMED = 1 << 12,     /* a page that other pages may show in a frame: those that may have the campaign's forms */
	ROUTE_ALL_RIGHTS = 1 << 13, /* a key has all of its rights */
	ROUTE_ADMITS = 1 << 14,     /* what it makes lets others in: not with a key that expires */
	ROUTE_EXPIRES = 1 << 15     /* a link of a mail that works for seven days */
};

typedef void call_handler(struct call *call);

struct route {
	enum http_method method;
	const char *path; /* segments; "{campaign}" and "{page}" a campaign id, another "{…}" anything */
	enum route_key key;
	enum { NO_CAMPAIGN, CAMPAIGN_IN_PATH, CAMPAIGN_IN_PARAMETERS } campaign; /* in the path it is the second segment */
	rights rights; /* a key that is sent has one of them, or all with ROUTE_ALL_RIGHTS; RIGHTS_NONE: keys are not read */
	unsigned flags;
	call_handler *handle;
};

/* All routes. */
const struct route *api_routes(size_t *count);
/* What counts the answers of a route; NULL: of unknown paths. */
size_t api_route_metric(const struct route *route);
/* Finds the route of a request. FAILURE_METHOD_NOT_ALLOWED: *route is that of another method, and *allow has the methods of
 * the path. Any other failure: *route is NULL. */
enum failure api_route(const struct http_request *request, const struct route **route, struct slice *allow);

call_handler handle_health, handle_ready, handle_embed_script, handle_older_script, handle_icon, handle_landing_page,
    handle_form, handle_campaigns, handle_stats, handle_signup, handle_lookup, handle_list_leads, handle_leaderboard,
    handle_list_actions, handle_list_tags, handle_complete_action, handle_action, handle_points, handle_tag_lead,
    handle_bulk_change, handle_bulk_delete, handle_bulk_tags, handle_tag_referrers, handle_tag_referrers_of_path,
    handle_opt_out_link, handle_opt_out, handle_put_webhook, handle_remove_webhook, handle_list_webhooks, handle_lead_of_path,
    handle_landing_pages, handle_authenticate, handle_put_inbound, handle_list_inbound, handle_remove_inbound, handle_inbound,
    handle_inbound_check, handle_challenge, handle_verify_phone_number, handle_signup_page, handle_signup_form,
    handle_status_page, handle_status_button, handle_code_page, handle_code, handle_sent_page, handle_sent_button,
    handle_thanks_page, handle_confirm_page, handle_confirm, handle_erase_form, handle_erase_request, handle_erase_page,
    handle_erase, handle_page_style, handle_page_script, handle_campaign_style, handle_metrics, handle_echo, handle_openapi,
    handle_extension, handle_dashboard, handle_dashboard_file;

/* Checks the authentication that the route needs, and the limits before it (access.c). False: the call has failed. */
MUST_CHECK bool call_authenticate(struct call *call);
/* Whether the key or the campaign may be in the body. */
MUST_CHECK bool call_body_may_identify(struct call *call);
/* If so, checks the other limits before the body is parsed. False: the call has failed. */
MUST_CHECK bool call_may_read_body(struct call *call);
/* Whether the key is the same with and without the body. */
MUST_CHECK bool call_has_same_key(struct call *call);
/* Counts a call whose parameters cannot be read, if it has not counted yet. False: the call has failed. */
MUST_CHECK bool call_count_unread(struct call *call);
/* Called at the end: when a large body was parsed for its key, and there was no valid one, counts a wrong key, and drops the
 * one that was known. */
void call_note_unproven(struct call *call);
/* Whether leads of the campaign verify their phone number by a code. */
MUST_CHECK bool call_sends_codes(const struct call *call);
/* Whether leads of the campaign confirm their email address, by the link or the code of a mail. */
MUST_CHECK bool call_mails_codes(const struct call *call);
/* Counts a call without a key that requests a code by text. False: its address has requested enough. */
MUST_CHECK bool call_pass_code(struct call *call);
/* The lead with this social id, if the token makes the caller its owner (docs/api.md 4.1.11): *own names it while the token is
 * valid, and has no value where it is not. False: the call has failed. */
MUST_CHECK bool call_find_owner(struct call *call, struct slice social_id, struct slice token, struct lead_reference *own);
/* Fails, because the caller has no key, or one without the right that it needs here. */
bool call_fail_stranger(struct call *call);
/* Whether the caller may see a lead that it names in this way. False: the call has failed. */
MUST_CHECK bool call_may_see(struct call *call, enum lead_identity identity, bool owns);
/* The route of an extension with the method of the request; NULL: it has no such method, or the path is not below it. */
const struct route *api_extension_route(const struct api *api, const struct http_request *request);
/* Whether the path is below that of the extension. */
MUST_CHECK bool api_is_extension(const struct api *api, const struct http_request *request);
/* Answers with the failure as a problem (extension.c). */
void call_fail_problem(struct call *call, const struct failure_text *text, struct slice message);
/* What the caller may do in the account: the rights of its key, or of the URL of an inbound webhook. RIGHTS_NONE: it has
 * neither. */
rights call_rights(const struct call *call);
MUST_CHECK bool call_has_right(const struct call *call, enum right right);
/* KEY_TOKEN (handlers/opt_out.c). False: the call has failed. */
MUST_CHECK bool call_check_token(struct call *call);
/* KEY_METRICS (handlers/metrics.c), with the limits of the address. False: the call has failed. */
MUST_CHECK bool call_check_metrics(struct call *call);
/* KEY_PROBE (handlers/echo.c): FAILURE_NOT_FOUND where the token is not valid. */
MUST_CHECK enum failure call_check_probe(struct call *call);
/* KEY_INBOUND (handlers/inbound.c), with its limit. False: the call has failed. */
MUST_CHECK bool call_check_inbound(struct call *call);
/* Why the campaign's settings or its state refuse the call; FAILURE_NONE: they do not (api.c). */
enum failure call_refusal(const struct call *call);
/* The campaign id of the path, or of the first parameter for it; 0 when there is no valid one (api.c). */
MUST_CHECK bool call_campaign_id(struct call *call, uint64_t *id);

/* docs/api.md 5 (limits.c). False: the call has failed. */
/* Applies the limits of the address to a request without a key. */
MUST_CHECK bool call_pass_address(struct call *call);
/* Counts a call that is answered with a form once more as a look-up, because the page costs more than the refusal. False: its
 * address has made enough of them; the call is unchanged. */
MUST_CHECK bool call_pass_form(struct call *call);
/* Applies the limits of the account to a request with a key. */
MUST_CHECK bool call_pass_account(struct call *call);
/* Applies the limit of an inbound webhook's URL. */
MUST_CHECK bool call_pass_inbound(struct call *call);
/* Stores what was refused, a few times a minute at most. */
void api_store_refused(struct api *api);
/* Without a key: whether the campaign may have one more new lead now. False: *verdict says when. */
MUST_CHECK bool call_may_add_lead(struct call *call, struct limit_verdict *verdict);
void call_count_new_lead(struct call *call);
void call_refuse_new_lead(struct call *call, const struct limit_verdict *verdict);
/* Whether the address may send one more wrong key, or call one more unknown URL of an inbound webhook. */
MUST_CHECK bool call_may_fail_key(struct call *call);
/* Whether this host has verified the key before. */
MUST_CHECK bool call_key_is_known(struct call *call, struct slice hash);
/* Whether a key may be looked up: always if this host has verified it before. */
MUST_CHECK bool call_may_try_key(struct call *call, struct slice hash);
/* The result of the look-up. A bad key is counted, and the call has failed. */
void call_key_is_good(struct call *call, struct slice hash);
void call_key_is_bad(struct call *call, struct slice hash);
/* Removes the key from those that this host has seen to be valid. */
void call_drop_key(struct call *call, struct slice hash);
/* Counts a failed key without refusing the call. */
void call_note_failed_key(struct call *call);

/* The answer of a leaderboard with `me` of this lead, without a key and the lead's token (handlers/leaderboard.c). False: the call
 * has failed. */
MUST_CHECK bool call_find_leaders(struct call *call, size_t limit, struct slice social_id, struct slice *json);

/* Answers with a lead, or fails (handlers/leads.c). */
void call_show_lead(struct call *call, struct lead_reference lead, struct payload_view view);

/* The campaigns of the key's account, by id, and the time (handlers/campaigns.c). False: the call has failed. */
MUST_CHECK bool call_list_campaigns(struct call *call, struct campaign **campaigns, size_t *count);

/* Prevents workers from waiting for the database in turn (call.c). Called before each kind of wait. False: the call has
 * failed. */
MUST_CHECK bool call_may_wait(struct call *call, enum call_wait wait);
/* The same question, without a failure: true when call_may_wait would fail. */
MUST_CHECK bool call_would_wait(struct call *call, enum call_wait wait);
/* Called at the end of the call. */
void call_note_wait(struct call *call);

/* The part of a header that is valid text; absent: there is none. */
struct slice call_header_text(struct call *call, struct slice header);

/* Runs a command of the caller on the campaign of the call. The call fails with the failure of the outcome; with
 * FAILURE_UNAVAILABLE the command may have been run. */
struct outcome call_execute(struct call *call, const struct command *command);

#endif
