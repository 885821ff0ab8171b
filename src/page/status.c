/* SPDX-License-Identifier: MIT */
#include "page/status.h"

#include "base/encode.h"

#include "page/rewards.h"
#include "page/share.h"

static struct slice
number(const struct page *page, uint64_t value)
{
	return text_number(page->pool, page->language, value);
}

static void
write_fact(const struct page *page, enum text_key label, struct slice value, struct slice more)
{
	HTML(page->out, "<div><dt>{}</dt><dd>{}", text_find(page->language, label), value);
	if (slice_present(more))
		HTML(page->out, " <small>{}</small>", more);
	buffer_add_text(page->out, "</dd></div>\n");
}

static void
write_facts(const struct page *page, const struct page_lead *lead)
{
	const enum text_key place = lead->shares_rank ? TEXT_STATUS_OF_SHARED : TEXT_STATUS_OF;
	const struct slice of =
	    TEXT_FILL(page->pool, text_find(page->language, place), { "number", number(page, lead->leads) });
	buffer_add_text(page->out, "<dl class=\"facts card\">\n");
	write_fact(page, TEXT_STATUS_POSITION, number(page, lead->rank), of);
	write_fact(page, TEXT_STATUS_SCORE, number(page, lead->score), SLICE_NONE);
	write_fact(page, TEXT_STATUS_REFERRALS, number(page, lead->referrals), SLICE_NONE);
	buffer_add_text(page->out, "</dl>\n");
}

/* The button that requests the mail again, or that this was done. */
static void
write_resend(const struct page *page, const struct page_status *status)
{
	if (status->has_resent)
		HTML(page->out, "<p class=\"notice\" role=\"status\">{}</p>\n", text_find(page->language, TEXT_STATUS_RESENT));
	else if (status->can_resend)
		HTML(page->out,
		    "<form method=\"post\">\n<button type=\"submit\" class=\"quiet\" name=\"resend\" "
		    "value=\"1\">{}</button>\n</form>\n",
		    text_find(page->language, TEXT_STATUS_RESEND));
}

static void
write_notice(const struct page *page, enum text_key text, struct slice address)
{
	HTML(page->out, "<p class=\"notice\">{}</p>\n",
	    TEXT_FILL(page->pool, text_find(page->language, text), { "address", address }));
}

/* What the lead still has to confirm. */
static void
write_awaited(const struct page *page, const struct page_status *status)
{
	const struct slice code = page_path(page, SLICE("/code"));
	if (status->awaits_email) {
		write_notice(page, status->own ? TEXT_STATUS_AWAITS_EMAIL : TEXT_STATUS_AWAITS_ANY_EMAIL, status->lead->email);
		HTML(page->out, "<p><a class=\"button\" href=\"{}\">{}</a></p>\n", code,
		    text_find(page->language, TEXT_CODE_LINK));
		write_resend(page, status);
	}
	if (status->awaits_phone) {
		write_notice(page, TEXT_STATUS_AWAITS_PHONE, status->lead->phone_number);
		buffer_printf(page->out, "<p><a class=\"button\" href=\"%.*s?phone_number=", SLICE_ARGS(code));
		encode_percent(page->out, status->lead->phone_number);
		HTML(page->out, "\">{}</a></p>\n", text_find(page->language, TEXT_CODE_TITLE));
	}
}

static void
write_board(const struct page *page, const struct page_status *status)
{
	struct buffer *out = page->out;
	HTML(out,
	    "<section class=\"card\" aria-labelledby=\"board\">\n<h2 id=\"board\">{}</h2>\n<table>\n<thead><tr>"
	    "<th scope=\"col\">{}</th><th scope=\"col\">{}</th><th scope=\"col\">{}</th></tr></thead>\n<tbody>\n",
	    text_find(page->language, TEXT_BOARD_TITLE), text_find(page->language, TEXT_BOARD_RANK),
	    text_find(page->language, TEXT_BOARD_NAME), text_find(page->language, TEXT_STATUS_SCORE));
	for (size_t i = 0; i < status->board->count; i++) {
		const struct page_leader *leader = &status->board->leaders[i];
		const bool mine = slice_equal(leader->social_id, status->social_id);
		buffer_add_text(out, mine ? "<tr aria-current=\"true\">" : "<tr>");
		HTML(out, "<td>{}</td><td>{}", number(page, leader->rank), leader->name);
		if (mine && status->own)
			HTML(out, " <small>{}</small>", text_find(page->language, TEXT_BOARD_YOU));
		HTML(out, "</td><td>{}</td></tr>\n", number(page, leader->score));
	}
	buffer_add_text(out, "</tbody>\n</table>\n</section>\n");
}

