/* SPDX-License-Identifier: MIT
 * lead erase, lead report: what is stored about a person. */
#ifndef LEADHOOK_ADMIN_DATA_PERSON_OPERATIONS_H
#define LEADHOOK_ADMIN_DATA_PERSON_OPERATIONS_H

#include "operation/operation.h"

extern const struct operation operation_lead_erase, operation_lead_report;

#endif
