/* SPDX-License-Identifier: MIT
 * One request and its answer; private to this folder. Functions that return false have answered it with a problem. */
#pragma once

#include "manage/manage.h"
#include "operation/operation.h"
#include "store/operator/owners.h"
#include "store/precondition.h"

struct manage {
	struct manage_options options;
};

enum { PATH_PARAMETERS_MAX = 4 };

struct path_parameter {
	struct slice name; /* without braces */
	struct slice text;
};

struct manage_request {
	struct manage *manage;
	const struct http_request *http;
	struct http_response *response;
	const struct operation *operation;
	struct path_parameter path[PATH_PARAMETERS_MAX];
	size_t path_count;
	struct call *from;
	struct caller caller;
	/* of a user; the token is absent if the caller is a key */
	struct slice token;
	struct session session;
	bool may_be_suspended;     /* set before request_identify: users of suspended accounts may make the call */
	bool has_version;          /* the answer depends on the version of the settings … */
	uint64_t version;          /* … read before the answer */
	uint64_t expected_version; /* of If-Match */
	struct operation_call call;
};

/* Answer with a problem. Always false. */
bool request_fail(struct manage_request *request, enum operation_problem problem, struct slice pointer, const char *format, ...)
    PRINTF_LIKE(4, 5);
bool request_fail_status(struct manage_request *request, unsigned status, const char *error, struct slice detail);
/* 429, with the time until the next try. */
bool request_fail_wait(struct manage_request *request, int64_t wait_ms, const char *error, struct slice detail);
/* 405; `allowed`: METHOD_BIT of each method that the path has. */
bool request_fail_method(struct manage_request *request, unsigned allowed);
#define METHOD_BIT(method) (1U << (unsigned)(method))
/* Answers with the output of the operation, or with its error. */
void request_answer(struct manage_request *request, int status);
void request_add_header(struct manage_request *request, const char *name, struct slice value);
