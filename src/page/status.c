/* SPDX-License-Identifier: MIT */
#include "page/status.h"

#include "base/encode.h"
#include "engine/visitors.h"

/* ---- points ---- */

static struct slice
points_text(const struct page *page, uint64_t points)
{
	return points == 1 ? page_word(page, TEXT_POINTS_ONE)
			   : PAGE_FILL(page, TEXT_POINTS_MANY, { "number", text_number(page->pool, page->language, points) });
}

struct page_credit
page_credit_of(const struct campaign *campaign)
{
	const bool verified = campaign_counts_verified(campaign);
	return (struct page_credit){ .points = campaign->points_direct + (verified ? campaign->points_verified : 0),
		.more = verified ? 0 : campaign->points_verified,
		.verified = verified };
}

static struct slice
credit_text(const struct page *page, const struct page_credit *credit)
{
	const enum text_key key = credit->points == 0 ? TEXT_SHARE_HINT
				  : credit->verified  ? TEXT_SHARE_CREDIT_VERIFIED
						      : TEXT_SHARE_CREDIT;
	const struct slice text = PAGE_FILL(page, key, { "points", points_text(page, credit->points) });
	if (credit->more == 0)
		return text;
	return POOL_JOIN(
	    page->pool, text, SLICE(" "), PAGE_FILL(page, TEXT_SHARE_MORE, { "points", points_text(page, credit->more) }));
}

/* ---- rewards ---- */

/* Sorts the rewards by points. Returns their number. */
static size_t
sort(const struct page_status *status, const struct page_reward *sorted[PAGE_REWARDS_MAX])
{
	size_t count = 0;
	for (size_t i = 0; i < status->reward_count && count < PAGE_REWARDS_MAX; i++) {
		size_t place = count++;
		for (; place > 0 && sorted[place - 1]->points > status->rewards[i].points; place--)
			sorted[place] = sorted[place - 1];
		sorted[place] = &status->rewards[i];
	}
	return count;
}

static bool
is_reached(const struct page_status *status, const struct page_reward *reward)
{
	return reward->reached || reward->points <= status->lead->score;
}

static void
write_missing(const struct page *page, const struct page_status *status, const struct page_reward *next)
{
	const uint64_t score = status->lead->score;
	HTML(page->out, "<p id=\"progress\">{}</p>\n",
	    PAGE_FILL(
		page, TEXT_REWARD_MISSING, { "points", points_text(page, next->points - score) }, { "reward", next->name }));
	buffer_printf(page->out, "<progress aria-labelledby=\"progress\" max=\"%llu\" value=\"%llu\"></progress>\n",
	    (unsigned long long)next->points, (unsigned long long)score);
}

static void
write_reward(const struct page *page, const struct page_status *status, const struct page_reward *reward)
{
	const bool reached = is_reached(status, reward);
	HTML(page->out, reached ? "<li class=\"done-mark\"><span>{}</span>" : "<li><span>{}</span>", reward->name);
	HTML(page->out, " <small>{}", points_text(page, reward->points));
	if (reached)
		HTML(page->out, " · {}", page_word(page, TEXT_REWARD_REACHED));
	buffer_add_text(page->out, "</small></li>\n");
}

static void
write_rewards(const struct page *page, const struct page_status *status)
{
	const struct page_reward *sorted[PAGE_REWARDS_MAX], *next = NULL;
	const size_t count = sort(status, sorted);
	if (count == 0)
		return;
	for (size_t i = count; i-- > 0;)
		if (!is_reached(status, sorted[i]))
			next = sorted[i];
	HTML(page->out, "<section class=\"card\" aria-labelledby=\"rewards\">\n<h2 id=\"rewards\">{}</h2>\n",
	    page_word(page, TEXT_REWARDS_TITLE));
	if (next != NULL && !status->has_ended)
		write_missing(page, status, next);
	buffer_add_text(page->out, "<ol class=\"steps\">\n");
	for (size_t i = 0; i < count; i++)
		write_reward(page, status, sorted[i]);
	buffer_add_text(page->out, "</ol>\n</section>\n");
}

