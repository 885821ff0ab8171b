/* SPDX-License-Identifier: MIT
 * The secrets in the database (docs/operating.md 3.2). */
#ifndef LEADHOOK_ADMIN_HOST_SECRETS_OPERATION_H
#define LEADHOOK_ADMIN_HOST_SECRETS_OPERATION_H

#include "operation/operation.h"

extern const struct operation operation_secrets_seal;

#endif
