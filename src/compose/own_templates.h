/* SPDX-License-Identifier: MIT
 * A campaign's own templates of mails: rows of `campaign_texts` with the names `mail.KIND.PART` (docs/mail.md 3). */
#pragma once

#include "base/attributes.h"
#include "base/result.h"
#include "mail/kinds.h"

struct store;

#define OWN_TEMPLATE_PREFIX "mail."

/* "subject", "text", "html". */
struct slice own_template_part(enum template_place place);
/* Returns false, with *place unchanged, when there is no such part. */
MUST_CHECK bool own_template_find(struct slice part, enum template_place *place);
/* "mail.verify.subject", in the pool. */
struct slice own_template_name(struct pool *pool, enum message_kind kind, enum template_place place);

struct own_templates {
	struct slice sources[TEMPLATE_PLACES];   /* as `templates` in struct mail_content */
	struct slice accent, dark_accent;        /* colours of the campaign's pages; may be absent */
	struct slice languages[TEMPLATE_PLACES]; /* of the sources: a code, or "" for every language; absent: no source */
};

struct campaign_texts;
struct template_query {
	uint64_t campaign_id;
	enum message_kind kind;
	enum text_language language;
	const struct campaign_texts *drafts; /* as in store_read_draft_texts */
	struct slice base_url;               /* completes values such as "/privacy": mails need whole URLs; or absent */
};
/* Reads the templates for mails of this kind: a template for the language is preferred to one for every language. Adds the
 * texts of the campaign's pages that mails show to *values. Everything is in the pool. A campaign that does not exist has no
 * templates. Results are those of db/db.h. */
MUST_CHECK enum result own_templates_read(struct store *store, struct pool *pool, const struct template_query *query,
    struct own_templates *templates, struct mail_values *values);
