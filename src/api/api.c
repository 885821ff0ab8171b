/* SPDX-License-Identifier: MIT
 * Routes requests to their handlers, with the checks in the order of docs/api.md 1.5. */
#include "api/api.h"

#include "api/call/authentication.h"
#include "api/call/call_answers.h"
#include "api/call/call_body.h"
#include "api/call/fetch.h"
#include "api/call/forms.h"
#include "api/call/limits.h"
#include "api/call/param_names.h"
#include "api/call/route_list.h"
#include "api/handlers/bulk_calls.h"
#include "api/handlers/campaign_calls.h"
#include "api/handlers/code_calls.h"
#include "api/handlers/health_calls.h"
#include "api/handlers/lead_calls.h"
#include "api/handlers/leaderboard.h"
#include "api/handlers/mail_links.h"
#include "api/handlers/payload_calls.h"
#include "api/handlers/signup_page.h"
#include "api/handlers/static_files.h"
#include "api/handlers/status_page.h"
#include "api/handlers/webhook_calls.h"
#include "identity/network.h"
#include "identity/signed_token.h"
#include "manage/manage.h"
#include "os/clock.h"
#include "os/metrics.h"

void
api_afterwards(struct api *api)
{
	const struct api_backend *backend = api->backend;
	api_store_refused(api);
	if (api->used_key.id != 0 && backend->touch_key != NULL &&
	    backend->touch_key(backend->context, &api->used_key) != RESULT_OK)
		return; /* logged by the database layer; the next request tries again */
	api->used_key.id = 0;
}

static size_t
body_limit_of(const struct api_options *options, const struct route *route)
{
	if (route->key == KEY_PASSWORD || route->key == KEY_PAGE) /* the body is read without a key */
		return options->public_body_bytes;
	return (route->flags & ROUTE_BULK) != 0 ? options->bulk_body_bytes : options->body_bytes;
}

size_t
api_body_limit(const struct api *api, const struct http_request *request)
{
	const struct route *route;
	struct slice allow;
	if (api_is_management(api, request))
		return MANAGE_BODY_MAX_BYTES;
	return route_find(request, &route, &allow) == FAILURE_NONE ? body_limit_of(api->options, route)
								   : api->options->body_bytes;
}

/* Routes without a key ignore the body, and opt-out links read it themselves, so an invalid body is not an error for them. The
 * body of an inbound webhook contains no parameters. */
static bool
reads_body(const struct call *call)
{
	const enum route_key key = call->route->key;
	return key != KEY_NONE && key != KEY_PROBE && key != KEY_INBOUND && key != KEY_METRICS && key != KEY_MANAGE &&
	       (key != KEY_PAGE || call->request->method == HTTP_POST) && (call->route->flags & ROUTE_PAGE) == 0;
}

static void
parse_query(struct call *call)
{
	const struct http_names names = param_names(call->route);
	call->params = http_params_parse_query(call->request, &call->api->options->caps, &names);
}

/* Adds the parameters of the body. Returns false if they or the query are invalid: then the call has failed, and its parameters
 * are unchanged. */
static bool
parse_body(struct call *call)
{
	const struct api_options *options = call->api->options;
	struct http_problem problem;
	/* a key inside a compressed body is known only after the body is inflated */
	const bool is_read =
	    call_read_encoding(call, call->key.id != 0 ? body_limit_of(options, call->route) : options->public_body_bytes);
	if (is_read && http_params_parse_body(call->params, call->request, &call->params, &problem))
		return true;
	if (!call_count_unread(call) || !is_read)
		return false;
	if (problem.kind == HTTP_TOO_MANY_ITEMS && (call->route->flags & ROUTE_BULK) != 0)
		return call_fail(call, FAILURE_TOO_MANY_ITEMS);
	return call_fail_body(call, &problem);
}

static bool
fails(struct call *call, enum failure failure)
{
	if (failure != FAILURE_NONE)
		call_fail(call, failure);
	return failure != FAILURE_NONE;
}

