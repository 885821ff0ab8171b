/* SPDX-License-Identifier: MIT
 * The HTTP interface: from a request to its response (docs/api.md). It does not depend on FastCGI. */
#pragma once

#include "api/call/service.h"
#include "http/request.h"
#include "http/response.h"

/* The maximum size of the request's body; called before the body is read. */
size_t api_body_limit(const struct api *api, const struct http_request *request);
/* Answers a request. If its path is not valid, it has no segments (http_request_init). */
void api_handle(struct api *api, struct http_request *request, struct http_response *response);
/* Does the work that can wait until the answer is sent: records the use of a key. */
void api_afterwards(struct api *api);
