/* SPDX-License-Identifier: MIT
 * Names of time zones. What a clock shows in one, browsers compute. */
#ifndef LEADHOOK_OS_ZONE_H
#define LEADHOOK_OS_ZONE_H

#include <stdbool.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

enum { ZONE_NAME_MAX = 64 };

/* Whether there is a time zone of this name in the database of the IANA: "Europe/Berlin", "UTC". A host without that database
 * (package tzdata) takes every name that has the form of one. */
MUST_CHECK bool zone_is_known(struct pool *pool, struct slice name);

#endif
