/* SPDX-License-Identifier: MIT
 * Arguments of an operation; private to this folder. */
#pragma once

#include "manage/manage_request.h"

/* Parse the arguments of the operation from the path, and from query and body. They return false after answering, or after a
 * value was reported in the call, which is answered when the operation is run. */
MUST_CHECK bool request_read_path(struct manage_request *request);
MUST_CHECK bool request_read_members(struct manage_request *request);
