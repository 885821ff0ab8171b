/* SPDX-License-Identifier: MIT
 * The help of the command `leadhook`. */
#pragma once

#include <stdio.h>

#include "operation/operation.h"

/* help_print_all prints the help about all operations, or about those that begin with the word `group` if it is not NULL, and
 * the options of every command. help_print prints the help about one operation. `operations` ends with NULL. */
void help_print_all(const struct operation *const *operations, const char *group, FILE *out);
void help_print(const struct operation *operation, FILE *out);
