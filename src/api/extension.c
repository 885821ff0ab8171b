/* SPDX-License-Identifier: MIT
 * Routes of an extension (api.h), and its failures. */
#include "api/call.h"

#include "os/metrics.h"

/* One for each method; paths below its segment are the extension's. */
static const struct route routes[] = {
	{ HTTP_GET, NULL, KEY_EXTENSION, NO_CAMPAIGN, RIGHTS_ALL, 0, handle_extension },
	{ HTTP_POST, NULL, KEY_EXTENSION, NO_CAMPAIGN, RIGHTS_ALL, 0, handle_extension },
	{ HTTP_PATCH, NULL, KEY_EXTENSION, NO_CAMPAIGN, RIGHTS_ALL, 0, handle_extension },
	{ HTTP_DELETE, NULL, KEY_EXTENSION, NO_CAMPAIGN, RIGHTS_ALL, 0, handle_extension },
};

bool
api_is_extension(const struct api *api, const struct http_request *request)
{
	return api->extension != NULL && request->segment_count > 0 &&
	       slice_equal(request->segments[0], api->extension->segment);
}

const struct route *
api_extension_route(const struct api *api, const struct http_request *request)
{
	const enum http_method method = request->method == HTTP_HEAD ? HTTP_GET : request->method;
	for (size_t i = 0; api_is_extension(api, request) && i < ARRAY_SIZE(routes); i++)
		if (routes[i].method == method)
			return &routes[i];
	return NULL;
}

void
handle_extension(struct call *call)
{
	const struct api_extension *extension = call->api->extension;
	const struct api_caller caller = {
		.key = call->key.id == 0 ? NULL : &call->key, .address = call->has_client ? &call->client : NULL, .call = call
	};
	if (call_may_wait(call, WAIT_READ))
		extension->handle(extension->context, &caller, call->request, call->response);
}

bool
api_caller_pass_address(const struct api_caller *caller)
{
	return call_pass_address(caller->call);
}

bool
api_caller_pass_account(const struct api_caller *caller, uint64_t account_id, int64_t per_minute)
{
	caller->call->account_id = account_id;
	caller->call->key.account_per_minute = per_minute;
	return call_pass_account(caller->call);
}

bool
api_caller_may_guess(const struct api_caller *caller)
{
	return call_may_fail_key(caller->call);
}

void
api_caller_note_guess(const struct api_caller *caller)
{
	call_note_failed_key(caller->call);
}

/* 401 and 403 where clients of /v2 expect 409 (docs/manage.md 1.2). */
static unsigned
status_of(const struct failure_text *text, enum failure failure)
{
	if (failure == FAILURE_MISSING_API_KEY || failure == FAILURE_INVALID_API_KEY)
		return 401;
	return failure == FAILURE_ACCOUNT_SUSPENDED ? 403 : (unsigned)text->status;
}

void
call_fail_problem(struct call *call, const struct failure_text *text, struct slice message)
{
	const unsigned status = status_of(text, call->failure);
	if (status == 401 && !http_response_header(call->response, "WWW-Authenticate", SLICE("Bearer")))
		log_error("header_refused", LOG_STR("name", "WWW-Authenticate"));
	const struct http_problem_details problem = {
		.status = status, .title = http_status_text(status), .error = text->code, .detail = message
	};
	http_response_problem(call->response, call->request->request_id, &problem);
}
