/* SPDX-License-Identifier: MIT
 * After a restore of the database. */
#pragma once

#include "store/store.h"

/* After a restore: no id is given again that may have been given since the backup, so that receivers do not take a new event
 * for an old one. */
MUST_CHECK enum result store_skip_ids(struct store *store);
