/* SPDX-License-Identifier: MIT */
#include "page/page_form.h"

#include "base/utf8.h"
#include "json/writer.h"
#include "page/failures.h"

static const struct slice consent_name = SLICE("consent");

/* How each type is written, and the error for an invalid value. Email and web addresses are text inputs, because with their own
 * types browsers would refuse some addresses that the server accepts. */
static const struct {
	const char *type, *more;
	enum text_key error;
} inputs[] = {
	[PAGE_FIELD_TEXT] = { "text", "", TEXT_ERROR_INVALID_FIELD },
	[PAGE_FIELD_EMAIL] = { "text", " inputmode=\"email\" autocapitalize=\"none\" spellcheck=\"false\"",
	    TEXT_ERROR_INVALID_EMAIL },
	[PAGE_FIELD_TEL] = { "tel", "", TEXT_ERROR_INVALID_PHONE_NUMBER },
	[PAGE_FIELD_URL] = { "text", " inputmode=\"url\" autocapitalize=\"none\" spellcheck=\"false\"",
	    TEXT_ERROR_INVALID_URL },
	[PAGE_FIELD_NUMBER] = { "number", " step=\"any\"", TEXT_ERROR_INVALID_NUMBER },
	[PAGE_FIELD_TEXTAREA] = { NULL, " rows=\"4\"", TEXT_ERROR_INVALID_FIELD },
	[PAGE_FIELD_SELECT] = { NULL, "", TEXT_ERROR_INVALID_FIELD },
	[PAGE_FIELD_CHECKBOX] = { "checkbox", " value=\"yes\"", TEXT_ERROR_INVALID_FIELD },
};

bool
page_form_begin(const struct page *page, struct page_fields *fields, struct page_form *form, struct slice *problem)
{
	const struct slice setting = page->looks.values[LOOK_FIELDS];
	*fields = page_fields_default();
	*form = (struct page_form){ .action = page_path(page, SLICE("")), .fields = fields };
	return !slice_present(setting) || page_fields_parse(page->pool, setting, fields, problem);
}

/* ---- errors ---- */

bool
page_form_judge(const struct page *page, struct page_form *form)
{
	bool accepted = true;
	for (size_t i = 0; i < form->fields->count; i++) {
		form->verdicts[i] = form->value_bytes > 0 && form->values[i].size > form->value_bytes
					? PAGE_VALUE_TOO_LONG
					: page_field_judge(page->pool, &form->fields->items[i], form->values[i]);
		accepted = accepted && form->verdicts[i] == PAGE_VALUE_OK;
	}
	form->consent_is_missing = slice_present(page->looks.values[LOOK_CONSENT]) && !form->consents;
	return accepted && !form->consent_is_missing;
}

enum failure
page_form_failure(const struct page_form *form)
{
	for (size_t i = 0; i < form->fields->count; i++) {
		const struct page_field *field = &form->fields->items[i];
		if (form->verdicts[i] == PAGE_VALUE_OK || !page_field_is_identifier(field))
			continue;
		if (form->verdicts[i] == PAGE_VALUE_MISSING)
			return FAILURE_MISSING_EMAIL_AND_PHONE;
		return field->type == PAGE_FIELD_EMAIL ? FAILURE_INVALID_EMAIL : FAILURE_INVALID_PHONE_NUMBER;
	}
	return FAILURE_INVALID_PARAMETER;
}

/* Whether the failure of the sign-up is about this field. */
static bool
is_blamed(const struct page_form *form, const struct page_field *field)
{
	switch (form->failure) {
	case FAILURE_MISSING_EMAIL_AND_PHONE:
	case FAILURE_CONFLICTING_IDENTIFIERS:
		return page_field_is_identifier(field);
	case FAILURE_INVALID_EMAIL:
		return slice_equal(field->name, SLICE("email"));
	case FAILURE_INVALID_PHONE_NUMBER:
		return slice_equal(field->name, SLICE("phone_number"));
	default:
		return false;
	}
}

/* A message with the limit in characters. The limit is in bytes, so the number of characters is estimated from this text. */
static struct slice
too_long_text(const struct page *page, const struct page_form *form, size_t i)
{
	const struct slice value = form->values[i];
	struct slice rest = value;
	uint32_t character;
	uint64_t characters = 0;
	while (utf8_next(&rest, &character))
		characters++;
	return PAGE_FILL(page, TEXT_ERROR_LONG_FIELD, { "field", page_field_label(&form->fields->items[i], page->language) },
	    { "number", text_number(page->pool, page->language, characters * form->value_bytes / value.size) });
}

