/* SPDX-License-Identifier: MIT
 * Mails to leads (docs/mail.md): list, show, send again; the test of the mail server. */
#pragma once

#include "operation/operation.h"

extern const struct operation operation_mail_list, operation_mail_show, operation_mail_resend, operation_mail_test;