/* For visitors who followed the lead's link. */
static void
write_invitation(const struct page *page, const struct page_status *status)
{
	HTML(page->out, "<div class=\"card\">\n<p>{}</p>\n", page_text(page, TEXT_STATUS_INVITATION));
	HTML(page->out, "<p><a class=\"button\" href=\"{}?kid={}\">{}</a></p>\n</div>\n", page_path(page, SLICE("")),
	    status->social_id, text_find(page->language, TEXT_SIGNUP_BUTTON));
}

static struct slice
title_of(const struct page *page, const struct page_status *status)
{
	if (status->has_ended)
		return page_text(page, status->own ? TEXT_STATUS_TITLE_ENDED : TEXT_ENDED_TITLE);
	if (!status->own)
		return page_text(page, status->again          ? TEXT_STATUS_TITLE_AGAIN
				       : status->lead != NULL ? TEXT_STATUS_TITLE_PUBLIC
							      : TEXT_STATUS_TITLE_NONE);
	if (status->awaits_email || status->awaits_phone)
		return page_text(page, TEXT_CONFIRM_TITLE);
	if (!slice_present(status->lead->first_name))
		return page_text(page, TEXT_STATUS_TITLE);
	return TEXT_FILL(page->pool, text_find(page->language, TEXT_STATUS_TITLE_NAME), { "name", status->lead->first_name });
}

/* Below the title. A lead that has to confirm an address is shown only that. */
static void
write_text(const struct page *page, const struct page_status *status)
{
	const struct slice own = page->looks.values[status->has_ended ? LOOK_ENDED_TEXT : LOOK_STATUS_TEXT];
	const bool awaits = status->awaits_email || status->awaits_phone;
	const enum text_key usual = !status->has_ended ? TEXT_STATUS_TEXT : status->own ? TEXT_STATUS_ENDED : TEXT_ENDED_TEXT;
	if (status->has_ended || (status->own && !awaits))
		html_paragraphs(page->out, slice_present(own) ? own : page_text(page, usual), " class=\"lead\"");
	if (status->own && status->lead->opted_out)
		HTML(page->out, "<p class=\"notice\">{}</p>\n", page_text(page, TEXT_OPTED_OUT_TEXT));
}

/* The page with what its footer has besides the links of the campaign. */
static struct page
with_footer(const struct page *page, const struct page_status *status)
{
	struct page more = *page;
	if (status->own && status->can_erase) {
		more.footer_url = page_path(page, SLICE("/erase"));
		more.footer_text = text_find(page->language, TEXT_ERASE_LINK);
	}
	return more;
}

void
page_write_status(const struct page *page, const struct page_status *status)
{
	const struct page framed = with_footer(page, status);
	const bool is_person = status->own || status->again;
	const struct slice link = is_person ? status->lead->social_url : SLICE_NONE;
	page_begin(page, &(struct page_head){ .title = title_of(page, status) });
	write_text(page, status);
	write_awaited(page, status);
	if (status->lead != NULL)
		write_facts(page, status->lead);
	if (slice_present(link) && !status->has_ended)
		page_write_share(page, link, page_credit_text(page, &status->credit));
	if (status->own)
		page_write_rewards(page, status);
	if (status->own && !status->has_ended)
		page_write_actions(page, status);
	if (!is_person && !status->has_ended)
		write_invitation(page, status);
	if (!status->own && status->has_mail && !status->awaits_email)
		HTML(page->out, "<p class=\"muted\">{}</p>\n", text_find(page->language, TEXT_STATUS_OWN_LINK));
	if (status->board != NULL && status->board->count > 0)
		write_board(page, status);
	page_end(&framed);
}