/* A sentence that says what is wrong with a field; absent: nothing. */
static struct slice
error_of(const struct page *page, const struct page_form *form, size_t i)
{
	const struct page_field *field = &form->fields->items[i];
	if (form->verdicts[i] == PAGE_VALUE_INVALID ||
	    (form->verdicts[i] == PAGE_VALUE_MISSING && field->type == PAGE_FIELD_EMAIL))
		return page_text(page, inputs[field->type].error);
	if (form->verdicts[i] == PAGE_VALUE_MISSING)
		return PAGE_FILL(page, TEXT_ERROR_MISSING_FIELD, { "field", page_field_label(field, page->language) });
	if (form->verdicts[i] == PAGE_VALUE_TOO_LONG)
		return too_long_text(page, form, i);
	return is_blamed(form, field) ? page_text(page, page_failure_text(form->failure)) : SLICE_NONE;
}

bool
page_form_has_errors(const struct page_form *form)
{
	bool found = form->failure != FAILURE_NONE || form->consent_is_missing;
	for (size_t i = 0; i < form->fields->count; i++)
		found = found || form->verdicts[i] != PAGE_VALUE_OK;
	return found;
}

static void
write_link(const struct page *page, struct slice name, struct slice text)
{
	HTML(page->out, "<li><a href=\"#f-{}\">{}</a></li>\n", name, text);
}

/* All errors, each with a link to its field. */
static void
write_summary(const struct page *page, const struct page_form *form)
{
	bool blamed = false;
	HTML(page->out, "<div class=\"errors\" role=\"alert\">\n<h2>{}</h2>\n<ul>\n", page_word(page, TEXT_ERROR_SUMMARY));
	for (size_t i = 0; i < form->fields->count; i++) {
		const struct slice error = error_of(page, form, i);
		if (!slice_present(error))
			continue;
		write_link(page, form->fields->items[i].name, error);
		blamed = true;
	}
	if (form->consent_is_missing)
		write_link(page, consent_name, page_word(page, TEXT_ERROR_MISSING_CONSENT));
	if (form->failure != FAILURE_NONE && !(blamed && page_failure_is_about_values(form->failure)))
		HTML(page->out, "<li>{}</li>\n", page_text(page, page_failure_text(form->failure)));
	buffer_add_text(page->out, "</ul>\n</div>\n");
}

/* ---- fields ---- */

/* A field with its value and its error. */
struct shown {
	const struct page_field *field;
	struct slice value, error; /* error: absent: none */
	bool takes_focus;          /* it is the first field with an error */
};

/* The attributes that all kinds of inputs have. */
static void
write_attributes(struct buffer *out, const struct shown *shown)
{
	const struct page_field *field = shown->field;
	const char *autocomplete = page_field_autocomplete(field);
	HTML(out, " id=\"f-{}\" name=\"{}\"", field->name, field->name);
	if (autocomplete != NULL)
		buffer_printf(out, " autocomplete=\"%s\"", autocomplete);
	buffer_add_text(out, inputs[field->type].more);
	if (field->required)
		buffer_add_text(out, " required");
	if (slice_present(shown->error))
		HTML(out, " aria-invalid=\"true\" aria-describedby=\"e-{}\"", field->name);
	if (shown->takes_focus)
		buffer_add_text(out, " autofocus");
}

void
page_write_error(const struct page *page, struct slice name, struct slice error)
{
	if (slice_present(error))
		HTML(page->out, "<p class=\"error\" id=\"e-{}\"><span class=\"hidden\">{} </span>{}</p>\n", name,
		    page_word(page, TEXT_ERROR_PREFIX), error);
}

/* Every option has a value: without one, browsers would send the label, possibly translated for the visitor. */
static void
write_option(struct buffer *out, const struct page_option *option, const char *selected)
{
	HTML(out, "<option value=\"{}\"", option->value);
	buffer_add_text(out, selected);
	HTML(out, ">{}</option>", option->label);
}

static void
write_select(const struct page *page, const struct page_field *field, struct slice value)
{
	struct buffer *out = page->out;
	HTML(out, ">\n<option value=\"\">{}</option>\n", page_word(page, TEXT_SELECT_NONE));
	for (size_t i = 0; i < field->option_count; i++) {
		write_option(out, &field->options[i], slice_equal(value, field->options[i].value) ? " selected" : "");
		buffer_add_text(out, "\n");
	}
	buffer_add_text(out, "</select>\n");
}

