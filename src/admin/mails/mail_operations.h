/* SPDX-License-Identifier: MIT
 * Shared by the operations that send a mail as a test. */
#pragma once

#include "jobs/job_kinds.h"
#include "operation/operation.h"

/* The address that a test is to be sent to. Returns EX_OK, or a status after reporting that it is not valid, or that mail is
 * off. The result refers to `text`. */
int mail_test_address(struct operation_call *call, struct slice text, struct slice *address);
/* Outputs the result of a mail after RESULT_OK, else reports why it was not sent. Returns a status. */
int mail_test_answer(struct operation_call *call, enum result result, const struct mail_test *test);
