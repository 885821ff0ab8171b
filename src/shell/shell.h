/* SPDX-License-Identifier: MIT
 * The operator's command (docs/operating.md 4), except for the wiring. */
#ifndef LEADHOOK_SHELL_SHELL_H
#define LEADHOOK_SHELL_SHELL_H

#include <stdio.h>

#include "operation/wiring.h"

/* Runs the command of the arguments. Results go to `out`, everything else to `errors`. Returns an exit status of sysexits.h. */
int admin_main(int argc, char *const argv[], const struct admin_wiring *wiring, FILE *out, FILE *errors);

#endif
