/* SPDX-License-Identifier: MIT
 * Parameters of operations. Both front ends, src/shell and src/manage, parse their input directly into the arguments of an
 * operation: a struct in which each parameter has its place. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"
#include "operation/operation_problem.h"
#include "store/operator/owners.h"

/* How a parameter is written. */
enum value_form {
	VALUE_TEXT,   /* a single text */
	VALUE_LIST,   /* items with commas between them; in JSON also an array */
	VALUE_SWITCH, /* an option without a value; in JSON true or false */
	VALUE_EACH,   /* several operands; in JSON an array: each item is parsed into the same place */
	VALUE_PAIRS,  /* NAME=VALUE, repeatable; in JSON an object of texts: struct value_pairs */
	VALUE_FIELDS  /* NAME=VALUE operands with any name; in JSON all other members: struct value_pairs */
};

struct value_type;

/* A value that is being parsed. */
struct value_reading {
	struct pool *pool;
	bool is_remote;       /* the value came over HTTP, where lists are shorter */
	struct slice invalid; /* set by the parser: the item of a list that is invalid; or absent */
	const struct value_type *type;
	const char *expected; /* the text of the type, unless the parser replaces it */
	bool is_operand;
	struct slice message; /* set by the parser: the whole message, instead of "expected …"; or absent */
	enum operation_problem problem;
};

/* Parses the text into `place`, whose type is given where the value type is declared. The value lives as long as the text and
 * the pool. Returns false if the text is not valid. */
typedef bool value_parser(struct value_reading *reading, struct slice text, void *place);

struct value_type {
	value_parser *parse;
	size_t size;          /* size of the place */
	const char *expected; /* "a number from 1 to 10000" */
	enum value_form form;
	const struct slice *words; /* for value_parse_word */
	size_t word_count;
	uint64_t least, most;    /* for value_parse_number */
	bool is_file;            /* the path of a file on this host: only the command takes it */
	bool has_lines;          /* its texts may contain line ends and tabs */
	bool takes_files;        /* for VALUE_FIELDS: in the command, NAME=@FILE means the text of that file */
	const char *noun;        /* for an id: the kind of object, "campaign"; NULL if it is not an id */
	enum owned_kind kind;    /* for an id */
	const char *empty_array; /* what is expected instead of an empty array, if that is refused; NULL: it is an empty list */
};

enum parameter_flag {
	PARAMETER_OPERAND = 1, /* given by its place in the command line; otherwise an option */
	PARAMETER_REQUIRED = 1 << 1,
	PARAMETER_SHELL = 1 << 2,      /* only the command takes it … */
	PARAMETER_ON_BY_HTTP = 1 << 3, /* … and it is on in each call over HTTP */
	PARAMETER_OPERATOR = 1 << 4,   /* only an operator may give it */
	PARAMETER_PREVIEW = 1 << 5,    /* the call only shows what it would do: parsed before parameters that may be invalid */
	PARAMETER_SLOW = 1 << 6        /* the call takes about a second (SLOW in operation.h) */
};

struct parameter {
	const char *name; /* as a member, "last_number"; the option is --last-number */
	const struct value_type *type;
	/* In the arguments. Parameters with the same place are alternatives: one in the path excludes the others. */
	size_t place;
	unsigned flags;
	const char *password_for; /* the value that needs the password (operation.h); "": any value; NULL: none */
};

#define PARAMETER(name, type, place, flags)       \
	{                                         \
		name, &(type), place, flags, NULL \
	}
#define OPERAND(name, type, place) PARAMETER(name, type, place, PARAMETER_OPERAND | PARAMETER_REQUIRED)
#define OPTIONAL_OPERAND(name, type, place) PARAMETER(name, type, place, PARAMETER_OPERAND)
#define OPTION(name, type, place) PARAMETER(name, type, place, 0)
#define OPTION_WITH(name, type, place, flags) PARAMETER(name, type, place, flags)

struct operation_call;

/* Parses a value of the parameter into the arguments of the call. Returns false after reporting an invalid value, with the name
 * that the caller used. */
MUST_CHECK bool parameter_take(struct operation_call *call, const struct parameter *parameter, struct slice text);
/* As parameter_take, for an item of VALUE_PAIRS or VALUE_FIELDS whose name and value are already separate. */
MUST_CHECK bool parameter_take_pair(
    struct operation_call *call, const struct parameter *parameter, struct slice name, struct slice value);
/* Whether a user must have entered the password recently to give it this value. */
MUST_CHECK bool parameter_needs_password(const struct parameter *parameter, struct slice text);
/* Makes call->arguments, with the defaults of call->operation, and call->settings, in which no setting is given. */
void parameters_begin(struct operation_call *call);
/* The parameter of that name; NULL if the operation has none. */
const struct parameter *parameter_find(const struct operation_call *call, struct slice name);
/* Whether the caller has given the parameter. The operation must have it. */
MUST_CHECK bool parameter_is_given(const struct operation_call *call, const char *name);
/* The value of a parameter whose place is a struct slice; absent if it is not given or the operation does not have it. */
struct slice parameter_text(const struct operation_call *call, const char *name);
/* The name as the caller writes it: "--last-number", or "last_number" over HTTP. In the pool. */
const char *parameter_shown(const struct operation_call *call, const char *name);
