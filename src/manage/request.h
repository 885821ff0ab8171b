/* SPDX-License-Identifier: MIT
 * One request; private to this folder. Functions that return false have answered it with a problem. */
#pragma once

#include "manage/manage.h"
#include "operation/operation.h"
#include "store/operator/owners.h"
#include "store/precondition.h"

struct manage {
	struct manage_options options;
	struct store *store;
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
	/* of a user; absent token: the caller is a key */
	struct slice token;
	struct session session;
	bool may_be_suspended; /* set by the caller of request_identify: users of suspended accounts may do it */
	bool has_version;      /* the answer depends on the version of its settings … */
	uint64_t version;      /* … which was this before the answer was read */
	uint64_t expected_version; /* of If-Match */
	struct operation_call call;
};

/* Finds the caller: a key, or a user by the cookie of a session (identity.c). */
MUST_CHECK bool request_identify(struct manage_request *request);
/* The token of the cookie, or absent. */
struct slice request_token(const struct manage_request *request);
/* Whether a browser has sent the request from a page of the service itself. */
MUST_CHECK bool request_is_own_page(struct manage_request *request);
/* Absent: removes it. */
void request_set_cookie(struct manage_request *request, struct slice token);
/* Whether a user has given the password lately; keys need not. */
MUST_CHECK bool request_is_confirmed(struct manage_request *request);

/* Answers calls about the caller itself: login, session, password, second factor, links (sessions.c). Returns false for any
 * other path. */
MUST_CHECK bool request_answer_session(struct manage_request *request);

/* Whether the caller's account may make one more change; counts it (manage.c). */
MUST_CHECK bool request_may_change(struct manage_request *request);

/* Finds the operation of method and path (table.c). */
MUST_CHECK bool request_find_operation(struct manage_request *request);
#define METHOD_BIT(method) (1U << (unsigned)(method))
/* Answers 405; `allowed`: METHOD_BIT of each method that the path has. Returns false. */
bool request_fail_method(struct manage_request *request, unsigned allowed);

/* Whether the caller has a right that the operation needs (access.c). */
MUST_CHECK bool request_may_run(struct manage_request *request);
/* Whether it may know the object of that id; `name`: in a problem. */
MUST_CHECK bool request_sees(
    struct manage_request *request, struct slice name, enum owned_kind kind, struct slice id, struct owner *owner);

/* Parse the arguments of the operation from the path, and from query and body (arguments.c). They return false after answering,
 * or after a value was reported in the call, which is answered when the operation is run. */
MUST_CHECK bool request_read_path(struct manage_request *request);
MUST_CHECK bool request_read_members(struct manage_request *request);

/* Reads If-Match, and the version that the answer shows (versions.c). */
MUST_CHECK bool request_expect_version(struct manage_request *request);
/* Adds the ETag to an answer to GET; makes it 304 where the client has it. */
void request_add_version(struct manage_request *request);

/* Whether the request has an Idempotency-Key, and its hashes (repeats.c). */
MUST_CHECK bool request_key(const struct manage_request *request, struct request_key *key);
/* Whether a call with that key has made something before: the request is answered with its id, or with a problem. */
MUST_CHECK bool request_is_repeated(struct manage_request *request);

/* Answers (answer.c). Always false. */
bool request_fail(struct manage_request *request, enum operation_problem problem, struct slice pointer, const char *format, ...)
    PRINTF_LIKE(4, 5);
bool request_fail_status(struct manage_request *request, unsigned status, const char *error, struct slice detail);
/* 429, with the time until another try. */
bool request_fail_wait(struct manage_request *request, int64_t wait_ms, const char *error, struct slice detail);
/* With what the operation has reported. */
void request_answer(struct manage_request *request, int status);
void request_add_header(struct manage_request *request, const char *name, struct slice value);
