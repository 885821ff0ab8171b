/* SPDX-License-Identifier: MIT
 * The api with the fake store, called as leadhook-fcgi calls it: CGI variables and a body in, an answer out. */
#pragma once

#include "api/api.h"

struct fake_service {
	struct pool *pool; /* of all allocations */
	struct store *store, *reader;
	struct address_rules webhook_addresses;
	struct network_list trusted_proxies; /* loopback */
	struct api_options options;
	struct api_common common;
	struct api_backend backend;
	struct api *api;
	size_t answer_bytes; /* maximum of an answer's body */
};

struct fake_variable {
	struct slice name, value;
};

enum { FAKE_VARIABLES_MAX = 32 };
/* The CGI variables of a request. The caller owns the strings. */
struct fake_environment {
	struct fake_variable variables[FAKE_VARIABLES_MAX];
	size_t count;
	struct slice body;
};

/* Adds a variable; those beyond the maximum are dropped. */
void fake_set(struct fake_environment *environment, struct slice name, struct slice value);

/* Opens a service in its initial state. */
void fake_service_open(struct fake_service *service);
void fake_service_close(struct fake_service *service);

/* Calls the service. The caller frees *response with http_response_free. */
void fake_service_call(struct fake_service *service, struct fake_environment *environment, struct http_request *request,
    struct http_response *response);

/* Set by tests: store_same_installation then fails. */
extern bool fake_other_installation;
