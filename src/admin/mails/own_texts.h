/* SPDX-License-Identifier: MIT
 * What the operations share that change texts of a campaign: NAME=VALUE, and a language. */
#pragma once

#include "operation/operation.h"
#include "operation/value_types.h"
#include "text/text.h"

/* The language of the texts. */
struct chosen_language {
	bool is_given; /* else every language */
	enum text_language language;
};
extern const struct value_type value_chosen_language; /* struct chosen_language */
/* NULL: every language. */
const enum text_language *chosen_language(const struct chosen_language *chosen);
/* Its code; "": every language. */
struct slice chosen_language_code(const struct chosen_language *chosen);

extern const struct value_type value_own_texts; /* struct value_pairs: NAME=VALUE or NAME=@FILE */

/* Makes the value a text as it is stored: with LF for CR LF and without white space at its end. Returns EX_OK, or a status
 * after reporting that it is too long. */
int own_text_read(struct operation_call *call, struct slice *value);

/* A value that a rule refuses. With `errors`, those of a preview, it is added there, and EX_OK returned; else the call fails,
 * with the status that is returned. */
int own_text_refuse(struct operation_call *call, struct output *errors, const char *name, struct slice problem);
