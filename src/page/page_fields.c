/* SPDX-License-Identifier: MIT */
#include "page/page_fields.h"

#include <string.h>

#include "identity/email.h"
#include "identity/link.h"

static const struct slice types[] = {
	[PAGE_FIELD_TEXT] = SLICE("text"),
	[PAGE_FIELD_EMAIL] = SLICE("email"),
	[PAGE_FIELD_TEL] = SLICE("tel"),
	[PAGE_FIELD_URL] = SLICE("url"),
	[PAGE_FIELD_NUMBER] = SLICE("number"),
	[PAGE_FIELD_TEXTAREA] = SLICE("textarea"),
	[PAGE_FIELD_SELECT] = SLICE("select"),
	[PAGE_FIELD_CHECKBOX] = SLICE("checkbox"),
};

/* Names with a type, a label and an autocomplete value of their own. The first two are identifiers. */
enum { EMAIL, PHONE_NUMBER, IDENTIFIERS };
static const struct usual {
	struct slice name;
	enum page_field_type type;
	enum text_key label;
	const char *autocomplete;
} usual[] = {
	[EMAIL] = { SLICE("email"), PAGE_FIELD_EMAIL, TEXT_FIELD_EMAIL, "email" },
	[PHONE_NUMBER] = { SLICE("phone_number"), PAGE_FIELD_TEL, TEXT_FIELD_PHONE_NUMBER, "tel" },
	{ SLICE("name"), PAGE_FIELD_TEXT, TEXT_FIELD_NAME, "name" },
	{ SLICE("first_name"), PAGE_FIELD_TEXT, TEXT_FIELD_FIRST_NAME, "given-name" },
	{ SLICE("last_name"), PAGE_FIELD_TEXT, TEXT_FIELD_LAST_NAME, "family-name" },
	{ SLICE("company"), PAGE_FIELD_TEXT, TEXT_FIELD_COMPANY, "organization" },
	{ SLICE("website"), PAGE_FIELD_URL, TEXT_FIELD_WEBSITE, "url" },
};

/* Parameters of a sign-up that are not custom fields (docs/api.md 4.4), and fields that the page itself adds. */
static const struct slice reserved[] = { SLICE("action"), SLICE("altcha"), SLICE("api_key"), SLICE("campaign_id"),
	SLICE("campaignid"), SLICE("consent"), SLICE("consent_version"), SLICE("controller"), SLICE("country_code"),
	SLICE("format"), SLICE("ip"), SLICE("ip_address"), SLICE("jsonp"), SLICE("kid"), SLICE("kolid"),
	SLICE("landing_page_id"), SLICE("list_id"), SLICE("must_exist"), SLICE("points"), SLICE("redirect_url"),
	SLICE("referrer"), SLICE("skip_ar"), SLICE("social_id") };

static const struct usual *
find_usual(struct slice name)
{
	for (size_t i = 0; i < ARRAY_SIZE(usual); i++)
		if (slice_equal(usual[i].name, name))
			return &usual[i];
	return NULL;
}

static bool
find_type(struct slice name, enum page_field_type *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (!slice_equal(types[i], name))
			continue;
		*type = (enum page_field_type)i;
		return true;
	}
	return false;
}

static bool
is_name(struct slice text)
{
	if (text.size == 0 || text.size > PAGE_FIELD_NAME_MAX || text.data[0] < 'a' || text.data[0] > 'z')
		return false;
	for (size_t i = 0; i < text.size; i++)
		if (ascii_lower(text.data[i]) != text.data[i])
			return false;
	return slice_is_alnum(text, "_") && !slice_starts_with(text, SLICE("utm_"));
}

/* Reads an option: "Free", or "free => Free of charge". */
static struct page_option
parse_option(struct slice text)
{
	static const struct slice arrow = SLICE("=>");
	const size_t at = slice_find_part(text, arrow);
	if (at == text.size)
		return (struct page_option){ slice_trim(text), slice_trim(text) };
	return (
	    struct page_option){ slice_trim(slice_sub(text, 0, at)), slice_trim(slice_sub(text, at + arrow.size, text.size)) };
}

static bool
is_option_text(struct slice text)
{
	return text.size > 0 && text.size <= PAGE_LABEL_MAX;
}

/* Reads options: "a | b | c". */
static bool
parse_options(struct pool *pool, struct slice text, struct page_field *field)
{
	struct slice item;
	field->options = POOL_ARRAY(pool, PAGE_OPTIONS_MAX, struct page_option);
	while (slice_next(&text, '|', &item)) {
		const struct page_option option = parse_option(item);
		if (!is_option_text(option.value) || !is_option_text(option.label) || field->option_count == PAGE_OPTIONS_MAX)
			return false;
		field->options[field->option_count++] = option;
	}
	return field->option_count > 0;
}

/* Reads the words before the label. Returns the rule that they break, or NULL. */
static const char *
parse_words(struct slice words, struct page_field *field)
{
	struct slice word;
	if (!slice_next_item(&words, &field->name) || !is_name(field->name))
		return "begins with a name of at most 40 lower-case letters, digits and _";
	if (slice_is_one_of(field->name, reserved, ARRAY_SIZE(reserved)))
		return "has the name of a parameter with another meaning";
	const struct usual *known = find_usual(field->name);
	field->type = known != NULL ? known->type : PAGE_FIELD_TEXT;
	while (slice_next_item(&words, &word)) {
		if (slice_equal(word, SLICE("required")))
			field->required = true;
		else if (page_field_is_identifier(field) || !find_type(word, &field->type))
			return "has, after its name, only a type and `required`";
	}
	return NULL;
}

