/* SPDX-License-Identifier: MIT
 * What commands that change texts of a campaign share: operands NAME=VALUE and NAME=@FILE, and --language. */
#ifndef LEADHOOK_ADMIN_MAILS_OWN_TEXTS_H
#define LEADHOOK_ADMIN_MAILS_OWN_TEXTS_H

#include "operation/operation.h"
#include "text/text.h"

/* Splits NAME=VALUE. False: there is no `=`. */
MUST_CHECK bool admin_split_text(struct slice operand, struct slice *name, struct slice *value);
/* A value that begins with `@` becomes the text of that file, with LF for CR LF and without white space at its end. Returns
 * EX_OK, or a status after reporting the error. */
int admin_read_text(struct admin_call *call, struct slice *value);
/* The option --language. *given: NULL without it, else `language`. Returns EX_OK, or a status after reporting the error. */
int admin_read_language(struct admin_call *call, enum text_language *language, const enum text_language **given);

/* A value that a rule refuses. With `errors`, those of a preview, it is added there, and EX_OK returned; else the call fails,
 * with the status that is returned. */
int admin_refuse_text(struct admin_call *call, struct output *errors, const char *name, struct slice problem);

#endif
