/* SPDX-License-Identifier: MIT
 * JSON (RFC 8259) as a stream of events, with limits. Nothing is stored: the handler copies what it needs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/slice.h"

enum json_type {
	JSON_NULL,
	JSON_BOOLEAN,
	JSON_NUMBER,
	JSON_STRING,
	JSON_KEY,
	JSON_OBJECT_BEGIN,
	JSON_OBJECT_END,
	JSON_ARRAY_BEGIN,
	JSON_ARRAY_END
};

struct json_event {
	enum json_type type;
	/* For a string or key: its bytes without escapes, valid UTF-8 (but see json_read_any_text), which may contain NUL. For
	 * a number: its text as written. Valid only during the call; never absent for these three types. */
	struct slice text;
	bool boolean; /* for JSON_BOOLEAN */
	size_t depth; /* number of containers around it; the begin and the end of a container have the same depth */
};

/* Returns false to stop: json_read then fails with JSON_PROBLEM_STOPPED. */
typedef bool json_handler(void *context, const struct json_event *event);

struct json_problem {
	enum json_problem_kind {
		JSON_PROBLEM_SYNTAX,   /* malformed, cut off or empty */
		JSON_PROBLEM_TEXT,     /* not UTF-8, or half of a surrogate pair; no event was reported */
		JSON_PROBLEM_DEPTH,    /* containers are nested too deeply */
		JSON_PROBLEM_TRAILING, /* something other than white space after the value */
		JSON_PROBLEM_STOPPED   /* the handler stopped */
	} kind;
	size_t offset;    /* bytes from the start of the text, at or just after the error */
	char message[80]; /* for a client: "invalid UTF-8 at byte 12"; never quotes the text */
};

/* Reads exactly one value, with optional white space around it. Containers may be nested at most `maximum_depth` deep.
 * Duplicate keys are all reported, and the handler decides what they mean. A byte order mark is an error: the caller strips it.
 * Returns false and fills *problem if the text is not valid; the events reported before must then be discarded. */
MUST_CHECK bool json_read(
    struct slice text, size_t maximum_depth, json_handler *handler, void *context, struct json_problem *problem);
/* Like json_read, for a text whose strings and keys may be invalid. Bytes that are not UTF-8 are reported unchanged, and half
 * of a surrogate pair is reported as U+0000. The handler decides whether to remove them. */
MUST_CHECK bool json_read_any_text(
    struct slice text, size_t maximum_depth, json_handler *handler, void *context, struct json_problem *problem);