static void
write_input(const struct page *page, const struct shown *shown)
{
	struct buffer *out = page->out;
	const enum page_field_type type = shown->field->type;
	const bool area = type == PAGE_FIELD_TEXTAREA, select = type == PAGE_FIELD_SELECT;
	if (area || select)
		buffer_add_text(out, area ? "<textarea" : "<select");
	else
		buffer_printf(out, "<input type=\"%s\"", inputs[type].type);
	write_attributes(out, shown);
	if (area)
		HTML(out, ">\n{}</textarea>\n", shown->value);
	else if (select)
		write_select(page, shown->field, shown->value);
	else if (type == PAGE_FIELD_CHECKBOX)
		buffer_add_text(out, shown->value.size > 0 ? " checked>\n" : ">\n");
	else if (shown->value.size > 0)
		HTML(out, " value=\"{}\">\n", shown->value);
	else
		buffer_add_text(out, ">\n");
}

/* The text after the label of a field that may be empty. */
static enum text_key
optional_text(const struct page_fields *fields, const struct page_field *field)
{
	if (!page_field_is_identifier(field))
		return TEXT_FIELD_OPTIONAL;
	for (size_t i = 0; i < fields->count; i++)
		if (page_field_is_identifier(&fields->items[i]) && fields->items[i].required)
			return TEXT_FIELD_OPTIONAL;
	return TEXT_FIELD_EITHER;
}

/* Writes a checkbox, with its label after it. */
static void
write_field(const struct page *page, const struct page_fields *fields, const struct shown *shown)
{
	struct buffer *out = page->out;
	const struct page_field *field = shown->field;
	const bool box = field->type == PAGE_FIELD_CHECKBOX;
	buffer_add_text(out, box ? "<div class=\"check\">\n" : "<div class=\"field\">\n");
	if (box)
		write_input(page, shown);
	HTML(out, "<label for=\"f-{}\">{}", field->name, page_field_label(field, page->language));
	if (!field->required && !box)
		HTML(out, " <span class=\"optional\">{}</span>", page_word(page, optional_text(fields, field)));
	buffer_add_text(out, "</label>\n");
	page_write_error(page, field->name, shown->error);
	if (!box)
		write_input(page, shown);
	buffer_add_text(out, "</div>\n");
}

/* The index of the first field with an error, or the number of fields if none has one. */
static size_t
first_error(const struct page *page, const struct page_form *form)
{
	size_t i = 0;
	while (i < form->fields->count && !slice_present(error_of(page, form, i)))
		i++;
	return i;
}

void
page_write_fields(const struct page *page, const struct page_form *form)
{
	const size_t first = first_error(page, form);
	for (size_t i = 0; i < form->fields->count; i++)
		write_field(page, form->fields,
		    &(struct shown){ &form->fields->items[i], form->values[i], error_of(page, form, i), i == first });
}

static void
write_lines(struct buffer *out, struct slice text)
{
	struct slice line;
	for (bool first = true; slice_next(&text, '\n', &line); first = false) {
		buffer_add_text(out, first ? "" : "<br>");
		html_text(out, line);
	}
}

static void
write_consent(const struct page *page, const struct page_form *form)
{
	struct buffer *out = page->out;
	const struct slice text = page->looks.values[LOOK_CONSENT];
	if (!slice_present(text))
		return;
	buffer_add_text(
	    out, "<div class=\"check\">\n<input type=\"checkbox\" id=\"f-consent\" name=\"consent\" value=\"yes\" required");
	if (form->is_ticked)
		buffer_add_text(out, " checked");
	if (form->consent_is_missing)
		buffer_add_text(out, " aria-invalid=\"true\" aria-describedby=\"e-consent\"");
	if (form->consent_is_missing && first_error(page, form) == form->fields->count)
		buffer_add_text(out, " autofocus");
	buffer_add_text(out, ">\n<label for=\"f-consent\">");
	write_lines(out, text);
	buffer_add_text(out, "</label>\n");
	if (form->consent_is_missing)
		page_write_error(page, consent_name, page_word(page, TEXT_ERROR_MISSING_CONSENT));
	buffer_add_text(out, "</div>\n");
}

void
page_write_hidden(const struct page *page, const struct page_hidden *hidden, size_t count)
{
	for (size_t i = 0; i < count; i++)
		HTML(page->out, "<input type=\"hidden\" name=\"{}\" value=\"{}\">\n", hidden[i].name, hidden[i].value);
}

