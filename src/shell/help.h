/* SPDX-License-Identifier: MIT
 * The help of the command `leadhook`. */
#pragma once

#include <stdio.h>

#include "operation/operation.h"

/* Print the help on all operations (`operations` ends with NULL), or those that begin with the word `group`, and the options of
 * every command; or on one operation. */
void help_print_all(const struct operation *const *operations, const char *group, FILE *out);
void help_print(const struct operation *operation, FILE *out);
