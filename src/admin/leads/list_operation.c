/* SPDX-License-Identifier: MIT */
#include "admin/leads/list_operation.h"

#include <inttypes.h>

#include "admin/leads/lead_operations.h"
#include "admin/leads/named_lead.h"
#include "operation/value_types.h"
#include "os/clock.h"
#include "store/shown_leads.h"

static const struct slice order_names[] = { SLICE_NONE, SLICE("score") }; /* the order of sign-ups has no name */
const struct value_type value_lead_order = { WORD_TYPE(bool, order_names, 2), .expected = "score" };

int
lead_selection_check(struct operation_call *call, const struct lead_selection *selection)
{
	if (selection->by_score && selection->filter.newest)
		return operation_fail_value(call, PROBLEM_USAGE, "newest", "only in the order of sign-ups, not with %s",
		    parameter_shown(call, "order"));
	return EX_OK;
}

int
lead_selection_read_number(struct operation_call *call, const struct lead_selection *selection, struct lead_filter *filter)
{
	if (!slice_present(selection->after) || value_to_u32(selection->after, UINT32_MAX, &filter->after))
		return EX_OK;
	return operation_fail_value(call, PROBLEM_INVALID, "after", "expected a number from 0 to 4294967295");
}

/* Leads are read in pages of PAGE_LEADS. Only the values that are shown are kept until everything is printed. */
enum { PAGE_LEADS = 250 };

struct lead_list_arguments {
	struct named_lead named;
	struct lead_selection selection;
	struct named_lead referrer;
};
#define PLACE(member) offsetof(struct lead_list_arguments, member)
static const struct parameter parameters[] = {
	LEAD_PARAMETERS(struct lead_list_arguments, named),
	LEAD_SELECTION_PARAMETERS(struct lead_list_arguments, selection),
	OPTION("referred_by", value_lead_social_id, PLACE(referrer)),
	OPTION("limit", value_limit, PLACE(selection.filter.limit)),
};
#undef PLACE
static const struct lead_list_arguments defaults = { .selection = LEAD_SELECTION_DEFAULTS };

/* A list under way. */
struct lead_list {
	struct lead_filter filter; /* `limit`: how many leads it may still show */
	bool has_order;
	struct lead_order order; /* valid if has_order: how far the list has come */
	int64_t deadline_ms;     /* until then it searches names */
};
enum { SEARCH_MS = 1000 };

static enum result
add_lead(struct operation_call *call, const struct payload_subject *subject)
{
	const struct lead *lead = subject->lead;
	struct slice json = SLICE_NONE;
	enum result result = call->wants_json ? lead_render(call, subject, &json) : RESULT_OK;
	if (result != RESULT_OK)
		return result;
	output_json_record(call->output, json);
	output_u64(call->output, "rank", lead->subscription_number);
	output_text(call->output, "social_id", pool_copy(call->pool, lead->social_id));
	output_text(call->output, "email", pool_copy(call->pool, lead->email));
	output_text(call->output, "phone_number", pool_copy(call->pool, lead->phone));
	output_u64(call->output, "contest_score", lead->score);
	output_u64(call->output, "referrals", lead->referrals);
	output_boolean(call->output, "verified", lead_is_verified(lead));
	output_boolean(call->output, "waitlisted", lead->waitlisted);
	output_boolean(call->output, "fraudulent", lead->fraudulent);
	output_boolean(call->output, "opted_out", lead->opted_out);
	output_time(call->output, "when", lead->created_ms);
	return RESULT_OK;
}

/* Lets the next page examine the full number of leads again. */
static void
begin_page(struct lead_list *list)
{
	list->filter.last = 0;
	list->order.examined = 0;
}

/* Outputs one page, moves the list to the next one, and lowers its limit. `pool` is for this page only. */
static enum result
add_page(struct operation_call *call, struct pool *pool, struct lead_list *list, bool *more)
{
	struct lead_page page;
	struct payload_subject *subjects;
	struct lead_filter *filter = &list->filter, wanted = *filter;
	wanted.limit = filter->limit < PAGE_LEADS ? filter->limit : PAGE_LEADS;
	enum result result = operation_find_campaign(call, NULL);
	if (result == RESULT_OK)
		result = list->has_order ? store_list_leads_in_order(call->store, pool, call->id, &wanted, &list->order, &page)
					 : store_list_leads(call->store, pool, call->id, &wanted, &page);
	if (result == RESULT_OK)
		result = store_show_leads(call->store, pool, call->id, page.leads, page.count, &subjects);
	for (size_t i = 0; result == RESULT_OK && i < page.count; i++)
		result = add_lead(call, &subjects[i]);
	if (result != RESULT_OK)
		return result;
	filter->after = page.next;
	filter->last = page.last;
	filter->limit -= page.count;
	/* a call examines no more leads than one page may; but when it searches names, it continues for a second */
	const bool searches = slice_present(filter->name) && clock_monotonic_ms() < list->deadline_ms;
	const bool page_ends = list->has_order ? store_order_is_spent(filter, &list->order) : page.next == page.last;
	if (page_ends && searches)
		begin_page(list);
	*more = (list->has_order ? list->order.more : page.next != 0) && (!page_ends || searches) && filter->limit > 0;
	return RESULT_OK;
}

