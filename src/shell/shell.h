/* SPDX-License-Identifier: MIT
 * The command `leadhook` (docs/operating.md 4), except for the wiring. */
#pragma once

#include <stdio.h>

#include "operation/operation_wiring.h"

/* Runs the operation that the arguments name. Results go to `out`, and messages to `errors`. Returns a status of sysexits.h. */
int shell_main(int argc, char *const argv[], const struct operation_wiring *wiring, FILE *out, FILE *errors);
