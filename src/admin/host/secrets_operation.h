/* SPDX-License-Identifier: MIT
 * The secrets in the database (docs/operating.md 3.2). */
#pragma once

#include "operation/operation.h"

extern const struct operation operation_secrets_seal;
