/* SPDX-License-Identifier: MIT
 * lead import: opens the file, reads its heading, requires answers, and imports the rows. */
#ifndef LEADHOOK_ADMIN_DATA_IMPORT_OPERATION_H
#define LEADHOOK_ADMIN_DATA_IMPORT_OPERATION_H

#include "operation/operation.h"

extern const struct operation operation_lead_import;

#endif