static bool
find_campaign(struct call *call)
{
	uint64_t id;
	if (call->route->campaign == NO_CAMPAIGN)
		return true;
	if (!call_campaign_id(call, &id)) {
		(void)!call_pass_account(call); /* the failure counts */
		return false;
	}
	if (!call_may_wait(call, WAIT_READ))
		return false;
	enum result result = id == 0 ? RESULT_NOT_FOUND : fetch_campaign(call, id);
	if (result == RESULT_OK && !api_key_covers(&call->key, id))
		result = RESULT_NOT_FOUND;
	enum failure failure = result == RESULT_OK          ? campaign_refuses(&call->campaign, call->account_id)
			       : result == RESULT_NOT_FOUND ? FAILURE_CAMPAIGN_NOT_FOUND
							    : call_failure(result);
	if (failure == FAILURE_CAMPAIGN_NOT_FOUND && !call_pass_account(call)) /* guesses of ids count */
		return false;
	return !fails(call, failure);
}

/* The campaign's state is checked after the account's limit. */
static bool
check_campaign(struct call *call)
{
	return call->route->campaign == NO_CAMPAIGN || !fails(call, call_refusal(call));
}

static bool
check_rights(struct call *call)
{
	const struct api_key *key = &call->key;
	const struct route *route = call->route;
	const bool expires = key->expires_ms >= 0;
	return key->id == 0 ||
	       (rights_suffice(key->rights, route->rights, (route->flags & ROUTE_ALL_RIGHTS) != 0) &&
		   !(expires && (route->flags & ROUTE_ADMITS) != 0)) ||
	       call_fail(call, FAILURE_MISSING_RIGHT);
}

/* Finds the caller and the campaign. */
static bool
identify(struct call *call)
{
	return call_authenticate(call) && find_campaign(call) && call_pass_account(call) && check_rights(call) &&
	       check_campaign(call);
}

/* The limits are checked before the body is parsed, which costs more than a refusal. Limits that need parameters of the body
 * are checked after it (docs/api.md 1.5). */
static bool
identify_and_read(struct call *call)
{
	if (!reads_body(call))
		return identify(call);
	call_look_for_key(call);
	if (call_body_may_identify(call))
		return call_may_read_body(call) && parse_body(call) && identify(call);
	return identify(call) && parse_body(call) && (call_confirm_key(call) || identify(call));
}

/* leadhook.conf(5): a trusted proxy sends one X-Forwarded-For, so another value is the client's own. */
static bool
check_address(struct call *call)
{
	const bool forged = call->request->forwarded_for_is_ambiguous && call->has_client &&
			    network_list_contains(call->api->options->trusted_proxies, &call->client);
	if (forged)
		call_fail_with(call, FAILURE_BAD_REQUEST, SLICE("X-Forwarded-For has more than one value"));
	return !forged;
}

static bool
is_off(const struct call *call)
{
	const struct api_options *options = call->api->options;
	const enum route_key key = call->route->key;
	return (key == KEY_PASSWORD && !options->authenticates) ||
	       (key == KEY_METRICS && !options->metrics.loopback && options->metrics.token.size == 0);
}

enum { TOKEN_SEGMENT = 2 };

/* Callers without a genuine token get the same answer no matter what fails. The limits of their address do not apply, because
 * no limit applies to unknown paths. Therefore the secret is read only once per process, and not while the database is slow. */
static enum failure
check_probe(struct call *call)
{
	const struct slice token = call->request->segments[TOKEN_SEGMENT];
	const struct payload_settings *settings;
	if (!probe_token_is_current(token, clock_wall_ms()))
		return FAILURE_NOT_FOUND;
	if (call_would_wait(call, WAIT_READ))
		return FAILURE_NOT_FOUND;
	if (store_payload_settings(call->api->store, &settings) != RESULT_OK) {
		call->hides_failure = true;
		return FAILURE_NOT_FOUND;
	}
	return probe_token_is_genuine(token, settings->server_secret) ? FAILURE_NONE : FAILURE_NOT_FOUND;
}

/* Paths that exist only in some installations, or for some callers. */
static enum failure
check_hidden(struct call *call)
{
	if (call->route == NULL)
		return FAILURE_NONE;
	if (is_off(call))
		return FAILURE_NOT_FOUND;
	return call->route->key == KEY_PROBE ? check_probe(call) : FAILURE_NONE;
}

