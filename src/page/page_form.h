/* SPDX-License-Identifier: MIT
 * Forms: the form on the page of a campaign, without and with errors, and the data that other sites need to show it. */
#pragma once

#include "engine/failure.h"
#include "page/page_fields.h"
#include "page/page_frame.h"

/* A field that visitors do not see. */
struct page_hidden {
	struct slice name, value;
};

/* A form and what was typed into it. A form that was not sent yet has only `action` and `fields`; the other members are
 * zero. */
struct page_form {
	struct slice action; /* the URL that it posts to */
	const struct page_fields *fields;
	struct slice values[PAGE_FIELDS_MAX]; /* what was typed; absent: nothing */
	size_t value_bytes;                   /* maximum of each value; 0: no limit */
	enum page_value verdicts[PAGE_FIELDS_MAX];
	bool consents, consent_is_missing;
	bool is_ticked;       /* the checkbox of the consent, when the form is shown again */
	enum failure failure; /* of the sign-up; FAILURE_NONE: none */
	const struct page_hidden *hidden;
	size_t hidden_count;
	struct slice honeypot; /* the name of a field that must stay empty; absent: none */
	/* where the script gets a challenge for the proof of work that it does before it sends the form; absent: no proof is
	 * needed */
	struct slice challenge_url;
	bool needs_script; /* the form is refused without proof of work */
};

/* Starts a form of the campaign's page with the fields of its looks, or the default ones. Returns false, with a sentence in
 * *problem, when those of the looks are not valid. `fields` must live as long as the form. */
MUST_CHECK bool page_form_begin(
    const struct page *page, struct page_fields *fields, struct page_form *form, struct slice *problem);

/* Judges the values, and the consent if the page asks for it. Returns whether all are accepted. */
MUST_CHECK bool page_form_judge(const struct page *page, struct page_form *form);
/* The failure of a form that page_form_judge has not accepted: the one for its email address or phone number if that is wrong,
 * otherwise FAILURE_INVALID_PARAMETER. */
enum failure page_form_failure(const struct page_form *form);

/* Whether the form or one of its fields has an error. */
bool page_form_has_errors(const struct page_form *form);

void page_write_hidden(const struct page *page, const struct page_hidden *hidden, size_t count);
/* Writes what is wrong with the field of this name. Writes nothing when `error` is absent. */
void page_write_error(const struct page *page, struct slice name, struct slice error);
/* Writes the fields without a form around them. */
void page_write_fields(const struct page *page, const struct page_form *form);
/* Writes the campaign's page: its title, text and form. */
void page_write_signup(const struct page *page, const struct page_form *form);
/* Writes a form of another site that failed, so that the visitor can correct it and send it again, without the campaign's texts
 * and consent. */
void page_write_failed_form(const struct page *page, const struct page_form *form);
/* Writes a form that is not a sign-up, without consent. */
void page_write_plain_form(
    const struct page *page, const struct page_form *form, enum text_key title, enum text_key text, enum text_key button);

/* Writes the form as JSON, for the script that shows it on other sites (docs/embedding.md 2.2): the fields, the consent, the
 * texts and colours, and the data that the rules against bots need, except the stamp. */
void page_write_form_json(const struct page *page, const struct page_form *form);
/* Writes the fields for the markup of another site, each inside its label, and the checkbox of the consent, if the page has
 * one: without line ends, ids and classes. */
void page_write_embedded_fields(const struct page *page, const struct page_fields *fields);
