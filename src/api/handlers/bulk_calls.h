/* SPDX-License-Identifier: MIT
 * Calls about many leads, which the dispatcher carries out later (docs/api.md 4.1.4), and calls that give points, which are
 * booked at once for few leads. */
#pragma once

#include "api/call/api_call.h"

call_handler handle_points, handle_bulk_change, handle_bulk_delete, handle_bulk_tags, handle_tag_referrers,
    handle_tag_referrers_of_path;
