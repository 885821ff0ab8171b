/* SPDX-License-Identifier: MIT
 * The help of the command `leadhook`. */
#pragma once

#include <stdio.h>

#include "operation/operation.h"

/* Print the help about all operations, or those that begin with the word `group` unless it is NULL, and the options of every
 * command; or about one operation. `operations` ends with NULL. */
void help_print_all(const struct operation *const *operations, const char *group, FILE *out);
void help_print(const struct operation *operation, FILE *out);
