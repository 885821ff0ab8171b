/* SPDX-License-Identifier: MIT
 * Names of time zones. Browsers do the arithmetic. */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

enum { ZONE_NAME_MAX = 64 };

/* Whether the IANA database has a time zone with this name ("Europe/Berlin", "UTC"). On a host without that database (package
 * tzdata), every name of the right form is accepted. */
MUST_CHECK bool zone_is_known(struct pool *pool, struct slice name);
