/* SPDX-License-Identifier: MIT */
#include "api/handlers/older.h"

#include "api/call/call_answers.h"
#include "api/call/call_rights.h"
#include "api/call/lead_argument.h"
#include "api/call/param_values.h"
#include "api/handlers/campaign_calls.h"
#include "api/handlers/lead_calls.h"
#include "identity/social_id.h"

/* The path names the lead: identifiers among the parameters are ignored. */
void
handle_lead_of_path(struct call *call)
{
	struct lead_reference own, lead = { .identity = LEAD_BY_SOCIAL_ID };
	if (!lead_read_owner(call, &own))
		return;
	const bool known = social_id_parse(call->request->pool, call->request->segments[2], &lead.value);
	struct payload_view view = param_view(call);
	view.own = !view.full && known && own.own && slice_equal(own.value, lead.value);
	if (view.own)
		lead = own;
	if (!call_may_see(call, &lead))
		return;
	if (known)
		call_show_lead(call, lead, view);
	else
		call_fail(call, FAILURE_LEAD_NOT_FOUND);
}

/* A campaign is a page and a list at once. Plugins copy all of these into a page of theirs. */
static void
write_landing_page(struct json_writer *writer, const struct campaign *campaign)
{
	static const struct slice empty[] = { SLICE("open_graph_description"), SLICE("open_graph_image"),
		SLICE("meta_description"), SLICE("favicon_link") };
	json_begin_object(writer);
	json_put_u64(writer, SLICE("page_id"), campaign->id);
	json_put_u64(writer, SLICE("list_id"), campaign->id);
	json_put_text(writer, SLICE("list_name"), campaign->name);
	json_put_text(writer, SLICE("title"), campaign->name);
	json_put_text(writer, SLICE("page_title"), campaign->name);
	json_put_text(writer, SLICE("open_graph_title"), campaign->name);
	for (size_t i = 0; i < ARRAY_SIZE(empty); i++)
		json_put_text(writer, empty[i], SLICE(""));
	json_end_object(writer);
}

void
handle_landing_pages(struct call *call)
{
	struct campaign *campaigns;
	size_t count;
	if (!call_list_campaigns(call, &campaigns, &count))
		return;
	struct json_writer writer = call_begin(call);
	json_begin_object(&writer);
	json_key(&writer, SLICE("pages"));
	json_begin_array(&writer);
	for (size_t i = 0; i < count; i++)
		write_landing_page(&writer, &campaigns[i]);
	json_end_array(&writer);
	json_end_object(&writer);
}

/* The password is the key, which was verified before (docs/api.md 4.1.8). */
void
handle_authenticate(struct call *call)
{
	struct json_writer writer = call_begin(call);
	json_begin_object(&writer);
	json_put_text(&writer, SLICE("api_key"), call->key_text);
	json_end_object(&writer);
}
