/* SPDX-License-Identifier: MIT
 * A campaign's own templates of mails (docs/mail.md 1): show, change, preview, send one as a sample. */
#pragma once

#include "operation/operation.h"

extern const struct operation operation_mail_templates, operation_mail_template, operation_mail_set, operation_mail_preview,
    operation_mail_draft, operation_mail_sample;
