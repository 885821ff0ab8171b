/* SPDX-License-Identifier: MIT
 * One call of the API: what is known about it, what its caller may do, and how it uses the database. Functions that return
 * false have failed the call, unless their comment says otherwise. */
#pragma once

#include "api/call/routes.h"
#include "api/call/service.h"
#include "crypto/digest.h"
#include "engine/failure.h"
#include "engine/model.h"
#include "http/response.h"
#include "os/log.h"
#include "store/find.h"
#include "store/hooks/inbound.h"

/* What a search of the unparsed body for a key found. */
enum body_key { BODY_HAS_NO_KEY, BODY_MAY_HAVE_KEY, BODY_HAS_KNOWN_KEY };

struct call {
	struct api *api;
	const struct route *route; /* NULL: the path is unknown */
	struct http_request *request;
	struct http_response *response;
	struct http_params *params;
	struct ip_address client; /* according to docs/api.md 5; zeros if unknown */
	bool has_client;
	struct slice key_text; /* as submitted; absent: none */
	struct api_key key;    /* the request's key; id 0: none */
	uint64_t account_id;   /* of the key; 0: none */
	bool key_is_known;     /* this host has verified it before */
	enum body_key body_key;
	struct digest known_key;        /* BODY_HAS_KNOWN_KEY: the hash of that key */
	bool counted;                   /* a limit has counted the call */
	bool checking_limits;           /* the limits are checked without counting */
	struct slice social_id;         /* KEY_TOKEN: the lead that the token is for */
	struct slice lead_email;        /* KEY_TOKEN: the lead's email address (as a key) while the token is valid */
	struct slice reader_language;   /* of the lead that the caller has proven to be, for its page; absent: unknown */
	struct inbound_webhook inbound; /* KEY_INBOUND: the webhook whose URL was called */
	struct slice sender;            /* KEY_INBOUND: the caller's address, which is not the lead's; absent: unknown */
	struct campaign campaign;       /* on routes that have one */
	int64_t now_ms;                 /* the database's time when the campaign was read */
	int64_t begun_ms;
	int64_t deadline_ms;  /* deadline of the backend's work for this call */
	enum call_wait wait;  /* the last wait */
	enum failure failure; /* the last failure, and its message */
	struct slice failure_message;
	bool unavailable;      /* has failed with 503 */
	bool hides_failure;    /* the database failed, and the answer must not show it */
	struct slice callback; /* JSONP: the function to call with the answer; absent: no JSONP */
	bool callback_is_bad;  /* a callback was given, but is invalid */
	bool has_page_headers; /* call_page_headers was called */
	unsigned wait_s;       /* seconds until the limit that refused the call lets a call pass */
};

typedef void call_handler(struct call *call);

/* Keeps workers from waiting for the database one after another. Call it before each kind of wait. */
MUST_CHECK bool call_may_wait(struct call *call, enum call_wait wait);
/* Returns true if call_may_wait would fail, but does not fail the call. */
MUST_CHECK bool call_would_wait(struct call *call, enum call_wait wait);
/* Called at the end of the call. */
void call_note_wait(struct call *call);

/* Whether src/manage answers the request: its path is below /manage, and this service has the management API. */
MUST_CHECK bool api_is_management(const struct api *api, const struct http_request *request);

/* The address of the client; NULL: unknown. */
const struct ip_address *call_client(const struct call *call);

/* The part of a header that is valid text, or absent. */
struct slice call_header_text(struct call *call, struct slice header);

/* What the caller may do in the account: the rights of its key, or of the URL of an inbound webhook. RIGHTS_NONE: it has
 * neither. */
rights call_rights(const struct call *call);
MUST_CHECK bool call_has_right(const struct call *call, enum right right);
/* Fails the call, because the caller has no key, or its key lacks the right that is needed here. */
bool call_fail_stranger(struct call *call);
/* Whether the caller may see a lead that it refers to in this way. */
MUST_CHECK bool call_may_see(struct call *call, const struct lead_reference *lead);

/* The campaign id of the path, or of the first parameter for it; 0 when there is no valid one. */
MUST_CHECK bool call_campaign_id(struct call *call, uint64_t *id);
/* The failure with which the campaign's settings or its state refuse the call, or FAILURE_NONE. */
enum failure call_refusal(const struct call *call);

MUST_CHECK bool call_read_settings(struct call *call, const struct payload_settings **settings);
/* A lead of the call's campaign. RESULT_NOT_FOUND: *lead is zeros. */
MUST_CHECK enum result call_find_lead(struct call *call, const struct lead_reference *reference, struct lead *lead);
/* Like call_find_lead, for answers that must not show whether the lead exists: *lead is zeros if it does not exist. */
MUST_CHECK bool call_find_lead_or_none(struct call *call, const struct lead_reference *reference, struct lead *lead);
/* The lead with this social id, if the token makes the caller its owner (docs/api.md 4.1.11): *own refers to it if the token is
 * valid, and is otherwise empty. */
MUST_CHECK bool call_find_owner(struct call *call, struct slice social_id, struct slice token, struct lead_reference *own);

/* Runs a command of the caller on the campaign of the call. The call fails with the failure of the outcome; with
 * FAILURE_UNAVAILABLE the command may have been run. */
struct outcome call_execute(struct call *call, const struct command *command);
