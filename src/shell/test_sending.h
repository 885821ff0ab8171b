/* SPDX-License-Identifier: MIT
 * Tests of webhooks and mails that the command sends itself, without --queue. */
#pragma once

#include "jobs/job_parameters.h"
#include "operation/operation.h"

/* As operation_wiring.send_test. */
int shell_send_test(struct operation_call *call, enum job_kind kind, const struct job_test *test);
