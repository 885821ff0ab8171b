/* SPDX-License-Identifier: MIT
 * `leadhook completion bash`: operations, options and settings as a script for bash. */
#pragma once

#include <stdio.h>

#include "operation/operation.h"

/* `operations` ends with NULL. Returns false if the script could not be written. */
MUST_CHECK bool completion_print(const struct operation *const *operations, FILE *out);
