/* SPDX-License-Identifier: MIT
 * What a mail shows of a lead, its campaign and the campaign's templates, as they are now. */
#pragma once

#include "compose/own_templates.h"
#include "store/store.h"

struct mail_subject {
	/* set by the caller */
	struct store *store;
	struct pool *pool; /* for all texts */
	uint64_t campaign_id;
	enum message_kind kind;
	uint64_t ref;    /* `ref` of struct made_message */
	bool is_preview; /* there is no `ref`: values about the occasion of the mail are absent */
	int64_t now_ms;
	const enum text_language *fixed_language; /* NULL: the one that mail_subject_language returns */
	const struct campaign_texts *drafts;      /* used in place of stored templates; NULL: none */
	/* found */
	enum text_language language;
	struct slice drop;  /* why it must not be sent, a word of at most 32 ASCII characters; absent: it may be sent */
	struct slice email; /* the lead's address, as it is shown; may be absent */
	struct slice code;  /* a new code, not stored yet; absent: the mail shows none */
	struct mail_values values;
	struct own_templates templates;
};

/* Finds the values for a lead. RESULT_NOT_FOUND: there is no such lead. RESULT_REFUSED: its payload cannot be read. Otherwise
 * as in db/db.h. */
MUST_CHECK enum result mail_subject_find(struct mail_subject *s, const struct lead_reference *lead);

/* The language of a mail: the campaign's; if that setting is `auto`, the lead's, which may be absent; otherwise the default. */
enum text_language mail_subject_language(const struct campaign *campaign, struct slice lead_language);

struct mail_senders;
/* The content of the mail, with a new id. */
struct mail_content mail_subject_content(const struct mail_subject *s, const struct mail_senders *senders);
