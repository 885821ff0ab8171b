/* SPDX-License-Identifier: MIT
 * The arguments of the command `leadhook` (leadhook(1)): words of an operation, operands, and options anywhere among them. */
#pragma once

#include "shell/shell_options.h"

struct given_option {
	size_t option;     /* index in shell_options */
	const char *value; /* NULL: the option takes none */
};

struct command_line {
	const struct operation *operation; /* NULL: none was given, because an option needs none */
	const char *group;                 /* the first word of the operations about which help was requested; or NULL */
	const char **operands;             /* texts are valid UTF-8 without control characters */
	size_t operand_count;
	struct given_option *options;
	size_t option_count, option_capacity;
};

/* Divides the arguments (argv[0] is skipped) into words, operands and options, but does not parse values. `operations` ends
 * with NULL. If they are wrong, returns false with a message in `problem`; the status is then EX_USAGE. */
MUST_CHECK bool command_line_read(const struct operation *const *operations, int argc, char *const argv[], struct pool *pool,
    struct command_line *line, struct buffer *problem);
/* The value of an option; "" if it takes no value; NULL if the option is not given. */
const char *command_line_option(const struct command_line *line, size_t option);
/* Parses the values into the arguments of the call. Returns 0, or a status after reporting an invalid value. */
MUST_CHECK int command_line_parse(const struct command_line *line, struct operation_call *call);
