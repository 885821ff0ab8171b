/* SPDX-License-Identifier: MIT
 * The account of the programs, and what it may do. It is the owner of what the programs write, or of their configuration,
 * unless that is root; else the one with the name of the group that may read the configuration, as the package has it; else the
 * account that runs this command. */
#pragma once

#include "admin/doctor/findings.h"

/* Sets doctor->account. */
void account_find(struct doctor *doctor);
/* Whether this command may see whether the file exists. False: the check is skipped. */
MUST_CHECK bool account_sees(struct doctor *doctor, const char *path);
/* Whether the account may do this with the existing file: bits of R_OK, W_OK and X_OK. */
MUST_CHECK bool account_may(const struct doctor *doctor, const char *path, int what);
/* The first folder on the way to the file that the account may not enter; NULL: none. */
const char *account_barrier(const struct doctor *doctor, const char *path);
/* The folder of a file. */
const char *account_folder_of(struct pool *pool, const char *path);
