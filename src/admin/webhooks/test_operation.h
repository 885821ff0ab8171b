/* SPDX-License-Identifier: MIT
 * webhook test: sends a test delivery and shows the response. */
#ifndef LEADHOOK_ADMIN_WEBHOOKS_TEST_OPERATION_H
#define LEADHOOK_ADMIN_WEBHOOKS_TEST_OPERATION_H

#include "operation/operation.h"

extern const struct operation operation_webhook_test;

#endif
