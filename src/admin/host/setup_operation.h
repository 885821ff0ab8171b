/* SPDX-License-Identifier: MIT
 * leadhook setup: a script that changes the host, with the options in its environment. */
#pragma once

#include "operation/operation.h"

extern const struct operation operation_setup;
