/* SPDX-License-Identifier: MIT
 * What a mail shows: of a lead, its campaign, and the campaign's templates, as they are now. */
#pragma once

#include "compose/own_templates.h"
#include "store/store.h"

struct mail_subject {
	/* set by the caller */
	struct store *store;
	struct pool *pool; /* of all texts */
	uint64_t campaign_id;
	enum message_kind kind;
	uint64_t ref;    /* as in struct made_message */
	bool is_preview; /* there is no `ref`: values of what it is about are absent */
	int64_t now_ms;
	const enum text_language *fixed_language; /* NULL: as mail_subject_language */
	const struct campaign_texts *drafts;      /* in place of stored templates; NULL: none */
	/* found */
	enum text_language language;
	struct slice drop;  /* why it is not to be sent, a word of at most 32 ASCII characters; absent: it is */
	struct slice email; /* of the lead, as it is shown; may be absent */
	struct slice code;  /* a new code, not stored yet; absent: the mail shows none */
	struct mail_values values;
	struct own_templates templates;
};

/* Finds it for a lead. Results are those of db/db.h, of store_payload_settings and store_look_up: RESULT_NOT_FOUND: there is no
 * such lead. RESULT_REFUSED: its payload cannot be read. */
MUST_CHECK enum result mail_subject_find(struct mail_subject *s, const struct lead_reference *lead);

/* The language of a mail: the campaign's, or where the setting is `auto` the lead's, absent without one; else the default. */
enum text_language mail_subject_language(const struct campaign *campaign, struct slice lead_language);

struct mail_senders;
/* The content of a mail about it, with an id of its own. */
struct mail_content mail_subject_content(const struct mail_subject *s, const struct mail_senders *senders);
