/* SPDX-License-Identifier: MIT
 * Rate limits of changes, searches and test mails; private to this folder. */
#pragma once

#include "manage/manage_request.h"

/* Whether the caller's account may make one more change. Counts it. */
MUST_CHECK bool request_may_change(struct manage_request *request);
/* Whether the call is within all of its limits. Counts it. */
MUST_CHECK bool request_keeps_limits(struct manage_request *request);
