/* SPDX-License-Identifier: MIT
 * Header values of the form `value; name=value; name="value"` (RFC 9110, 5.6.6; RFC 7578, 4.2). */
#pragma once

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

/* Takes the value, which ends at the first ';', off *rest. The parameters are left, for http_header_parameter. */
struct slice http_header_value(struct slice *rest);
/* Takes the next parameter off *rest. The value is without quotes, and "" if there is none. Returns false at the end. */
MUST_CHECK bool http_header_parameter(struct pool *pool, struct slice *rest, struct slice *name, struct slice *value);
