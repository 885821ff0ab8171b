/* SPDX-License-Identifier: MIT
 * What happened to a lead (docs/operating.md 4, leadhook(1)). */
#ifndef LEADHOOK_ADMIN_LEADS_TIMELINE_OPERATION_H
#define LEADHOOK_ADMIN_LEADS_TIMELINE_OPERATION_H

#include "operation/operation.h"

extern const struct operation operation_lead_timeline;

#endif
