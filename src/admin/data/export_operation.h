/* SPDX-License-Identifier: MIT
 * lead export: writes the leads of a campaign to a file, page by page. */
#pragma once

#include "operation/operation.h"

extern const struct operation operation_lead_export;
