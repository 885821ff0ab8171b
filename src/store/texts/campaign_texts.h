/* SPDX-License-Identifier: MIT
 * A campaign's own texts: of its pages and messages. What they mean is specified where they are used, as in page/looks.h. */
#pragma once

#include "store/store.h"

enum { CAMPAIGN_TEXT_NAME_MAX = 64, CAMPAIGN_TEXT_LANGUAGE_MAX = 8 }; /* bytes of ASCII */

struct campaign_text {
	struct slice name;     /* "page.title" */
	struct slice language; /* "de"; "": every language */
	struct slice value;
};

struct campaign_texts {
	struct campaign_text *list;
	size_t count;
};

/* All texts of the campaign whose names begin with `prefix`, which contains no `%` or `_`, by name and language: one statement.
 * In the pool. If there is no such campaign, there are no texts. */
MUST_CHECK enum result store_read_texts(
    struct store *store, struct pool *pool, uint64_t campaign_id, struct slice prefix, struct campaign_texts *texts);

/* As store_read_texts, with drafts (NULL: none), in no order, for previews: each draft replaces the stored text; one with an
 * absent value removes it. A draft for every language also replaces texts of single languages, so that a preview in any
 * language shows it. */
MUST_CHECK enum result store_read_draft_texts(struct store *store, struct pool *pool, uint64_t campaign_id, struct slice prefix,
    const struct campaign_texts *drafts, struct campaign_texts *texts);

/* Every consent text that was ever set, by its version, so that `consent_version` of a lead shows what it agreed to. */
#define CONSENT_PREFIX "consent."
enum { CONSENTS_MAX = 100 }; /* maximum of a campaign; no more can be added */

struct text_change {
	const struct campaign_texts *texts; /* replace texts with the same names and languages; an absent value removes one */
	struct slice prefix;                /* prefix of all names except those of consents */
	/* Judges all texts with the prefix as they would be after the change. Returns false to refuse it. */
	bool (*judge)(void *context, struct pool *pool, const struct campaign_texts *texts);
	void *context;
};
/* RESULT_NOT_FOUND: no such campaign. RESULT_REFUSED: the judge refused it. RESULT_TOO_MANY: there would be more than
 * CONSENTS_MAX. In all these cases nothing is changed. */
MUST_CHECK enum result store_change_texts(
    struct store *store, const struct precondition *precondition, uint64_t campaign_id, const struct text_change *change);