/* ---- actions ---- */

static void
write_action(const struct page *page, const struct page_action *action)
{
	struct buffer *out = page->out;
	buffer_add_text(out, action->done ? "<li class=\"done-mark\"><span>" : "<li><span>");
	if (slice_present(action->link))
		HTML(out, "<a href=\"{}\" target=\"_blank\" rel=\"noopener noreferrer\">{}</a>", action->link, action->text);
	else
		html_text(out, action->text);
	buffer_add_text(out, "</span>");
	if (action->points > 0 || action->done)
		buffer_add_text(out, " <small>");
	if (action->points > 0)
		HTML(out, "+{}", points_text(page, (uint64_t)action->points));
	if (action->done)
		HTML(out, "{}{}", action->points > 0 ? SLICE(" · ") : SLICE(""), page_word(page, TEXT_ACTION_DONE));
	if (action->points > 0 || action->done)
		buffer_add_text(out, "</small>");
	if (action->can_complete && !action->done) {
		buffer_printf(out,
		    "\n<form method=\"post\"><button type=\"submit\" class=\"quiet\" name=\"complete\" value=\"%llu\"",
		    (unsigned long long)action->id);
		HTML(out, " aria-label=\"{}: {}\">{}</button></form>", page_word(page, TEXT_ACTION_BUTTON), action->text,
		    page_word(page, TEXT_ACTION_BUTTON));
	}
	buffer_add_text(out, "</li>\n");
}

static void
write_actions(const struct page *page, const struct page_status *status)
{
	if (status->action_count == 0)
		return;
	HTML(page->out,
	    "<section class=\"card\" aria-labelledby=\"actions\">\n<h2 id=\"actions\">{}</h2>\n<ul class=\"steps\">\n",
	    page_word(page, TEXT_ACTIONS_TITLE));
	for (size_t i = 0; i < status->action_count; i++)
		write_action(page, &status->actions[i]);
	buffer_add_text(page->out, "</ul>\n</section>\n");
}

/* ---- sharing ---- */

/* `{url}` and `{text}` stand for the percent-encoded values. */
static const struct {
	const char *name; /* NULL: the word for mail in the page's language */
	const char *link;
} sites[] = {
	{ "WhatsApp", "https://api.whatsapp.com/send?text={text}%20{url}" },
	{ "X", "https://twitter.com/intent/tweet?text={text}&url={url}" },
	{ "Facebook", "https://www.facebook.com/sharer.php?u={url}" },
	{ "LinkedIn", "https://www.linkedin.com/sharing/share-offsite/?url={url}" },
	{ "Telegram", "https://telegram.me/share/url?url={url}&text={text}" },
	{ NULL, "mailto:?subject={text}&body={text}%0D%0A%0D%0A{url}" },
};

enum { ENCODED_MAX_BYTES = 16 * 1024 };

static struct slice
percent_encoded(struct pool *pool, struct slice text)
{
	struct buffer out;
	buffer_init(&out, ENCODED_MAX_BYTES);
	encode_percent(&out, text);
	const struct slice encoded = buffer_ok(&out) ? pool_copy(pool, buffer_slice(&out)) : SLICE("");
	buffer_free(&out);
	return encoded;
}

static void
write_sites(const struct page *page, struct slice link, struct slice text)
{
	const struct slice url = percent_encoded(page->pool, link), words = percent_encoded(page->pool, text);
	HTML(page->out, "<ul class=\"sites\" aria-label=\"{}\">\n", page_word(page, TEXT_SHARE_SITES));
	for (size_t i = 0; i < ARRAY_SIZE(sites); i++) {
		const struct slice name = sites[i].name != NULL ? slice_of(sites[i].name) : page_word(page, TEXT_SHARE_MAIL);
		HTML(page->out, "<li><a href=\"{}\" rel=\"noreferrer noopener\">{}</a></li>\n",
		    TEXT_FILL(page->pool, slice_of(sites[i].link), { "url", url }, { "text", words }), name);
	}
	buffer_add_text(page->out, "</ul>\n");
}

