/* SPDX-License-Identifier: MIT
 * Shared by the operations that send a mail as a test. */
#pragma once

#include "operation/operation.h"

/* The address that a test is to be sent to. Returns EX_OK, or a status after reporting that it is not valid, or that mail is
 * off. The result refers to `text`. */
int mail_test_address(struct operation_call *call, struct slice text, struct slice *address);
