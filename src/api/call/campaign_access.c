/* SPDX-License-Identifier: MIT */
#include "api/call/campaign_access.h"

#include "api/call/forms.h"
#include "api/call/param_names.h"
#include "api/call/param_values.h"

bool
call_campaign_id(struct call *call, uint64_t *id)
{
	struct slice text = SLICE_NONE;
	*id = 0;
	if (call->route->campaign == CAMPAIGN_IN_PATH)
		text = call->request->segments[1];
	else if (!param_read_text(call, PARAM_CAMPAIGN, &text))
		return false;
	if (!slice_to_u64(text, INT64_MAX, id))
		*id = 0;
	return true;
}

/* docs/pages.md 1; docs/api.md 3, require_key; 4.1.11, hosts_only; 6. */
enum failure
call_refusal(const struct call *call)
{
	const struct campaign *campaign = &call->campaign;
	if ((call->route->flags & ROUTE_HOSTED) != 0 && !campaign->pages)
		return FAILURE_CAMPAIGN_NOT_FOUND;
	if (campaign->require_key && call->account_id == 0 && call->route->key == KEY_OPTIONAL)
		return FAILURE_MISSING_API_KEY;
	if (campaign->hosts_only && call_is_from_foreign_page(call))
		return FAILURE_FORBIDDEN_ORIGIN;
	bool ended = (call->route->flags & ROUTE_UNTIL_END) != 0 && campaign_has_ended(campaign, call->now_ms);
	return ended ? FAILURE_CAMPAIGN_ENDED : FAILURE_NONE;
}
