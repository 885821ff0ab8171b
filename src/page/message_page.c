/* SPDX-License-Identifier: MIT */
#include "page/message_page.h"

void
page_write_message(const struct page *page, const struct page_message *message)
{
	page_begin(page, &(struct page_head){ .title = message->title });
	if (slice_present(message->notice))
		HTML(page->out, "<p class=\"notice\" role=\"status\">{}</p>\n", message->notice);
	buffer_add_text(page->out, "<div class=\"card\">\n");
	html_paragraphs(page->out, message->text, "");
	if (slice_present(message->link))
		HTML(page->out, "<p><a class=\"button\" href=\"{}\">{}</a></p>\n", message->link, message->link_text);
	if (slice_present(message->button)) {
		buffer_add_text(page->out, "<form method=\"post\">\n");
		page_write_hidden(page, message->hidden, message->hidden_count);
		HTML(page->out,
		    message->is_quiet ? "<button type=\"submit\" class=\"quiet\">{}</button>\n</form>\n"
				      : "<button type=\"submit\">{}</button>\n</form>\n",
		    message->button);
	}
	buffer_add_text(page->out, "</div>\n");
	page_end(page);
}

struct page_message
page_ended_message(const struct page *page)
{
	return (struct page_message){ .title = page_text(page, TEXT_ENDED_TITLE),
		.text = page_own_text(page, LOOK_ENDED_TEXT, TEXT_ENDED_TEXT) };
}

/* ---- confirmation ---- */

static struct slice
with_address(const struct page *page, enum text_key key, struct slice address)
{
	return PAGE_FILL(page, key, { "campaign", page->campaign_name }, { "address", address });
}

void
page_write_confirm(const struct page *page, const struct page_code *code)
{
	struct buffer *out = page->out;
	page_begin(page, &(struct page_head){ .title = page_text(page, TEXT_CONFIRM_TITLE) });
	buffer_add_text(out, "<form class=\"card\" method=\"post\">\n");
	if (code->too_fast)
		html_paragraphs(out, page_word(page, TEXT_PRESS_AGAIN), "");
	html_paragraphs(out, with_address(page, TEXT_CONFIRM_TEXT, code->address), "");
	page_write_hidden(page, code->hidden, code->hidden_count);
	HTML(out, "<button type=\"submit\">{}</button>\n", page_word(page, TEXT_CONFIRM_BUTTON));
	HTML(out, "<button type=\"submit\" class=\"quiet\" name=\"reject\" value=\"1\">{}</button>\n",
	    page_word(page, TEXT_CONFIRM_REJECT));
	buffer_add_text(out, "</form>\n");
	page_end(page);
}

/* A single field for the code, so that it can be pasted, or filled in from a text message (WCAG 2.2, 3.3.8). */
static void
write_code_field(const struct page *page, enum page_value verdict)
{
	struct buffer *out = page->out;
	const bool bad = verdict != PAGE_VALUE_OK;
	HTML(out, "<div class=\"field\">\n<label for=\"f-code\">{}</label>\n", page_word(page, TEXT_FIELD_CODE));
	if (bad)
		page_write_error(page, SLICE("code"), page_word(page, TEXT_ERROR_INVALID_CODE));
	buffer_printf(out,
	    "<input type=\"text\" class=\"code\" id=\"f-code\" name=\"code\" inputmode=\"numeric\" "
	    "autocomplete=\"one-time-code\" maxlength=\"12\" required%s>\n</div>\n",
	    bad ? " aria-invalid=\"true\" aria-describedby=\"e-code\" autofocus" : "");
}

static void
write_code_buttons(const struct page *page)
{
	HTML(page->out,
	    "<button type=\"submit\">{}</button>\n"
	    "<button type=\"submit\" class=\"quiet\" name=\"resend\" value=\"1\" formnovalidate>{}</button>\n",
	    page_word(page, TEXT_CONFIRM_BUTTON), page_word(page, TEXT_CODE_RESEND));
}

void
page_write_code(const struct page *page, const struct page_code *code)
{
	struct buffer *out = page->out;
	page_begin(page,
	    &(struct page_head){ .title = page_text(page, TEXT_CODE_TITLE), .has_error = code->verdict != PAGE_VALUE_OK });
	buffer_add_text(out, "<form class=\"card\" method=\"post\">\n");
	html_paragraphs(
	    out, with_address(page, code->by_phone ? TEXT_CODE_TEXT_PHONE : TEXT_CODE_TEXT_EMAIL, code->address), "");
	write_code_field(page, code->verdict);
	page_write_hidden(page, code->hidden, code->hidden_count);
	write_code_buttons(page);
	buffer_add_text(out, "</form>\n");
	page_end(page);
}

void
page_write_code_and_address(const struct page *page, const struct page_form *form, enum text_key text)
{
	struct buffer *out = page->out;
	page_begin(
	    page, &(struct page_head){ .title = page_text(page, TEXT_CODE_TITLE), .has_error = page_form_has_errors(form) });
	HTML(out, "<form class=\"card\" method=\"post\" action=\"{}\">\n", form->action);
	html_paragraphs(out, page_text(page, text), "");
	page_write_fields(page, form);
	write_code_field(page, PAGE_VALUE_OK);
	write_code_buttons(page);
	buffer_add_text(out, "</form>\n");
	page_end(page);
}
