/* SPDX-License-Identifier: MIT
 * The leads of a campaign, in the order of their sign-ups or by score. The JSON is that of the API. */
#ifndef LEADHOOK_ADMIN_LEADS_LIST_OPERATION_H
#define LEADHOOK_ADMIN_LEADS_LIST_OPERATION_H

#include "operation/operation.h"

extern const struct operation operation_lead_list;

#endif
