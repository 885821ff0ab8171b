/* SPDX-License-Identifier: MIT */
#include "page/rewards.h"

#include "engine/visitors.h"

struct slice
page_points(const struct page *page, uint64_t points)
{
	return points == 1 ? text_find(page->language, TEXT_POINTS_ONE)
			   : TEXT_FILL(page->pool, text_find(page->language, TEXT_POINTS_MANY),
				 { "number", text_number(page->pool, page->language, points) });
}

struct page_credit
page_credit_of(const struct campaign *campaign)
{
	const bool verified = campaign_counts_verified(campaign);
	return (struct page_credit){ .points = campaign->points_direct + (verified ? campaign->points_verified : 0),
		.more = verified ? 0 : campaign->points_verified,
		.verified = verified };
}

struct slice
page_credit_text(const struct page *page, const struct page_credit *credit)
{
	const enum text_key key = credit->points == 0 ? TEXT_SHARE_HINT
				  : credit->verified  ? TEXT_SHARE_CREDIT_VERIFIED
						      : TEXT_SHARE_CREDIT;
	const struct slice text =
	    TEXT_FILL(page->pool, text_find(page->language, key), { "points", page_points(page, credit->points) });
	if (credit->more == 0)
		return text;
	return POOL_JOIN(page->pool, text, SLICE(" "),
	    TEXT_FILL(page->pool, text_find(page->language, TEXT_SHARE_MORE), { "points", page_points(page, credit->more) }));
}

/* ---- rewards ---- */

/* Sorts the rewards by points. Returns how many there are. */
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
	    TEXT_FILL(page->pool, text_find(page->language, TEXT_REWARD_MISSING),
		{ "points", page_points(page, next->points - score) }, { "reward", next->name }));
	buffer_printf(page->out, "<progress aria-labelledby=\"progress\" max=\"%llu\" value=\"%llu\"></progress>\n",
	    (unsigned long long)next->points, (unsigned long long)score);
}

static void
write_reward(const struct page *page, const struct page_status *status, const struct page_reward *reward)
{
	const bool reached = is_reached(status, reward);
	HTML(page->out, reached ? "<li class=\"done-mark\"><span>{}</span>" : "<li><span>{}</span>", reward->name);
	HTML(page->out, " <small>{}", page_points(page, reward->points));
	if (reached)
		HTML(page->out, " · {}", text_find(page->language, TEXT_REWARD_REACHED));
	buffer_add_text(page->out, "</small></li>\n");
}

void
page_write_rewards(const struct page *page, const struct page_status *status)
{
	const struct page_reward *sorted[PAGE_REWARDS_MAX], *next = NULL;
	const size_t count = sort(status, sorted);
	if (count == 0)
		return;
	for (size_t i = count; i-- > 0;)
		if (!is_reached(status, sorted[i]))
			next = sorted[i];
	HTML(page->out, "<section class=\"card\" aria-labelledby=\"rewards\">\n<h2 id=\"rewards\">{}</h2>\n",
	    text_find(page->language, TEXT_REWARDS_TITLE));
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
		HTML(out, "+{}", page_points(page, (uint64_t)action->points));
	if (action->done)
		HTML(out, "{}{}", action->points > 0 ? SLICE(" · ") : SLICE(""), text_find(page->language, TEXT_ACTION_DONE));
	if (action->points > 0 || action->done)
		buffer_add_text(out, "</small>");
	if (action->can_complete && !action->done) {
		buffer_printf(out,
		    "\n<form method=\"post\"><button type=\"submit\" class=\"quiet\" name=\"complete\" value=\"%llu\"",
		    (unsigned long long)action->id);
		HTML(out, " aria-label=\"{}: {}\">{}</button></form>", text_find(page->language, TEXT_ACTION_BUTTON),
		    action->text, text_find(page->language, TEXT_ACTION_BUTTON));
	}
	buffer_add_text(out, "</li>\n");
}

void
page_write_actions(const struct page *page, const struct page_status *status)
{
	if (status->action_count == 0)
		return;
	HTML(page->out,
	    "<section class=\"card\" aria-labelledby=\"actions\">\n<h2 id=\"actions\">{}</h2>\n<ul class=\"steps\">\n",
	    text_find(page->language, TEXT_ACTIONS_TITLE));
	for (size_t i = 0; i < status->action_count; i++)
		write_action(page, &status->actions[i]);
	buffer_add_text(page->out, "</ul>\n</section>\n");
}
