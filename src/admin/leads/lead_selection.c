/* SPDX-License-Identifier: MIT */
#include "admin/leads/lead_selection.h"

#include <sysexits.h>

#include "operation/value_types.h"

static const struct slice order_names[] = { SLICE_NONE, SLICE("score") }; /* the other order has no name */
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
