/* SPDX-License-Identifier: MIT
 * The api over the fake store, asked as leadhook-fcgi asks it: CGI variables and a body go in, an answer comes out. */
#ifndef LEADHOOK_TESTS_API_FAKE_SERVICE_H
#define LEADHOOK_TESTS_API_FAKE_SERVICE_H

#include "api/api.h"

struct fake_service {
	struct pool *pool; /* of all that there is */
	struct store *store;
	struct address_rules webhook_addresses;
	struct network_list trusted_proxies; /* loopback */
	struct api_options options;
	struct api_backend backend;
	struct api *api;
};

struct fake_variable {
	struct slice name, value;
};

enum { FAKE_VARIABLES_MAX = 32 };
/* What a web server hands over; the strings are the caller's. */
struct fake_environment {
	struct fake_variable variables[FAKE_VARIABLES_MAX];
	size_t count;
	struct slice body;
};

/* Adds a variable; those beyond the maximum are lost. */
void fake_set(struct fake_environment *environment, struct slice name, struct slice value);

/* A world as it is at first. */
void fake_service_open(struct fake_service *service);
void fake_service_close(struct fake_service *service);

/* *response is to be freed by http_response_free. */
void fake_service_call(struct fake_service *service, struct fake_environment *environment, struct http_request *request,
    struct http_response *response);

#endif
