/* SPDX-License-Identifier: MIT
 * The operation of a request, and its arguments; private to this folder. */
#pragma once

#include "manage/manage_request.h"

/* Finds the operation of method and path in the table. */
MUST_CHECK bool request_find_operation(struct manage_request *request);
/* Parse the arguments of the operation: those in the path, and those in the query or body. They return false after answering
 * with a problem, or after reporting an invalid value in the call, which makes the operation fail when it is run. */
MUST_CHECK bool request_read_path(struct manage_request *request);
MUST_CHECK bool request_read_members(struct manage_request *request);
