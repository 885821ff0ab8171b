/* SPDX-License-Identifier: MIT
 * The account that the programs run as, and what it may do. It is the owner of what the programs write, or of their
 * configuration, unless that is root; otherwise the account with the name of the group that may read the configuration, as the
 * package sets it up; otherwise the account that runs this command. */
#pragma once

#include "admin/doctor/findings.h"

/* Sets doctor->account. */
void account_find(struct doctor *doctor);
/* Whether this command can tell if the file exists. If it cannot, the check is skipped. */
MUST_CHECK bool account_sees(struct doctor *doctor, const char *path);
/* Whether the account may do this with the existing file: bits of R_OK, W_OK and X_OK. */
MUST_CHECK bool account_may(const struct doctor *doctor, const char *path, int what);
/* The first folder in the path of the file that the account may not enter; NULL if there is none. */
const char *account_barrier(const struct doctor *doctor, const char *path);
/* The folder of a file, in the pool. */
const char *account_folder_of(struct pool *pool, const char *path);
