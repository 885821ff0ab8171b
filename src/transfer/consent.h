/* SPDX-License-Identifier: MIT
 * Recognizes what columns and values of exports say about consent: people who unsubscribed, bounced, or never agreed. A column
 * about consent means nothing until the operator says what it means, so no one becomes an active lead by default. */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

enum value_meaning {
	MEANS_ACTIVE,
	MEANS_OPTED_OUT,
	MEANS_VERIFIED,
	MEANS_LEFT_OUT,
	VALUE_MEANINGS,
	MEANS_UNKNOWN = VALUE_MEANINGS
};

/* "active", "opted_out", "verified", "left_out". */
struct slice value_meaning_name(enum value_meaning meaning);
/* MEANS_UNKNOWN for any other text. */
enum value_meaning value_meaning_named(struct slice name);

/* The form in which names of columns and values are compared: lower case in every script, one underscore between words (for any
 * run of blanks, hyphens, dots, brackets and the like, and inside createdAt), no invisible characters. In the pool. */
struct slice plain_words(struct pool *pool, struct slice text);

/* These functions take plain words. */

/* What yes means in a column: consent, or that someone unsubscribed. */
enum consent_column { COLUMN_OF_CONSENT, COLUMN_OF_REFUSALS };
enum consent_column consent_column_of(struct slice name);
/* Whether a column with this name is about consent, no matter what its values are. */
bool consent_needs_meaning(struct slice name);
/* Whether a column with this name, such as "Status", may be about consent or about something else. Its values decide. */
bool consent_may_be_state(struct slice name);
/* Whether a column with this name may be about consent if all its values are yes or no. */
bool consent_may_be_switch(struct slice name);
/* Whether a file with this name lists people who must not get mail. */
bool consent_file_refuses(struct slice name);
/* Whether a short value says that the person must not get mail, no matter what the column is called. */
bool consent_value_refuses(struct slice value);
/* Likewise for a value that is a state, which may also say that the person never agreed. */
bool consent_state_refuses(struct slice value);
/* What a value of a column about consent suggests. */
enum value_meaning consent_suggested(struct slice value, enum consent_column kind);

/* Reads yes or no in the languages of exports. Returns false for any other text. */
MUST_CHECK bool switch_parse(struct slice text, bool *on);
