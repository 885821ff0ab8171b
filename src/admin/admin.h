/* SPDX-License-Identifier: MIT
 * The operator's command (operations.md 4), whole but for the wiring. */
#ifndef LEADHOOK_ADMIN_ADMIN_H
#define LEADHOOK_ADMIN_ADMIN_H

#include <stdio.h>

#include "conf/conf.h"
#include "store/store.h"

/* Makes the store that a configuration describes; both live until the command is done. */
typedef struct store *admin_store_opener(const struct conf *conf);

/* Runs what the arguments say. Results go to `out`, everything else to `errors`. Answers the exit status, of sysexits.h. */
int admin_main(int argc, char *const argv[], admin_store_opener *open_store, FILE *out, FILE *errors);

#endif
