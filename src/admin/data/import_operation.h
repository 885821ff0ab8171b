/* SPDX-License-Identifier: MIT
 * lead import: opens the file, reads its heading, requires answers, and imports the rows. */
#pragma once

#include "operation/operation.h"

extern const struct operation operation_lead_import;
