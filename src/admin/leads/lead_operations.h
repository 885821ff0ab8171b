/* SPDX-License-Identifier: MIT
 * One lead: all that is stored of it, a code for its phone number. */
#ifndef LEADHOOK_ADMIN_LEADS_LEAD_OPERATIONS_H
#define LEADHOOK_ADMIN_LEADS_LEAD_OPERATIONS_H

#include "operation/operation.h"

extern const struct operation operation_lead_show, operation_lead_code;

#endif
