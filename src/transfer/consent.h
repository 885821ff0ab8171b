/* SPDX-License-Identifier: MIT
 * What columns and values of exports say about consent: people who unsubscribed, bounced, or never agreed. Such a column has a
 * meaning only when the operator gives it one: no one becomes an active lead by silence. */
#ifndef LEADHOOK_TRANSFER_CONSENT_H
#define LEADHOOK_TRANSFER_CONSENT_H

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
/* MEANS_UNKNOWN for another text. */
enum value_meaning value_meaning_named(struct slice name);

/* As names of columns and values are compared: in lower case in every script, with one underscore for each run of blanks,
 * hyphens, dots, brackets and the like between words, also those of createdAt, and without what cannot be seen. */
struct slice plain_words(struct pool *pool, struct slice text);

/* These take plain words. */
/* Whether a column with this name is about consent, whatever its values are. */
bool status_needs_meaning(struct slice name);
/* Whether a file with this name has people who must not get mail. */
bool status_of_file(struct slice name);
/* Whether a column with this name may be about consent, or about something else, as "Status": its values show it. */
bool status_may_be_any(struct slice name);
/* Whether a column with this name may be about consent where all its values are yes and no. */
bool status_may_be_switch(struct slice name);
/* Whether a short value says that the person must not get mail, whatever the column is called; with `any`, of one that may be
 * about any state, also that no one has agreed. */
bool status_says_no(struct slice value, bool any);
/* What a value of such a column suggests. `negative`: of a column that says yes for people who unsubscribed. */
enum value_meaning status_suggested(struct slice value, bool negative);
/* Whether it is such a column. */
bool status_is_negative(struct slice name);

/* Yes and no in the languages of exports. */
MUST_CHECK bool switch_parse(struct slice text, bool *on);

#endif
