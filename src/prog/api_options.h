/* SPDX-License-Identifier: MIT
 * The options of the API, from the configuration. */
#pragma once

#include "api/call/service.h"
#include "prog/wiring.h"

/* Valid as long as the wiring. Without a limiter (NULL), no call is counted. */
struct api_options api_options_of(const struct wiring *wiring, struct limiter *limiter, int64_t backend_timeout_ms);
