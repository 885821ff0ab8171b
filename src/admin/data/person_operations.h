/* SPDX-License-Identifier: MIT
 * lead erase, lead report: what is stored about a person. */
#pragma once

#include "operation/operation.h"

extern const struct operation operation_lead_erase, operation_lead_report;
