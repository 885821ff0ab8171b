/* SPDX-License-Identifier: MIT
 * The page with a sign-up form, and the same form again with errors. */
#ifndef LEADHOOK_PAGE_SIGNUP_H
#define LEADHOOK_PAGE_SIGNUP_H

#include "engine/failure.h"
#include "page/fields.h"
#include "page/frame.h"

/* A field that people do not see. */
struct page_hidden {
	struct slice name, value;
};

/* The state of a form. An empty one is a form that was not sent yet. */
struct page_form {
	struct slice action; /* the URL that it posts to */
	const struct page_fields *fields;
	struct slice values[PAGE_FIELDS_MAX]; /* what was typed; absent: nothing */
	size_t value_bytes;                   /* the maximum of each; 0: none */
	enum page_value verdicts[PAGE_FIELDS_MAX];
	bool consents, consent_is_missing;
	bool is_ticked;       /* the box of the consent is, when the form is shown again */
	enum failure failure; /* of the sign-up; FAILURE_NONE: none */
	const struct page_hidden *hidden;
	size_t hidden_count;
	struct slice honeypot; /* the name of a field that must stay empty; absent: none */
	struct slice
	    challenge_url; /* of proof of work, which the script does before it sends the form; absent: none is needed */
	bool needs_script; /* it is refused without that proof */
};

/* A form of the campaign's page that was not sent yet. `fields` are those of the looks, or the usual ones. Returns false with a
 * sentence in *problem when those of the looks are not valid. */
MUST_CHECK bool page_form_begin(
    const struct page *page, struct page_fields *fields, struct page_form *form, struct slice *problem);

/* Judges the values and the consent; `needs_consent`: the page has the checkbox. Returns whether all are accepted. */
MUST_CHECK bool page_form_judge(struct pool *pool, struct page_form *form, bool needs_consent);
/* The failure that the answer to the form has: of a missing identifier, or FAILURE_INVALID_PARAMETER. */
enum failure page_form_failure(const struct page_form *form);

/* Whether a field has an error, or the form. */
bool page_form_has_errors(const struct page_form *form);

/* The fields of a form alone. */
void page_write_fields(const struct page *page, const struct page_form *form);
/* The campaign's page, with its title, its text and its form. */
void page_write_signup(const struct page *page, const struct page_form *form);
/* A form of another page, which failed: its fields as they are, without the campaign's texts. */
void page_write_failed_form(const struct page *page, const struct page_form *form);
/* A form for something else than a sign-up, without consent. */
void page_write_plain_form(
    const struct page *page, const struct page_form *form, enum text_key title, enum text_key text, enum text_key button);

/* The form as JSON, for the script that shows it on another site: its fields, the consent, the button, what the rules against
 * bots need besides the stamp. */
void page_write_form_json(const struct page *page, const struct page_form *form);

/* The fields of a form on another site, each in its label, and the box of the consent, if the page has one: without line ends,
 * ids and classes. */
void page_write_embedded_fields(const struct page *page, const struct page_fields *fields);

#endif
