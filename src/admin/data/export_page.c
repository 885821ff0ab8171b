/* SPDX-License-Identifier: MIT */
#include "admin/data/export_page.h"

struct export_place
export_begin(const struct lead_filter *filter, bool names_first, bool by_score, uint32_t last)
{
	struct export_place place = { .names_only = names_first, .by_score = by_score, .last = last };
	if (names_first)
		place.after = filter->newest ? 0 : filter->after;
	else
		export_begin_records(filter, &place);
	return place;
}

void
export_begin_records(const struct lead_filter *filter, struct export_place *place)
{
	place->names_only = false;
	place->after = filter->after != 0 ? filter->after : filter->newest ? place->last + 1 : 0;
}

void
export_go_on_after(struct export_place *place, const struct lead *lead)
{
	place->after = lead->subscription_number;
	place->order.has_place = place->by_score;
	place->order.score = lead->score;
	place->order.number = lead->subscription_number;
}

/* Leaves out what signed up later. */
static void
leave_out_later(struct lead_page *page, uint32_t last)
{
	size_t kept = 0;
	for (size_t i = 0; i < page->count; i++)
		if (page->leads[i].subscription_number <= last)
			page->leads[kept++] = page->leads[i];
	page->count = kept;
}

enum result
export_read_page(struct operation_call *call, struct pool *pool, const struct lead_filter *filter, struct export_place *place,
    struct lead_page *page, bool *more)
{
	struct lead_filter wanted = *filter;
	struct export_place next = *place; /* after a failure the same page is read again */
	const bool by_score = place->by_score && !place->names_only;
	wanted.after = place->after;
	wanted.newest = filter->newest && !place->names_only;
	next.order.examined = 0;
	const enum result result = by_score
				       ? store_export_leads_in_order(call->store, pool, call->id, &wanted, &next.order, page)
				       : store_export_leads(call->store, pool, call->id, &wanted, place->names_only, page);
	if (result != RESULT_OK)
		return result;
	*more = by_score ? next.order.more : page->next != 0 && (wanted.newest || page->next < place->last);
	if (!by_score)
		next.after = page->next;
	*place = next;
	leave_out_later(page, place->last);
	return RESULT_OK;
}
