/* SPDX-License-Identifier: MIT
 * The options of the command line. An option has the same meaning for every operation that has a parameter of its name. */
#pragma once

#include "operation/operation.h"

struct shell_option {
	const char *name;
	const char *value; /* its name in the help, such as FILE, or the possible values, "yes|no"; NULL: it takes none */
	const char *help;
};

/* The first GENERAL_OPTIONS options are those of every command. */
enum { OPTION_CONFIG, OPTION_CHECK_CONFIG, OPTION_JSON, OPTION_HELP, OPTION_VERSION, GENERAL_OPTIONS };
extern const struct shell_option shell_options[];
extern const size_t shell_option_count;
/* Returns false if there is no option of that name. */
MUST_CHECK bool shell_option_find(struct slice name, size_t *option);
/* The parameter of the operation that the option sets; NULL if there is none. */
const struct parameter *shell_option_parameter(const struct operation *operation, size_t option);
/* Whether the operation takes the option; if the operation is NULL, whether every command does. */
MUST_CHECK bool shell_option_fits(const struct operation *operation, size_t option);
