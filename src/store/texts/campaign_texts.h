/* SPDX-License-Identifier: MIT
 * A campaign's own texts: of its pages and messages. What they mean is specified where they are used, as in page/looks.h. */
#ifndef LEADHOOK_STORE_TEXTS_CAMPAIGN_TEXTS_H
#define LEADHOOK_STORE_TEXTS_CAMPAIGN_TEXTS_H

#include "store/store.h"

enum { CAMPAIGN_TEXT_NAME_MAX = 64, CAMPAIGN_TEXT_LANGUAGE_MAX = 8 }; /* bytes of ASCII */

struct campaign_text {
	struct slice name;     /* "page.title" */
	struct slice language; /* "de"; "": every language */
	struct slice value;
};

/* All texts of the campaign whose names begin with `prefix`, which has no `%` or `_`, by name and language: one statement. In
 * the pool. No campaign has no texts. */
MUST_CHECK enum result store_read_texts(struct store *store, struct pool *pool, uint64_t campaign_id, struct slice prefix,
    struct campaign_text **texts, size_t *count);

/* Texts that are not stored, for previews: each replaces the stored one; an absent value removes it. One for every language
 * also replaces those of single languages, so that a preview in any language shows it. */
struct text_drafts {
	const struct campaign_text *list;
	size_t count;
};
/* As store_read_texts, with the drafts (NULL: none), in no order. */
MUST_CHECK enum result store_read_draft_texts(struct store *store, struct pool *pool, uint64_t campaign_id, struct slice prefix,
    const struct text_drafts *drafts, struct campaign_text **texts, size_t *count);

/* Each text of a consent that was ever set, by its version, so that `consent_version` of a lead shows what it agreed to. */
#define CONSENT_PREFIX "consent."
enum { CONSENTS_MAX = 100 }; /* of a campaign: beyond, none is added */

/* Judges the texts as they would be after a change. Returns false to refuse it. */
typedef bool campaign_texts_judge(void *context, struct pool *pool, const struct campaign_text *texts, size_t count);

/* Replaces texts; one with an absent value is removed. `judge` gets those with the prefix, which all changes but those of
 * consents have. RESULT_NOT_FOUND: no such campaign. RESULT_INVALID: the judge has refused. RESULT_TOO_MANY: a consent would be
 * one too many. In both cases nothing is changed. */
MUST_CHECK enum result store_change_texts(struct store *store, uint64_t campaign_id, struct slice prefix,
    const struct campaign_text *changes, size_t count, campaign_texts_judge *judge, void *context);

#endif
