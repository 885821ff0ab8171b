/* SPDX-License-Identifier: MIT
 * lead export: writes the leads of a campaign to a file, page by page. */
#ifndef LEADHOOK_ADMIN_DATA_EXPORT_OPERATION_H
#define LEADHOOK_ADMIN_DATA_EXPORT_OPERATION_H

#include "operation/operation.h"

extern const struct operation operation_lead_export;

#endif
