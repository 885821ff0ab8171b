/* SPDX-License-Identifier: MIT
 * Inside the fake store: the campaigns that it begins with, and what their owners have defined. */
#ifndef LEADHOOK_TESTS_API_FAKE_ROWS_H
#define LEADHOOK_TESTS_API_FAKE_ROWS_H

#include "engine/decide.h"

/* Campaigns that anybody may sign up to. */
void fake_rows_add(struct pool *pool, struct working_set *set);
/* Then ends one, suspends one and makes one strict, as fake_store.h says. */
void fake_rows_settle(struct working_set *set);

#endif
