/* SPDX-License-Identifier: MIT
 * Changes of leads: points, and the bulk changes of docs/api.md 4.1, which the dispatcher makes. */
#ifndef LEADHOOK_ADMIN_LEADS_CHANGE_OPERATIONS_H
#define LEADHOOK_ADMIN_LEADS_CHANGE_OPERATIONS_H

#include "operation/operation.h"

extern const struct operation operation_lead_points, operation_lead_change, operation_lead_jobs;

#endif
