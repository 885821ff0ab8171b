/* SPDX-License-Identifier: MIT
 * Runs while the dashboard is built. Prints its module repeatable.js from the table of operations: the paths of the calls that
 * take an Idempotency-Key (docs/manage.md 1.5). */
#include <stdio.h>

#include "admin/operations.h"

int
main(void)
{
	printf("// SPDX-License-Identifier: MIT\n// Made by src/prog/repeatable_calls.c.\n\n"
	       "/** Paths of calls that take an Idempotency-Key; {…} stands for an id or a name. */\n"
	       "export const REPEATABLE_PATHS = [\n");
	for (size_t i = 0; admin_operations[i] != NULL; i++)
		if (admin_operations[i]->method == METHOD_POST && operation_is_repeatable(admin_operations[i]))
			printf("\t\"%s\",\n", admin_operations[i]->path);
	printf("];\n");
	return fflush(stdout) == 0 ? 0 : 1;
}