static void
write_unseen(const struct page *page, const struct page_form *form)
{
	page_write_hidden(page, form->hidden, form->hidden_count);
	if (slice_present(form->honeypot))
		HTML(page->out,
		    "<div class=\"trap\" aria-hidden=\"true\"><label>{} <input type=\"text\" name=\"{}\" tabindex=\"-1\" "
		    "autocomplete=\"off\"></label></div>\n",
		    page_word(page, TEXT_LEAVE_EMPTY), form->honeypot);
}

static void
write_form(const struct page *page, const struct page_form *form, struct slice button)
{
	if (page_form_has_errors(form))
		write_summary(page, form);
	HTML(page->out, "<form class=\"card\" method=\"post\" action=\"{}\"", form->action);
	if (slice_present(form->honeypot))
		HTML(page->out, " data-busy=\"{}\"", page_word(page, TEXT_PROOF_BUSY));
	if (slice_present(form->challenge_url))
		HTML(page->out, " data-challenge=\"{}\"", form->challenge_url);
	buffer_add_text(page->out, ">\n");
	if (slice_present(form->challenge_url))
		HTML(page->out, "<noscript><p>{}</p></noscript>\n",
		    page_word(page, form->needs_script ? TEXT_PROOF_NEEDED : TEXT_PROOF_NOSCRIPT));
	page_write_fields(page, form);
	write_consent(page, form);
	write_unseen(page, form);
	HTML(page->out, "<button type=\"submit\">{}</button>\n", button);
	if (slice_present(form->honeypot))
		buffer_add_text(page->out, "<p class=\"done\" role=\"status\" id=\"done\"></p>\n");
	buffer_add_text(page->out, "</form>\n");
}

void
page_write_signup(const struct page *page, const struct page_form *form)
{
	const struct slice text = page_own_text(page, LOOK_TEXT, TEXT_SIGNUP_TEXT);
	const struct page_head head = {
		.title = page_own_text(page, LOOK_TITLE, TEXT_SIGNUP_TITLE),
		.description = slice_present(page->looks.values[LOOK_TEXT]) ? slice_sub(text, 0, slice_find(text, '\n')) : text,
		.has_error = page_form_has_errors(form),
		.is_public = true,
	};
	page_begin(page, &head);
	html_paragraphs(page->out, text, " class=\"lead\"");
	write_form(page, form, page_own_text(page, LOOK_BUTTON, TEXT_SIGNUP_BUTTON));
	page_end(page);
}

void
page_write_failed_form(const struct page *page, const struct page_form *form)
{
	struct page plain = *page;
	plain.looks.values[LOOK_CONSENT] = SLICE_NONE;
	page_begin(&plain, &(struct page_head){ .title = page_text(page, TEXT_SIGNUP_TITLE), .has_error = true });
	write_form(&plain, form, page_word(page, TEXT_SEND_AGAIN));
	page_end(&plain);
}

void
page_write_plain_form(
    const struct page *page, const struct page_form *form, enum text_key title, enum text_key text, enum text_key button)
{
	struct page plain = *page;
	plain.looks.values[LOOK_CONSENT] = SLICE_NONE;
	page_begin(&plain, &(struct page_head){ .title = page_text(page, title), .has_error = page_form_has_errors(form) });
	html_paragraphs(page->out, page_text(page, text), " class=\"lead\"");
	write_form(&plain, form, page_word(page, button));
	page_end(&plain);
}

/* ---- forms on other sites ---- */

/* Writes an option that stands for no choice, then the other options. */
static void
write_options(struct buffer *out, const struct page_field *field, enum text_language language)
{
	HTML(out, "><option value=\"\">{}</option>", text_find(language, TEXT_SELECT_NONE));
	for (size_t i = 0; i < field->option_count; i++)
		write_option(out, &field->options[i], "");
}

static void
write_embedded_field(struct buffer *out, const struct page_field *field, enum text_language language)
{
	const char *autocomplete = page_field_autocomplete(field), *type = inputs[field->type].type;
	const struct slice label = page_field_label(field, language);
	const bool box = field->type == PAGE_FIELD_CHECKBOX, select = field->type == PAGE_FIELD_SELECT;
	buffer_add_text(out, "<label>");
	if (!box)
		HTML(out, "{} ", label);
	buffer_add_text(out, type != NULL ? "<input" : select ? "<select" : "<textarea");
	HTML(out, " name=\"{}\"", field->name);
	if (type != NULL)
		buffer_printf(out, " type=\"%s\"", type);
	if (autocomplete != NULL)
		buffer_printf(out, " autocomplete=\"%s\"", autocomplete);
	buffer_add_text(out, inputs[field->type].more);
	if (field->required)
		buffer_add_text(out, " required");
	if (select)
		write_options(out, field, language);
	else
		buffer_add_text(out, ">");
	if (type == NULL)
		buffer_add_text(out, select ? "</select>" : "</textarea>");
	if (box)
		HTML(out, " {}", label);
	buffer_add_text(out, "</label>");
}

