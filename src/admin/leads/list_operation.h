/* SPDX-License-Identifier: MIT
 * The filters of `lead list` and `lead export`, and the order of the leads. */
#pragma once

#include "admin/leads/named_lead.h"
#include "store/lead_pages.h"

struct lead_selection {
	struct lead_filter filter;
	bool by_score;
	struct slice after; /* where the list continues, as named in the part before; or absent */
};
#define LEAD_SELECTION_DEFAULTS                      \
	{                                            \
		.filter = {                          \
			.verified = -1,              \
			.waitlisted = -1,            \
			.fraudulent = -1,            \
			.opted_out = -1,             \
			.since_ms = -1,              \
			.limit = VALUE_LIMIT_DEFAULT \
		}                                    \
	}

extern const struct value_type value_lead_order; /* bool: by score */

#define LEAD_SELECTION_PARAMETERS(type, member)                                              \
	OPTION_WITH("name", value_name, offsetof(type, member.filter.name), PARAMETER_SLOW), \
	    OPTION("verified", value_filter, offsetof(type, member.filter.verified)),        \
	    OPTION("waitlisted", value_filter, offsetof(type, member.filter.waitlisted)),    \
	    OPTION("fraudulent", value_filter, offsetof(type, member.filter.fraudulent)),    \
	    OPTION("opted_out", value_filter, offsetof(type, member.filter.opted_out)),      \
	    OPTION("tag", value_tag, offsetof(type, member.filter.tag_id)),                  \
	    OPTION("source", value_source, offsetof(type, member.filter.source)),            \
	    OPTION("since", value_time, offsetof(type, member.filter.since_ms)),             \
	    OPTION("until", value_time, offsetof(type, member.filter.until_ms)),             \
	    OPTION("after", value_text, offsetof(type, member.after)),                       \
	    OPTION("newest", value_on, offsetof(type, member.filter.newest)),                \
	    OPTION("order", value_lead_order, offsetof(type, member.by_score))

/* Returns 0, or EX_USAGE after reporting that two orders are given: --newest and --order. */
MUST_CHECK int lead_selection_check(struct operation_call *call, const struct lead_selection *selection);
/* Reads the sign-up number after which the list continues, if one is given. Returns 0, or a status after reporting that it is
 * not a number. */
MUST_CHECK int lead_selection_read_number(
    struct operation_call *call, const struct lead_selection *selection, struct lead_filter *filter);
