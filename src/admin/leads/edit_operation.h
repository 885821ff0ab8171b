/* SPDX-License-Identifier: MIT
 * lead set: changes fields of a lead, as a call of the API with a key does (docs/api.md 4.3), but not as a sign-up. */
#pragma once

#include "operation/operation.h"

extern const struct operation operation_lead_set;
