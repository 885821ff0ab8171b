/* SPDX-License-Identifier: MIT */
#include "api/handlers/status_page.h"

#include "api/call/call_answers.h"
#include "api/call/limits.h"
#include "api/call/page_answers.h"
#include "api/handlers/address_proof.h"
#include "api/handlers/leaderboard.h"
#include "engine/id_list.h"
#include "engine/payload.h"
#include "engine/visitors.h"
#include "identity/social_id.h"
#include "page/status.h"

/* Reads the lead from its payload. */
static bool
read_payload(struct call *call, const struct payload_subject *subject, struct payload_view view, struct page_lead *lead)
{
	const struct payload_settings *settings;
	struct buffer payload;
	if (store_payload_settings(call->api->store, &settings) != RESULT_OK)
		return call_fail(call, FAILURE_UNAVAILABLE);
	buffer_init(&payload, PAYLOAD_MAX_BYTES);
	payload_write(&payload, settings, subject, view);
	const bool is_read = buffer_ok(&payload) && page_lead_read(call->request->pool, buffer_slice(&payload), lead);
	buffer_free(&payload);
	lead->shares_rank = subject->shares_rank;
	return is_read || call_fail(call, FAILURE_INTERNAL);
}

static void
add_rewards(struct pool *pool, const struct payload_subject *subject, struct page_status *status)
{
	const struct definitions *all = subject->definitions;
	struct page_reward *rewards = POOL_ARRAY(pool, all->reward_count, struct page_reward);
	for (size_t i = 0; i < all->reward_count; i++)
		rewards[i] = (struct page_reward){ pool_copy(pool, all->rewards[i].subject), all->rewards[i].required_points,
			id_list_has(subject->lead->reward_ids, all->rewards[i].id) };
	status->rewards = rewards;
	status->reward_count = all->reward_count;
}

/* The actions that the lead can complete itself, as a caller without a key. */
static void
add_actions(struct pool *pool, const struct payload_subject *subject, struct page_status *status)
{
	const struct definitions *all = subject->definitions;
	struct page_action *actions = POOL_ARRAY(pool, all->action_count, struct page_action);
	for (size_t i = 0; i < all->action_count; i++) {
		const struct action *action = &all->actions[i];
		if (!action->public || action->tag_id != 0)
			continue;
		actions[status->action_count++] = (struct page_action){ .id = action->id,
			.text = pool_copy(pool, action->text),
			.link = pool_copy(pool, action->link),
			.points = action->points,
			.done = id_list_has(subject->lead->action_ids, action->id),
			.can_complete = visitor_may_change(subject->campaign, VISITOR_OWNER) };
	}
	status->actions = actions;
}

/* The lead, and what follows from its campaign; status->lead stays NULL if it may not be seen. False: the call has failed. */
static bool
read_lead(struct call *call, const struct lead_reference *named, struct page_lead *lead, struct page_status *status)
{
	struct pool *pool = call->request->pool;
	struct payload_subject *subject;
	if (!named->own && !visitor_may_see(&call->campaign, LEAD_BY_SOCIAL_ID, VISITOR_STRANGER))
		return true;
	const enum result result = store_look_up(call->api->store, pool, call->campaign.id, named, &subject);
	if (result != RESULT_OK)
		return call_fail_result(call, result, FAILURE_LEAD_NOT_FOUND);
	if (!read_payload(call, subject, (struct payload_view){ .full = named->own, .own = named->own }, lead))
		return false;
	status->lead = lead;
	status->credit = page_credit_of(subject->campaign);
	add_rewards(pool, subject, status);
	add_actions(pool, subject, status);
	return true;
}

static bool
read_leaders(struct call *call, const struct page *page, struct page_status *status, struct page_board *board)
{
	struct slice json;
	if (!looks_have_board(&page->looks))
		return true;
	if (!call_find_leaders(call, PAGE_LEADERS_MAX, status->social_id, &json))
		return false;
	if (!page_board_read(page->pool, json, board))
		return call_fail(call, FAILURE_INTERNAL);
	status->board = board;
	return true;
}

static bool
verifies_email(const struct call *call, struct slice email)
{
	return call->campaign.verify_email && store_sends_mail(call->api->store) && slice_present(email);
}

/* What the lead's own page shows in addition to the lead. False: the call has failed. */
static bool
read_own(struct call *call, const struct page *page, struct page_status *status, struct page_board *board)
{
	status->can_erase = store_sends_mail(call->api->store);
	status->awaits_email = !status->lead->verified_email && verifies_email(call, status->lead->email);
	status->can_resend = !status->has_resent;
	status->awaits_phone =
	    call_sends_codes(call) && slice_present(status->lead->phone_number) && !status->lead->verified_phone_number;
	return read_leaders(call, page, status, board);
}

