/* SPDX-License-Identifier: MIT
 * Shared by the operations that send a mail as a test. */
#pragma once

#include "operation/operation.h"

/* Reads the address to which a test goes. Returns EX_OK, or a status after reporting that the address is not valid or that mail
 * is off. *address refers to `text`. */
MUST_CHECK int mail_test_address(struct operation_call *call, struct slice text, struct slice *address);
