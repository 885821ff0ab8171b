/* SPDX-License-Identifier: MIT
 * A value that import and export both take. */
#pragma once

#include "operation/operation.h"

extern const struct value_type value_delimiter; /* char */
