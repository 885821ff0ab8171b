/* SPDX-License-Identifier: MIT
 * The operation of a request, and its arguments; private to this folder. */
#pragma once

#include "manage/manage_request.h"

/* Finds the operation of method and path in the table. */
MUST_CHECK bool request_find_operation(struct manage_request *request);
/* Parse the arguments of the operation from the path, and from query and body. They return false after answering, or after a
 * value was reported in the call, which is answered when the operation is run. */
MUST_CHECK bool request_read_path(struct manage_request *request);
MUST_CHECK bool request_read_members(struct manage_request *request);
