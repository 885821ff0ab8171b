/* SPDX-License-Identifier: MIT
 * Shared by the operations that change texts of a campaign: NAME=VALUE, and a language. */
#pragma once

#include "operation/operation.h"
#include "operation/value_types.h"
#include "store/texts/campaign_texts.h"
#include "text/text.h"

/* The language of the texts. */
struct chosen_language {
	bool is_given; /* otherwise the texts are for every language */
	enum text_language language;
};
extern const struct value_type value_chosen_language; /* struct chosen_language */
/* NULL: every language. */
const enum text_language *chosen_language(const struct chosen_language *chosen);
/* Its code; "": every language. */
struct slice chosen_language_code(const struct chosen_language *chosen);

extern const struct value_type value_own_texts; /* struct value_pairs: NAME=VALUE or NAME=@FILE */

/* Converts the value to the form in which texts are stored: with LF instead of CR LF, and without white space at the end.
 * Returns EX_OK, or a status after reporting that it is too long. */
int own_text_read(struct operation_call *call, struct slice *value);

/* Reads one text as a change. A text that is refused is added to `errors`, and its change has no name. */
typedef int own_text_reader(
    struct operation_call *call, const struct value_pair *pair, struct output *errors, struct campaign_text *change);
/* Reads all texts; *changes has those that are not refused. Returns EX_OK, or a status after reporting the error. */
MUST_CHECK int own_texts_read(struct operation_call *call, const struct value_pairs *texts, struct output *errors,
    own_text_reader *read, struct campaign_texts *changes);

/* Reports a value that a rule refuses. If `errors` is given, as for a preview, adds the problem there and returns EX_OK; if it
 * is NULL, the call fails with the status that is returned. */
int own_text_refuse(struct operation_call *call, struct output *errors, const char *name, struct slice problem);
