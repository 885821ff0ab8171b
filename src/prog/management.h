/* SPDX-License-Identifier: MIT
 * Connects the management interface (manage/manage.h) with the API of a responder. */
#pragma once

#include "api/call/service.h"
#include "login/login.h"
#include "prog/wiring.h"

struct management;

/* Becomes what answers below /manage. The api must be freed after it, as must the wiring and what the login needs. */
struct management *management_new(
    const struct wiring *wiring, const struct login_context *login, struct work_slots *long_calls, struct api *api);
void management_free(struct management **management);
