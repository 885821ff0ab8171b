/* SPDX-License-Identifier: MIT
 * Jobs of the dispatcher: list, show, cancel (docs/operating.md 4.1). */
#ifndef LEADHOOK_ADMIN_JOBS_JOB_OPERATIONS_H
#define LEADHOOK_ADMIN_JOBS_JOB_OPERATIONS_H

#include "operation/operation.h"

extern const struct operation operation_job_list, operation_job_show, operation_job_cancel;

#endif
