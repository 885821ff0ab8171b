/* SPDX-License-Identifier: MIT
 * Answers and failures of calls. A handler calls call_answer, call_begin or a function of page_answers.h once, or fails. A
 * later failure replaces an earlier answer or failure, except headers. */
#pragma once

#include "api/call/api_call.h"
#include "json/writer.h"

/* Fails the call. Failures return false. */
bool call_fail(struct call *call, enum failure failure);
/* Like call_fail, with an addition to the message or another message, as described in engine/failure.h. */
bool call_fail_with(struct call *call, enum failure failure, struct slice detail);
/* invalid_parameter: the name, then a requirement such as "must be one text". */
bool call_fail_parameter(struct call *call, struct slice name, const char *requirement);
/* The failure that a result of the store means for the client. */
enum failure call_failure(enum result result);
/* Fails for a result of the store; RESULT_NOT_FOUND becomes the failure `missing`. */
bool call_fail_result(struct call *call, enum result result, enum failure missing);
/* Whether the store succeeded; the call fails if it did not. */
MUST_CHECK bool call_check_result(struct call *call, enum result result);

/* Answers with JSON. */
void call_answer(struct call *call, struct slice json);
/* Starts an answer, which is then written with the returned writer. */
struct json_writer call_begin(struct call *call);
/* Adds a header. If the response refuses it, that is logged. */
void call_add_header(struct call *call, const char *name, struct slice value);

/* Reads the JSONP callback, before anything can fail. */
void call_read_callback(struct call *call);
/* Returns false if the callback is invalid: then the call has failed. */
MUST_CHECK bool call_check_callback(struct call *call);
/* Wraps the answer in the callback, for JSONP. */
void call_finish(struct call *call);
