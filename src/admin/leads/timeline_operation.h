/* SPDX-License-Identifier: MIT
 * What happened to a lead (docs/operating.md 4, leadhook(1)). */
#pragma once

#include "operation/operation.h"

extern const struct operation operation_lead_timeline;
