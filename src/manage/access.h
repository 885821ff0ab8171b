/* SPDX-License-Identifier: MIT
 * The rights of callers; private to this folder. */
#pragma once

#include "manage/manage_request.h"

/* Whether the caller has a right that the operation needs. */
MUST_CHECK bool request_may_run(struct manage_request *request);
/* Finds the owner of the object with that id, and returns whether the caller may know of the object. `name`: what a problem
 * calls the object. */
MUST_CHECK bool request_sees(
    struct manage_request *request, struct slice name, enum owned_kind kind, struct slice id, struct owner *owner);
