/* SPDX-License-Identifier: MIT
 * One call on its way through this folder. Nobody else includes it. */
#ifndef LEADHOOK_API_CALL_H
#define LEADHOOK_API_CALL_H

#include "api/api.h"
#include "core/email.h"
#include "core/failure.h"
#include "core/model.h"
#include "json/writer.h"

struct api {
	const struct api_options *options;
	struct store *store;
	struct api_key used_key; /* of the last request; id 0: none */
};

struct call {
	struct api *api;
	const struct route *route;
	struct http_request *request;
	struct http_response *response;
	struct http_params *params;
	struct slice client_address; /* as contract.md 5 finds it */
	uint64_t account_id;         /* whose key came with the request; 0: none */
	struct campaign campaign;    /* on routes that have one */
	int64_t now_ms;              /* the database's time, with the campaign */
};

/* The answers. A handler calls exactly one of them. */
void call_fail(struct call *call, enum failure failure);
/* With a sentence of its own, or completed, where core/failure.h says so. */
void call_fail_with(struct call *call, enum failure failure, struct slice detail);
/* invalid_parameter: the name, then "must be one text". */
void call_fail_parameter(struct call *call, struct slice name, const char *rule);
/* A body that is JSON already. */
void call_answer(struct call *call, struct slice json);
/* Starts one to be written. */
struct json_writer call_begin(struct call *call);
/* What a failed call to the store is for the client. */
enum failure call_failure(enum result result);

/* The parameter as a text: strings, and numbers as they were written; empty and null are absent. False when it is a boolean
 * or an array: the call has then failed. */
MUST_CHECK bool call_text(struct call *call, const char *name, struct slice *text);
/* The same of a found parameter. */
MUST_CHECK bool call_param_text(struct call *call, const struct http_param *param, struct slice *text);
/* contract.md 1, Booleans; absent is false. False when it is none: the call has then failed. */
MUST_CHECK bool call_boolean(struct call *call, const char *name, bool *value);

/* What a route needs before its handler runs. */
enum route_key { KEY_NONE, KEY_OPTIONAL, KEY_REQUIRED };

struct route {
	enum http_method method;
	const char *path; /* segments; "{campaign}" a campaign id, "{word}" anything */
	enum route_key key;
	enum { NO_CAMPAIGN, CAMPAIGN_IN_PATH, CAMPAIGN_IN_PARAMETERS } campaign;
	void (*handle)(struct call *call);
};

/* The route of a request, or NULL: *failure then says why, *allow which methods the path knows. */
const struct route *api_route(const struct http_request *request, enum failure *failure, struct slice *allow);

/* The handlers. */
void handle_health(struct call *call);
void handle_ready(struct call *call);
void handle_campaigns(struct call *call);
void handle_signup(struct call *call);
void handle_lookup(struct call *call);
void handle_put_webhook(struct call *call);
void handle_remove_webhook(struct call *call);
void handle_list_webhooks(struct call *call);

/* From parameters to a command (contract.md 4.3, 4.4), and parts of that. False: the call has failed. */
MUST_CHECK bool call_parse_signup(struct call *call, struct command *command);
MUST_CHECK bool call_parse_email(struct call *call, struct email *email);
MUST_CHECK bool call_parse_phone(struct call *call, struct slice *e164);
MUST_CHECK bool call_merge_url(struct call *call);
MUST_CHECK bool call_parse_fields(struct call *call, struct signup *signup);
MUST_CHECK bool call_parse_view(struct call *call, struct payload_view *view);

#endif
