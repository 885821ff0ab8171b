/* SPDX-License-Identifier: MIT
 * Finds the operation of a method and a path in the table of operations; private to this folder. */
#pragma once

#include "manage/manage_request.h"

/* Finds the operation of method and path. */
MUST_CHECK bool request_find_operation(struct manage_request *request);
#define METHOD_BIT(method) (1U << (unsigned)(method))
/* Answers 405; `allowed`: METHOD_BIT of each method that the path has. Returns false. */
bool request_fail_method(struct manage_request *request, unsigned allowed);
