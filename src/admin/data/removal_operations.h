/* SPDX-License-Identifier: MIT
 * account remove, campaign remove. */
#ifndef LEADHOOK_ADMIN_DATA_REMOVAL_OPERATIONS_H
#define LEADHOOK_ADMIN_DATA_REMOVAL_OPERATIONS_H

#include "operation/operation.h"

extern const struct operation operation_account_remove, operation_campaign_remove;

#endif
