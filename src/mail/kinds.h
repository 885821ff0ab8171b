/* SPDX-License-Identifier: MIT
 * The kinds of mails (docs/mail.md 3), what their templates may show, and how mails are made from these. */
#pragma once

#include "engine/message.h"
#include "mail/mime_message.h"
#include "mail/template.h"
#include "text/text.h"

/* A kind of message (engine/message.h) that is sent as a mail. */
struct mail_kind_info {
	enum message_kind kind;
	bool list;                    /* list mail, which has a List-Unsubscribe header */
	mail_names allowed, required; /* values that its templates may show, and values that text and HTML must show */
	enum mail_name main_url;      /* the link that is shown as a button */
	enum text_key subject, text;  /* its default templates */
};

/* NULL for a kind that is not a mail. The table is static. */
const struct mail_kind_info *mail_kind_find(enum message_kind kind);

/* Checks a campaign's template for one part of a mail, when it is saved. Returns false with *error (template.h). */
MUST_CHECK bool mail_template_check(struct pool *pool, const struct mail_kind_info *kind, enum template_place place,
    struct slice source, struct template_error *error);

/* The campaign's settings for default texts, and for HTML that is made from texts. */
struct mail_design {
	enum text_language language;
	struct slice accent, dark_accent; /* as in struct layout_options */
};

/* The default template of a kind. HTML is made from the default text (layout.h). In the pool or static. */
struct slice mail_default_template(
    struct pool *pool, const struct mail_kind_info *kind, enum template_place place, const struct mail_design *design);

/* The template for a part of a mail: the campaign's own template (`own` is as mail_content.templates), HTML made from the
 * campaign's own text, or the default. */
struct slice mail_template_for(struct pool *pool, const struct mail_kind_info *kind, const struct slice own[TEMPLATE_PLACES],
    enum template_place place, const struct mail_design *design);

struct mail_content {
	enum message_kind kind;
	struct mail_design design;
	/* The campaign's own templates, by place. Absent or empty: the default subject and text, and HTML that is made from the
	 * text. */
	struct slice templates[TEMPLATE_PLACES];
	/* Absent or empty values are not shown. MAIL_LANGUAGE is set from the language. The values that the kind requires must
	 * be present; for list mail, these include the URL of the recipient's opt-out page, MAIL_UNSUBSCRIBE_URL. */
	struct mail_values values;
	struct mailbox from, reply_to; /* these and the following ones: as in struct message_parts */
	struct slice to, id;
	int64_t time_ms;
};

/* Renders what the mail shows: subject, text, HTML and the URL of the opt-out page. Returns false in the same cases as
 * mail_compose. */
MUST_CHECK bool mail_render(
    struct pool *pool, const struct mail_content *content, struct message_parts *parts, struct slice *problem);
/* Makes the mail in the pool. Returns false when a template is not valid, a required value is missing, or the mail is too
 * large; *problem is the reason, for people and without personal data. The same content always fails in the same way. */
MUST_CHECK bool mail_compose(
    struct pool *pool, const struct mail_content *content, struct mail_message *message, struct slice *problem);
