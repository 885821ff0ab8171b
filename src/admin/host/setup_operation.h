/* SPDX-License-Identifier: MIT
 * leadhook setup: a script that changes the host, with the options in its environment. */
#ifndef LEADHOOK_ADMIN_HOST_SETUP_OPERATION_H
#define LEADHOOK_ADMIN_HOST_SETUP_OPERATION_H

#include "operation/operation.h"

extern const struct operation operation_setup;

#endif