/* ---- the order ---- */

/* Parses a score and a sign-up number, such as "25-7". */
static bool
parse_score_place(struct slice text, struct lead_order *order)
{
	const size_t dash = slice_find(text, '-');
	return value_to_u32(slice_sub(text, 0, dash), UINT32_MAX, &order->score) &&
	       value_to_u32(slice_sub(text, dash + 1, text.size), UINT32_MAX, &order->number);
}

/* Returns 0, or EX_USAGE after reporting a parameter that does not fit the order of the list. */
static int
check_order(struct operation_call *call, const struct lead_list_arguments *arguments)
{
	const bool by_score = arguments->selection.by_score, of_referrer = arguments->referrer.count > 0;
	const char *shown = parameter_shown(call, by_score ? "order" : "referred_by");
	const int status = lead_selection_check(call, &arguments->selection);
	if (status != EX_OK)
		return status;
	if (by_score && of_referrer)
		return operation_fail_value(call, PROBLEM_USAGE, "referred_by", "not with %s", shown);
	for (size_t i = 0; i < LEAD_NAMES_MAX && (by_score || of_referrer); i++)
		if (parameter_is_given(call, lead_parameters[i].name))
			return operation_fail_value(call, PROBLEM_USAGE, lead_parameters[i].name, "not with %s", shown);
	return EX_OK;
}

/* Reads the order, and the place where the list continues. Returns 0, or a status after reporting the error. */
static int
read_order(struct operation_call *call, const struct lead_list_arguments *arguments, struct lead_order *order)
{
	const struct slice after = arguments->selection.after;
	const bool by_score = arguments->selection.by_score;
	struct lead referrer;
	const int status = check_order(call, arguments);
	if (status != EX_OK)
		return status;
	order->has_place = slice_present(after);
	if (order->has_place && !(by_score ? parse_score_place(after, order) : value_is_id(after, &order->id)))
		return operation_fail_value(call, PROBLEM_INVALID, "after", "expected a place that the list has named");
	if (by_score)
		return EX_OK;
	const int found = named_lead_find(call, &arguments->referrer, &referrer);
	if (found == EX_OK)
		order->referrer_id = referrer.id;
	return found;
}

/* Where the next part begins; absent if the list has ended. */
static struct slice
next_place(struct pool *pool, const struct lead_list *list)
{
	const struct lead_order *order = &list->order;
	if (!list->has_order)
		return list->filter.after == 0 ? SLICE_NONE : pool_printf(pool, "%" PRIu32, list->filter.after);
	if (!order->more)
		return SLICE_NONE;
	return order->referrer_id != 0 ? pool_printf(pool, "%" PRIu64, order->id)
				       : pool_printf(pool, "%" PRIu32 "-%" PRIu32, order->score, order->number);
}

static int
run_lead_list(struct operation_call *call)
{
	const struct lead_list_arguments *arguments = ARGUMENTS(call, struct lead_list_arguments);
	struct lead_list list = { .filter = arguments->selection.filter,
		.has_order = arguments->selection.by_score || arguments->referrer.count > 0,
		.deadline_ms = clock_monotonic_ms() + SEARCH_MS };
	enum result result = RESULT_OK;
	for (size_t i = 0; i < arguments->named.count; i++)
		list.filter.identities[list.filter.identity_count++] = arguments->named.references[i];
	const int status = list.has_order ? read_order(call, arguments, &list.order)
					  : lead_selection_read_number(call, &arguments->selection, &list.filter);
	if (status != EX_OK)
		return status;
	for (bool more = true; result == RESULT_OK && more;) {
		struct pool *pool = pool_new();
		result = add_page(call, pool, &list, &more);
		pool_free(&pool);
	}
	if (result == RESULT_OK)
		call->next = next_place(call->pool, &list);
	return operation_answer(call, result);
}

OPERATION(lead_list, "lead list", "CAMPAIGN [FILTER...] [--newest|--order score]",
    "list leads in the order of their sign-ups, or by score", run_lead_list, .subject = &subject_campaign,
    PARAMETERS(parameters, struct lead_list_arguments), .defaults = &defaults, .shape = OUTPUT_ARRAY,
    HTTP(GET, "campaigns/{campaign}/leads", RIGHT_LEADS));
