/* SPDX-License-Identifier: MIT
 * The fields of a sign-up form, as the setting `fields` of a campaign describes them (docs/pages.md). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"
#include "text/text.h"

enum { PAGE_FIELDS_MAX = 20, PAGE_OPTIONS_MAX = 50, PAGE_FIELD_NAME_MAX = 40, PAGE_LABEL_MAX = 300 };

enum page_field_type {
	PAGE_FIELD_TEXT,
	PAGE_FIELD_EMAIL,
	PAGE_FIELD_TEL,
	PAGE_FIELD_URL,
	PAGE_FIELD_NUMBER,
	PAGE_FIELD_TEXTAREA,
	PAGE_FIELD_SELECT,
	PAGE_FIELD_CHECKBOX
};

/* `value` is stored, and is the same in each language; `label` is shown. */
struct page_option {
	struct slice value, label;
};

struct page_field {
	struct slice name; /* of the parameter that is sent */
	enum page_field_type type;
	bool required;
	struct slice label;          /* absent: see page_field_label */
	struct page_option *options; /* PAGE_FIELD_SELECT: at least one */
	size_t option_count;
};

struct page_fields {
	struct page_field items[PAGE_FIELDS_MAX];
	size_t count;
};

/* Reads fields, separated by line ends or ';', each `name [type] [required] [: label [= option | option …]]`. An option is
 * `text` or `value => label`. At least one field must identify the lead: `email` or `phone_number`; if there is only one, it is
 * required. Other fields need a label, unless their name has a default one. Returns false, with a sentence for the operator in
 * *problem, when the text breaks a rule. Slices point into `text`. */
MUST_CHECK bool page_fields_parse(struct pool *pool, struct slice text, struct page_fields *fields, struct slice *problem);
bool page_fields_have(const struct page_fields *fields, struct slice name);
/* The fields of a campaign whose setting is empty: `email`. */
struct page_fields page_fields_default(void);

/* The type as the setting spells it: "email". */
struct slice page_field_type_name(enum page_field_type type);
/* Whether the field identifies the lead. */
bool page_field_is_identifier(const struct page_field *field);
/* Its own label, or the default one for its name in the language. */
struct slice page_field_label(const struct page_field *field, enum text_language language);
/* The value of the attribute `autocomplete` (WCAG 2.2, 1.3.5); NULL: none. */
const char *page_field_autocomplete(const struct page_field *field);

/* What is wrong with a submitted value, which may be absent. Phone numbers are PAGE_VALUE_OK: the sign-up checks them. */
enum page_value { PAGE_VALUE_OK, PAGE_VALUE_MISSING, PAGE_VALUE_INVALID, PAGE_VALUE_TOO_LONG };
enum page_value page_field_judge(struct pool *pool, const struct page_field *field, struct slice value);
