/* SPDX-License-Identifier: MIT
 * The leads of a campaign, in the order of their sign-ups or by score. The JSON is that of the API. */
#pragma once

#include "operation/operation.h"

extern const struct operation operation_lead_list;
