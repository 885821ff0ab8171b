/* SPDX-License-Identifier: MIT
 * The installation: its tables, check and status. */
#ifndef LEADHOOK_ADMIN_HOST_INSTALLATION_OPERATIONS_H
#define LEADHOOK_ADMIN_HOST_INSTALLATION_OPERATIONS_H

#include "operation/operation.h"

extern const struct operation operation_install, operation_upgrade, operation_check, operation_status, operation_installation,
    operation_metrics;

#endif
