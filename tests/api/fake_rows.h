/* SPDX-License-Identifier: MIT
 * Private to the fake store: its initial campaigns and their definitions. */
#pragma once

#include "engine/decide/working_set.h"

/* Adds campaigns that are open to sign-ups without a key. */
void fake_rows_add(struct pool *pool, struct working_set *set);
/* Then ends one campaign, suspends one and makes one strict, as described in fake_store.h. */
void fake_rows_settle(struct working_set *set);