static void
write_share(const struct page *page, struct slice link, struct slice hint)
{
	struct buffer *out = page->out;
	const struct slice text = page_own_text(page, LOOK_SHARE_TEXT, TEXT_SHARE_TEXT);
	HTML(out,
	    "<section class=\"card\" aria-labelledby=\"share\">\n<h2 id=\"share\">{}</h2>\n<p>{}</p>\n"
	    "<div class=\"copy\">\n<label class=\"hidden\" for=\"link\">{}</label>\n"
	    "<input type=\"text\" id=\"link\" value=\"{}\" readonly>\n"
	    "<button type=\"button\" data-copy=\"link\" data-done=\"{}\" hidden>{}</button>\n</div>\n",
	    page_word(page, TEXT_SHARE_TITLE), hint, page_word(page, TEXT_SHARE_LINK), link, page_word(page, TEXT_SHARE_COPIED),
	    page_word(page, TEXT_SHARE_COPY));
	HTML(out,
	    "<p class=\"done\" role=\"status\" id=\"done\"></p>\n<button type=\"button\" class=\"quiet\" data-share=\"{}\" "
	    "data-text=\"{}\" hidden>{}</button>\n",
	    link, text, page_word(page, TEXT_SHARE_BUTTON));
	write_sites(page, link, text);
	buffer_add_text(out, "</section>\n");
}

/* ---- the page ---- */

static struct slice
number(const struct page *page, uint64_t value)
{
	return text_number(page->pool, page->language, value);
}

static void
write_fact(const struct page *page, enum text_key label, struct slice value, struct slice more)
{
	HTML(page->out, "<div><dt>{}</dt><dd>{}", page_word(page, label), value);
	if (slice_present(more))
		HTML(page->out, " <small>{}</small>", more);
	buffer_add_text(page->out, "</dd></div>\n");
}

static void
write_facts(const struct page *page, const struct page_lead *lead)
{
	const enum text_key place = lead->shares_rank ? TEXT_STATUS_OF_SHARED : TEXT_STATUS_OF;
	const struct slice of = PAGE_FILL(page, place, { "number", number(page, lead->leads) });
	buffer_add_text(page->out, "<dl class=\"facts card\">\n");
	write_fact(page, TEXT_STATUS_POSITION, number(page, lead->rank), of);
	write_fact(page, TEXT_STATUS_SCORE, number(page, lead->score), SLICE_NONE);
	write_fact(page, TEXT_STATUS_REFERRALS, number(page, lead->referrals), SLICE_NONE);
	buffer_add_text(page->out, "</dl>\n");
}

/* The button that requests the mail again, or a notice that it was pressed. */
static void
write_resend(const struct page *page, const struct page_status *status)
{
	if (status->has_resent)
		HTML(page->out, "<p class=\"notice\" role=\"status\">{}</p>\n", page_word(page, TEXT_STATUS_RESENT));
	else if (status->can_resend)
		HTML(page->out,
		    "<form method=\"post\">\n<button type=\"submit\" class=\"quiet\" name=\"resend\" "
		    "value=\"1\">{}</button>\n</form>\n",
		    page_word(page, TEXT_STATUS_RESEND));
}

static void
write_notice(const struct page *page, enum text_key text, struct slice address)
{
	HTML(page->out, "<p class=\"notice\">{}</p>\n", PAGE_FILL(page, text, { "address", address }));
}

/* What the lead still has to confirm. */
static void
write_awaited(const struct page *page, const struct page_status *status)
{
	const struct slice code = page_path(page, SLICE("/code"));
	if (status->awaits_email) {
		write_notice(page, status->own ? TEXT_STATUS_AWAITS_EMAIL : TEXT_STATUS_AWAITS_ANY_EMAIL, status->lead->email);
		HTML(page->out, "<p><a class=\"button\" href=\"{}\">{}</a></p>\n", code, page_word(page, TEXT_CODE_LINK));
		write_resend(page, status);
	}
	if (status->awaits_phone) {
		write_notice(page, TEXT_STATUS_AWAITS_PHONE, status->lead->phone_number);
		buffer_printf(page->out, "<p><a class=\"button\" href=\"%.*s?phone_number=", SLICE_ARGS(code));
		encode_percent(page->out, status->lead->phone_number);
		HTML(page->out, "\">{}</a></p>\n", page_word(page, TEXT_CODE_TITLE));
	}
}

