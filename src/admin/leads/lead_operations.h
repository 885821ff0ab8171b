/* SPDX-License-Identifier: MIT
 * One lead: all that is stored of it, a code for its phone number. */
#pragma once

#include "operation/operation.h"

extern const struct operation operation_lead_show, operation_lead_code;
