/* SPDX-License-Identifier: MIT */
#include "page/form_json.h"

#include "json/writer.h"
#include "page/failures.h"

static void
write_options(struct json_writer *writer, const struct page_field *field)
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
write_field(struct json_writer *writer, const struct page_field *field, enum text_language language)
{
	const char *autocomplete = page_field_autocomplete(field);
	json_begin_object(writer);
	json_put_text(writer, SLICE("name"), field->name);
	json_put_text(writer, SLICE("type"), page_field_type_name(field->type));
	json_put_text(writer, SLICE("label"), page_field_label(field, language));
	json_put_text(writer, SLICE("autocomplete"), autocomplete == NULL ? SLICE_NONE : slice_of(autocomplete));
	json_put_boolean(writer, SLICE("required"), field->required);
	if (field->type == PAGE_FIELD_SELECT)
		write_options(writer, field);
	json_end_object(writer);
}

/* A field that must stay empty; its label is for visitors who see it all the same. */
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
	json_put_text(writer, SLICE("label"), text_find(page->language, TEXT_LEAVE_EMPTY));
	json_end_object(writer);
}

void
page_write_form_json(const struct page *page, const struct page_form *form)
{
	const struct slice *looks = page->looks.values;
	struct json_writer writer;
	json_writer_init(&writer, page->out);
	json_begin_object(&writer);
	json_put_text(&writer, SLICE("language"), text_language_code(page->language));
	json_put_text(&writer, SLICE("direction"), text_find(page->language, TEXT_LANGUAGE_DIRECTION));
	json_name(&writer, SLICE("fields"));
	json_begin_array(&writer);
	for (size_t i = 0; i < form->fields->count; i++)
		write_field(&writer, &form->fields->items[i], page->language);
	json_end_array(&writer);
	json_put_text(&writer, SLICE("choose"), text_find(page->language, TEXT_SELECT_NONE));
	json_put_text(&writer, SLICE("consent"), looks[LOOK_CONSENT]);
	json_put_text(&writer, SLICE("consent_version"), looks_consent_version(page->pool, &page->looks));
	json_put_text(&writer, SLICE("button"),
	    slice_present(looks[LOOK_BUTTON]) ? looks[LOOK_BUTTON] : text_find(page->language, TEXT_SIGNUP_BUTTON));
	write_trap(&writer, page, form);
	json_put_boolean(&writer, SLICE("proof"), slice_present(form->challenge_url));
	json_name(&writer, SLICE("colors"));
	looks_write_colors(&writer, &page->looks);
	json_name(&writer, SLICE("errors"));
	page_write_failures(&writer, page->language);
	json_put_text(&writer, SLICE("wait_seconds"), text_find(page->language, TEXT_WAIT_SECONDS));
	json_put_text(&writer, SLICE("wait_minutes"), text_find(page->language, TEXT_WAIT_MINUTES));
	json_end_object(&writer);
}