/* What everyone else sees in addition to the lead. The notice that a mail was sent again depends only on what everyone may see,
 * because anyone can write its mark into the query. */
static void
read_public(const struct call *call, struct page_status *status)
{
	const struct slice named = http_params_text(call->params, PAGE_AGAIN);
	status->has_mail = store_sends_mail(call->api->store) && campaign_mails_new_leads(&call->campaign);
	status->again = status->lead != NULL && slice_present(named);
	const bool by_email = status->again && slice_equal(named, SLICE("email"));
	status->awaits_email = by_email && !status->lead->verified_email && verifies_email(call, named);
	status->has_resent = status->awaits_email;
}

static void
show_status(struct call *call, const struct lead_reference *named)
{
	struct page page;
	struct page_lead lead;
	struct page_board board;
	struct page_status status = {
		.own = named->own,
		.social_id = named->value,
		.has_resent = http_params_value(call->params, PAGE_RESENT) != NULL,
		.has_ended = campaign_has_ended(&call->campaign, call->now_ms),
	};
	if (!call_begin_looks(call, &page) || !read_lead(call, named, &lead, &status) ||
	    (named->own && !read_own(call, &page, &status, &board)))
		return;
	if (!named->own)
		read_public(call, &status);
	call_page_headers(call, &page, PAGE_SECRET);
	page_write_status(&page, &status);
}

/* Finds the lead of the path; it is the visitor's `own` if the path has its token. With a wrong or outdated token, the page is
 * the one for everyone else. False: the call has failed. */
static bool
read_path(struct call *call, struct lead_reference *named)
{
	const struct http_request *request = call->request;
	struct slice social_id;
	if (!social_id_parse(request->pool, request->segments[3], &social_id))
		return call_fail(call, FAILURE_NOT_FOUND);
	*named = (struct lead_reference){ .identity = LEAD_BY_SOCIAL_ID, .value = SLICE_NONE };
	if (request->segment_count > 4 && !call_find_owner(call, social_id, request->segments[4], named))
		return false;
	named->value = social_id;
	return true;
}

void
handle_status_page(struct call *call)
{
	struct lead_reference named;
	if (read_path(call, &named))
		show_status(call, &named);
}

/* Sends the mail that confirms the address again, if there is something to confirm. False: the call has failed. */
static bool
resend(struct call *call, const struct lead_reference *named)
{
	struct lead lead;
	if (!call_may_wait(call, WAIT_READ))
		return false;
	const enum result result = call_find_lead(call, named, &lead);
	if (result != RESULT_OK)
		return call_fail_result(call, result, FAILURE_NOT_FOUND);
	return lead.verified_email || !verifies_email(call, lead.email) ||
	       call_request_message(call, lead.id, MESSAGE_VERIFY, SLICE_NONE);
}

/* Completes an action as a page does (docs/api.md 4.1.3). An action that is gone or already done changes nothing. False: the
 * call has failed. */
static bool
complete(struct call *call, const struct lead_reference *named, struct slice id)
{
	struct command command = { .kind = COMMAND_COMPLETION, .as.completion = { .lead = *named } };
	if (!visitor_may_change(&call->campaign, VISITOR_OWNER) ||
	    !slice_to_u64(id, INT64_MAX, &command.as.completion.action_id))
		return call_fail(call, FAILURE_ACTION_NOT_FOUND);
	return call_execute(call, &command).failure == FAILURE_NONE;
}

/* The answer does not depend on the limits of mails. It is a redirection, so that loading the page again has no effect. */
void
handle_status_button(struct call *call)
{
	const struct slice *path = call->request->segments;
	struct pool *pool = call->request->pool;
	struct lead_reference named;
	const struct slice action = http_params_text(call->params, SLICE("complete"));
	if (!read_path(call, &named))
		return;
	const struct slice page = POOL_JOIN(pool, SLICE("/s/"), path[3], SLICE("/"), path[4]);
	if (named.own && http_params_text(call->params, SLICE("resend")).size > 0) {
		if (resend(call, &named))
			call_redirect_to_page(call, POOL_JOIN(pool, page, SLICE("?"), PAGE_RESENT, SLICE("=1")));
	} else if (named.own && action.size > 0) {
		if (complete(call, &named, action))
			call_redirect_to_page(call, POOL_JOIN(pool, page, SLICE("#actions")));
	} else {
		show_status(call, &named);
	}
}
