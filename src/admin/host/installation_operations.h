/* SPDX-License-Identifier: MIT
 * The installation: its tables, check and status. */
#pragma once

#include "operation/operation.h"

extern const struct operation operation_install, operation_upgrade, operation_check, operation_status, operation_installation,
    operation_metrics;