void
page_write_embedded_fields(const struct page *page, const struct page_fields *fields)
{
	struct buffer *out = page->out;
	const struct slice consent = page->looks.values[LOOK_CONSENT];
	for (size_t i = 0; i < fields->count; i++) {
		buffer_add_text(out, i == 0 ? "" : " ");
		write_embedded_field(out, &fields->items[i], page->language);
	}
	if (!slice_present(consent))
		return;
	buffer_add_text(out, " <label><input name=\"consent\" type=\"checkbox\" value=\"yes\" required> ");
	write_lines(out, consent);
	HTML(out, "</label><input type=\"hidden\" name=\"consent_version\" value=\"{}\">",
	    looks_consent_version(page->pool, &page->looks));
}

/* ---- the form as JSON, for the script of other sites ---- */

static void
write_json_options(struct json_writer *writer, const struct page_field *field)
{
	json_name(writer, SLICE("options"));
	json_begin_array(writer);
	for (size_t i = 0; i < field->option_count; i++)
		json_string(writer, field->options[i].value);
	json_end_array(writer);
	json_name(writer, SLICE("labels"));
	json_begin_array(writer);
	for (size_t i = 0; i < field->option_count; i++)
		json_string(writer, field->options[i].label);
	json_end_array(writer);
}

static void
write_json_field(struct json_writer *writer, const struct page_field *field, enum text_language language)
{
	const char *autocomplete = page_field_autocomplete(field);
	json_begin_object(writer);
	json_put_text(writer, SLICE("name"), field->name);
	json_put_text(writer, SLICE("type"), page_field_type_name(field->type));
	json_put_text(writer, SLICE("label"), page_field_label(field, language));
	json_put_text(writer, SLICE("autocomplete"), autocomplete == NULL ? SLICE_NONE : slice_of(autocomplete));
	json_put_boolean(writer, SLICE("required"), field->required);
	if (field->type == PAGE_FIELD_SELECT)
		write_json_options(writer, field);
	json_end_object(writer);
}

/* A field that must stay empty. Its label is for visitors who see it nevertheless. */
static void
write_trap(struct json_writer *writer, const struct page *page, const struct page_form *form)
{
	json_name(writer, SLICE("trap"));
	if (!slice_present(form->honeypot)) {
		json_null(writer);
		return;
	}
	json_begin_object(writer);
	json_put_text(writer, SLICE("name"), form->honeypot);
	json_put_text(writer, SLICE("label"), page_word(page, TEXT_LEAVE_EMPTY));
	json_end_object(writer);
}

void
page_write_form_json(const struct page *page, const struct page_form *form)
{
	struct json_writer writer;
	json_writer_init(&writer, page->out);
	json_begin_object(&writer);
	json_put_text(&writer, SLICE("language"), text_language_code(page->language));
	json_put_text(&writer, SLICE("direction"), page_word(page, TEXT_LANGUAGE_DIRECTION));
	json_name(&writer, SLICE("fields"));
	json_begin_array(&writer);
	for (size_t i = 0; i < form->fields->count; i++)
		write_json_field(&writer, &form->fields->items[i], page->language);
	json_end_array(&writer);
	json_put_text(&writer, SLICE("choose"), page_word(page, TEXT_SELECT_NONE));
	json_put_text(&writer, SLICE("consent"), page->looks.values[LOOK_CONSENT]);
	json_put_text(&writer, SLICE("consent_version"), looks_consent_version(page->pool, &page->looks));
	json_put_text(&writer, SLICE("button"), page_own_text(page, LOOK_BUTTON, TEXT_SIGNUP_BUTTON));
	write_trap(&writer, page, form);
	json_put_boolean(&writer, SLICE("proof"), slice_present(form->challenge_url));
	json_name(&writer, SLICE("colors"));
	looks_write_colors(&writer, &page->looks);
	json_name(&writer, SLICE("errors"));
	page_write_failures(&writer, page->language);
	json_put_text(&writer, SLICE("wait_seconds"), page_word(page, TEXT_WAIT_SECONDS));
	json_put_text(&writer, SLICE("wait_minutes"), page_word(page, TEXT_WAIT_MINUTES));
	json_end_object(&writer);
}