static enum failure
find_route(struct call *call, struct slice *allow)
{
	return api_is_management(call->api, call->request) ? route_find_management(call->request, &call->route, allow)
							   : route_find(call->request, &call->route, allow);
}

/* Checks path, method and the size of the body before anything is read. */
static enum failure
check_request(struct call *call)
{
	struct slice allow;
	enum failure failure = find_route(call, &allow);
	const enum failure hidden = check_hidden(call);
	if (hidden != FAILURE_NONE) {
		call->route = NULL; /* like an unknown path, with every method */
		return hidden;
	}
	if (failure == FAILURE_METHOD_NOT_ALLOWED && !http_response_header(call->response, "Allow", allow))
		return FAILURE_INTERNAL;
	if (failure != FAILURE_NONE)
		return failure;
	switch (call->request->body_state) {
	case HTTP_BODY_WHOLE:
		break;
	case HTTP_BODY_TOO_LARGE:
		return FAILURE_BODY_TOO_LARGE;
	case HTTP_BODY_SHORT:
		return FAILURE_BAD_REQUEST;
	}
	return FAILURE_NONE;
}

/* An answer that exceeds the maximum of the response is not sent: a failure replaces it, in the format of the route. */
static void
check_size(struct call *call)
{
	if (buffer_ok(&call->response->body))
		return;
	call_fail(call, FAILURE_ANSWER_TOO_LARGE);
	call_finish(call);
}

#define HANDLER(method, path, key, campaign, rights, flags, handler) handler,

static void
handle(struct call *call)
{
	static call_handler *const handlers[] = { ROUTE_LIST(HANDLER) };
	if (call->route->key != KEY_MANAGE)
		handlers[call->route - route_table](call);
	else if (call_may_wait(call, WAIT_READ))
		manage_handle(call->api->manage, call);
}

/* docs/api.md 1.5. */
static void
run(struct call *call)
{
	enum failure failure = check_request(call);
	if (call->route != NULL)
		parse_query(call);
	call_read_callback(call);
	if (!fails(call, failure) && check_address(call) && identify_and_read(call) && call_check_callback(call))
		handle(call);
	call_note_unproven(call);
	call_note_wait(call);
	call_finish(call);
	call_finish_form(call);
	check_size(call);
}

/* The metric that counts the answer. A request with a method that its path does not have is counted as if the path were
 * unknown. */
static size_t
metric_of(const struct call *call)
{
	const enum http_method method = call->request->method;
	if (method == HTTP_OPTIONS)
		return METRIC_ROUTE_PREFLIGHT;
	if (call->route != NULL && call->route->key == KEY_MANAGE)
		return METRIC_ROUTE_EXTENSION;
	const bool found = call->route != NULL && call->route->method == (method == HTTP_HEAD ? HTTP_GET : method);
	return route_metric(found ? call->route : NULL);
}

void
api_handle(struct api *api, struct http_request *request, struct http_response *response)
{
	struct call call = {
		.api = api,
		.request = request,
		.response = response,
		.begun_ms = clock_monotonic_ms(),
	};
	call.deadline_ms = call.begun_ms + api->options->backend_timeout_ms;
	call.has_client =
	    client_address(request->remote_addr, request->forwarded_for, api->options->trusted_proxies, &call.client);
	api->used_key.id = 0;
	store_set_deadline(api->store, call.deadline_ms);
	if (api->reader != NULL) /* it must leave time for `store` */
		store_set_deadline(api->reader, call.begun_ms + api->options->backend_timeout_ms / 2);
	response->head = request->method == HTTP_HEAD;
	response->same_origin = api_is_management(api, request);
	if (request->method == HTTP_OPTIONS && response->same_origin)
		response->status = 204; /* scripts of other origins are allowed nothing */
	else if (request->method == HTTP_OPTIONS)
		http_response_preflight(response, request->requested_headers);
	else
		run(&call);
	metrics_count_request(metric_of(&call), response->status);
}
