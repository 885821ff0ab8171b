/* SPDX-License-Identifier: MIT
 * account remove, campaign remove. */
#pragma once

#include "operation/operation.h"

extern const struct operation operation_account_remove, operation_campaign_remove;
