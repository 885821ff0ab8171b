/* SPDX-License-Identifier: MIT
 * Previews of mails, composed by the same code as mails that are sent. */
#pragma once

#include "compose/compose.h"
#include "store/store.h"
#include "text/text.h"

struct preview_request {
	uint64_t campaign_id;
	enum message_kind kind;              /* a kind of mail */
	const struct lead_reference *lead;   /* NULL: sample values */
	const enum text_language *language;  /* NULL: the one that mail_subject_language returns */
	const struct campaign_texts *drafts; /* used in place of stored templates (store/texts/campaign_texts.h); NULL: none */
	struct slice to;                     /* the address of the sample lead; absent: a sample address */
};

/* All texts are in the pool of the call. */
struct preview {
	bool has_campaign;
	enum text_language language;
	struct slice drop;                /* why the lead would not get the mail now; absent: it would */
	struct slice to;                  /* may be absent */
	struct slice subject, text, html; /* lines end with LF */
	struct slice message;             /* as it is sent; absent: mail.from is not set, or the lead has no email address */
	struct slice problem;             /* why it cannot be composed, for people */
};

/* Values that neither lead nor campaign has, such as the reward, are samples. Nothing is stored. Links of a lead are valid.
 * RESULT_NOT_FOUND: there is no such campaign or lead. RESULT_REFUSED: it cannot be composed; `problem` is the reason.
 * Otherwise as in db/db.h. */
MUST_CHECK enum result mail_preview(const struct mail_senders *senders, struct store *store, struct pool *pool,
    const struct preview_request *request, struct preview *preview);
