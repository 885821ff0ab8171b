/* SPDX-License-Identifier: MIT
 * lead import. */
#pragma once

#include "operation/operation.h"

extern const struct operation operation_lead_import;
extern const struct value_type value_delimiter; /* char */