/* Reads one field. Returns the rule that it breaks, or NULL. */
static const char *
parse_field(struct pool *pool, struct slice text, struct page_field *field)
{
	const size_t colon = slice_find(text, ':');
	struct slice label = slice_sub(text, colon + 1, text.size);
	*field = (struct page_field){ .required = false };
	const char *broken = parse_words(slice_sub(text, 0, colon), field);
	if (broken != NULL)
		return broken;
	if (field->type == PAGE_FIELD_SELECT) {
		const size_t equals = slice_find(label, '=');
		if (!parse_options(pool, slice_sub(label, equals + 1, label.size), field))
			return "needs, as a select, 1 to 50 options after its label: = One | Two, or = 1 => One | 2 => Two";
		label = slice_sub(label, 0, equals);
	}
	label = slice_trim(label);
	if (label.size > PAGE_LABEL_MAX)
		return "has a label of more than 300 bytes";
	if (label.size > 0)
		field->label = label;
	else if (find_usual(field->name) == NULL)
		return "needs a label: name: Label";
	return NULL;
}

bool
page_fields_have(const struct page_fields *fields, struct slice name)
{
	for (size_t i = 0; i < fields->count; i++)
		if (slice_equal(fields->items[i].name, name))
			return true;
	return false;
}

/* Makes the identifier required if there is only one. Returns false when there is none. */
static bool
require_identifier(struct page_fields *fields)
{
	struct page_field *found = NULL;
	size_t count = 0;
	for (size_t i = 0; i < fields->count; i++) {
		if (!page_field_is_identifier(&fields->items[i]))
			continue;
		found = &fields->items[i];
		count++;
	}
	if (count == 1)
		found->required = true;
	return count > 0;
}

bool
page_fields_parse(struct pool *pool, struct slice text, struct page_fields *fields, struct slice *problem)
{
	struct slice line, item;
	*fields = (struct page_fields){ .count = 0 };
	while (slice_next(&text, '\n', &line))
		while (slice_next(&line, ';', &item)) {
			struct page_field field;
			item = slice_trim(item);
			if (item.size == 0)
				continue;
			const char *broken = fields->count == PAGE_FIELDS_MAX ? "is one too many: there may be 20"
									      : parse_field(pool, item, &field);
			if (broken == NULL && page_fields_have(fields, field.name))
				broken = "has the name of another field";
			if (broken != NULL) {
				*problem = pool_printf(pool, "the field \"%.*s\" %s", SLICE_ARGS(item), broken);
				return false;
			}
			fields->items[fields->count++] = field;
		}
	*problem = SLICE("needs a field `email` or `phone_number`");
	return require_identifier(fields);
}

struct page_fields
page_fields_default(void)
{
	return (struct page_fields){
		.items = { { .name = usual[EMAIL].name, .type = PAGE_FIELD_EMAIL, .required = true } },
		.count = 1,
	};
}

struct slice
page_field_type_name(enum page_field_type type)
{
	return types[type];
}

bool
page_field_is_identifier(const struct page_field *field)
{
	const struct usual *known = find_usual(field->name);
	return known != NULL && known < usual + IDENTIFIERS;
}

struct slice
page_field_label(const struct page_field *field, enum text_language language)
{
	const struct usual *known = find_usual(field->name);
	if (slice_present(field->label) || known == NULL)
		return field->label;
	return text_find(language, known->label);
}

const char *
page_field_autocomplete(const struct page_field *field)
{
	const struct usual *known = find_usual(field->name);
	return known == NULL ? NULL : known->autocomplete;
}

/* ---- submitted values ---- */

/* A decimal number as browsers send it (HTML, "valid floating-point number"), without an exponent. */
static bool
is_number(struct slice text)
{
	bool digits = false, point = false;
	for (size_t i = 0; i < text.size; i++) {
		const char c = text.data[i];
		if (ascii_is_digit(c))
			digits = true;
		else if (c == '.' && !point)
			point = true;
		else if (c != '-' || i > 0)
			return false;
	}
	return digits && text.data[text.size - 1] != '.';
}

static bool
has_option(const struct page_field *field, struct slice value)
{
	for (size_t i = 0; i < field->option_count; i++)
		if (slice_equal(field->options[i].value, value))
			return true;
	return false;
}

enum page_value
page_field_judge(struct pool *pool, const struct page_field *field, struct slice value)
{
	struct email email;
	bool valid = true;
	if (value.size == 0)
		return field->required ? PAGE_VALUE_MISSING : PAGE_VALUE_OK;
	switch (field->type) {
	case PAGE_FIELD_EMAIL:
		valid = email_parse(pool, value, &email);
		break;
	case PAGE_FIELD_URL:
		valid = slice_present(link_host(pool, value)) && link_is_web(value);
		break;
	case PAGE_FIELD_NUMBER:
		valid = is_number(value);
		break;
	case PAGE_FIELD_SELECT:
		valid = has_option(field, value);
		break;
	case PAGE_FIELD_TEXT:
	case PAGE_FIELD_TEL:
	case PAGE_FIELD_TEXTAREA:
	case PAGE_FIELD_CHECKBOX:
		break;
	}
	return valid ? PAGE_VALUE_OK : PAGE_VALUE_INVALID;
}