static void
write_board(const struct page *page, const struct page_status *status)
{
	struct buffer *out = page->out;
	HTML(out,
	    "<section class=\"card\" aria-labelledby=\"board\">\n<h2 id=\"board\">{}</h2>\n<table>\n<thead><tr>"
	    "<th scope=\"col\">{}</th><th scope=\"col\">{}</th><th scope=\"col\">{}</th></tr></thead>\n<tbody>\n",
	    page_word(page, TEXT_BOARD_TITLE), page_word(page, TEXT_BOARD_RANK), page_word(page, TEXT_BOARD_NAME),
	    page_word(page, TEXT_STATUS_SCORE));
	for (size_t i = 0; i < status->board->count; i++) {
		const struct page_leader *leader = &status->board->leaders[i];
		const bool mine = slice_equal(leader->social_id, status->social_id);
		buffer_add_text(out, mine ? "<tr aria-current=\"true\">" : "<tr>");
		HTML(out, "<td>{}</td><td>{}", number(page, leader->rank), leader->name);
		if (mine && status->own)
			HTML(out, " <small>{}</small>", page_word(page, TEXT_BOARD_YOU));
		HTML(out, "</td><td>{}</td></tr>\n", number(page, leader->score));
	}
	buffer_add_text(out, "</tbody>\n</table>\n</section>\n");
}

/* Writes the part of the page for visitors who followed the lead's link. */
static void
write_invitation(const struct page *page, const struct page_status *status)
{
	HTML(page->out, "<div class=\"card\">\n<p>{}</p>\n", page_text(page, TEXT_STATUS_INVITATION));
	HTML(page->out, "<p><a class=\"button\" href=\"{}?kid={}\">{}</a></p>\n</div>\n", page_path(page, SLICE("")),
	    status->social_id, page_word(page, TEXT_SIGNUP_BUTTON));
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
	return PAGE_FILL(page, TEXT_STATUS_TITLE_NAME, { "name", status->lead->first_name });
}

/* The text below the title. A lead that has to confirm an address only sees that it has to confirm it. */
static void
write_text(const struct page *page, const struct page_status *status)
{
	const bool awaits = status->awaits_email || status->awaits_phone;
	const enum text_key usual = !status->has_ended ? TEXT_STATUS_TEXT : status->own ? TEXT_STATUS_ENDED : TEXT_ENDED_TEXT;
	if (status->has_ended || (status->own && !awaits))
		html_paragraphs(page->out, page_own_text(page, status->has_ended ? LOOK_ENDED_TEXT : LOOK_STATUS_TEXT, usual),
		    " class=\"lead\"");
	if (status->own && status->lead->opted_out)
		HTML(page->out, "<p class=\"notice\">{}</p>\n", page_text(page, TEXT_OPTED_OUT_TEXT));
}

/* A copy of the page whose footer has one more link than those of the campaign. */
static struct page
with_footer(const struct page *page, const struct page_status *status)
{
	struct page more = *page;
	if (status->own && status->can_erase) {
		more.footer_url = page_path(page, SLICE("/erase"));
		more.footer_text = page_word(page, TEXT_ERASE_LINK);
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
		write_share(page, link, credit_text(page, &status->credit));
	if (status->own)
		write_rewards(page, status);
	if (status->own && !status->has_ended)
		write_actions(page, status);
	if (!is_person && !status->has_ended)
		write_invitation(page, status);
	if (!status->own && status->has_mail && !status->awaits_email)
		HTML(page->out, "<p class=\"muted\">{}</p>\n", page_word(page, TEXT_STATUS_OWN_LINK));
	if (status->board != NULL && status->board->count > 0)
		write_board(page, status);
	page_end(&framed);
}
