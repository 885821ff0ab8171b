/* SPDX-License-Identifier: MIT
 * Jobs of the dispatcher: list, show, cancel (docs/operating.md 4.1). */
#pragma once

#include "operation/operation.h"

extern const struct operation operation_job_list, operation_job_show, operation_job_cancel;
