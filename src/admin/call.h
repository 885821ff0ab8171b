/* SPDX-License-Identifier: MIT
 * What a command is, and one use of it: the arguments sorted into words, operands and options. */
#ifndef LEADHOOK_ADMIN_CALL_H
#define LEADHOOK_ADMIN_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "admin/output.h"
#include "base/buffer.h"
#include "base/pool.h"
#include "conf/conf.h"
#include "store/store.h"

/* An option means the same wherever it is allowed. */
enum admin_option {
	OPTION_CONFIG,
	OPTION_CHECK_CONFIG,
	OPTION_JSON,
	OPTION_HELP,
	OPTION_VERSION,
	OPTION_DRY_RUN,
	OPTION_NAME,
	OPTION_FORMAT,
	OPTION_SOURCE,
	OPTION_WEBHOOK,
	OPTION_LEAD,
	OPTION_EVENT,
	OPTION_STATE,
	OPTION_SINCE,
	OPTION_UNTIL,
	OPTION_LIMIT,
	OPTION_DEEP,
	OPTION_POINTS,
	OPTION_DESCRIPTION,
	OPTION_TAG,
	OPTION_REQUIRED_POINTS,
	OPTION_EMAILED,
	OPTION_EMAIL,
	OPTION_PHONE,
	OPTION_SOCIAL_ID,
	OPTION_VERIFIED,
	OPTION_WAITLISTED,
	OPTION_FRAUDULENT,
	OPTION_OPTED_OUT,
	OPTION_AFTER,
	ADMIN_OPTIONS
};

#define OPTION_BIT(option) (UINT32_C(1) << (option))

struct admin_call;
struct admin_wiring;

enum { ADMIN_ANY = 1000 }; /* operands without an end */

struct admin_command {
	const char *words;       /* "campaign add" */
	const char *operands;    /* for people: "ACCOUNT NAME [SETTING=VALUE...]" */
	size_t minimum, maximum; /* of operands */
	uint32_t options;        /* OPTION_BITs beyond those that every command has */
	bool needs_schema;       /* runs only on the schema of this program */
	enum output_shape shape;
	int (*run)(struct admin_call *call); /* answers a status of sysexits.h; has then told why */
	const char *help;
	void (*explain)(FILE *out); /* what its help says besides; or NULL */
};

struct admin_call {
	const struct admin_command *command; /* NULL: none was named, and an option explains why */
	const char **operands;               /* terminated texts, valid UTF-8 without control characters */
	size_t operand_count;
	const char *options[ADMIN_OPTIONS]; /* NULL: not given; "": given, and takes no value */
	struct pool *pool;                  /* lives as long as the call */
	/* set when it is run */
	const struct conf *conf;
	const struct admin_wiring *wiring;
	struct store *store;
	struct output *output;
	FILE *errors;
};

/* Sorts the arguments (argv[0] is passed over). False, with a sentence in `problem`, when they are wrong: EX_USAGE. */
MUST_CHECK bool admin_parse(const struct admin_command *commands, size_t count, int argc, char *const argv[],
    struct admin_call *call, struct buffer *problem);

/* All commands and options, or one command. */
void admin_help(const struct admin_command *commands, size_t count, FILE *out);
void admin_command_help(const struct admin_command *command, FILE *out);

/* For commands: writes "leadhook: …" to the call's errors and answers `status`. */
int admin_fail(const struct admin_call *call, int status, const char *format, ...) PRINTF_LIKE(3, 4);
const char *admin_option_name(enum admin_option option);
/* 1 to 200 characters, as the tables hold. */
MUST_CHECK bool admin_is_name(struct slice text);
/* False when it is none: told already, EX_DATAERR. */
MUST_CHECK bool admin_name(const struct admin_call *call, struct slice text);
/* What the store answered: 0 for RESULT_OK, else the sentence is written. */
int admin_answer(const struct admin_call *call, enum result result);
/* The same where something may not exist: `missing` is what RESULT_NOT_FOUND means. */
int admin_finish(const struct admin_call *call, enum result result, const char *missing);
/* The same, and the id as the answer where it was done. */
int admin_finish_id(const struct admin_call *call, enum result result, uint64_t id, const char *missing);
/* The schema is another version's: tells what to do. */
int admin_wrong_schema(const struct admin_call *call, uint32_t found);
/* A number that the tables have for ids. */
MUST_CHECK bool admin_is_id(struct slice text, uint64_t *id);
/* An operand that is an id. False when it is none: told already, EX_DATAERR. */
MUST_CHECK bool admin_id(const struct admin_call *call, const char *text, const char *what, uint64_t *id);

#endif
