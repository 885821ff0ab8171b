/* SPDX-License-Identifier: MIT
 * Changes of leads: points, and the bulk changes of docs/api.md 4.1, which the dispatcher makes. */
#pragma once

#include "operation/operation.h"

extern const struct operation operation_lead_points, operation_lead_change, operation_lead_jobs;
