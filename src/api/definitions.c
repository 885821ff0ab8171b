/* SPDX-License-Identifier: MIT
 * What a campaign's owner has defined: tags and actions. */
#include "api/call.h"

bool
call_find_definitions(struct call *call, struct definitions *definitions)
{
	enum result result = store_find_definitions(call->api->store, call->request->pool, call->campaign.id, definitions);
	if (result != RESULT_OK)
		call_fail(call, call_failure(result));
	return result == RESULT_OK;
}

/* By id before by name: a tag may be called 7. */
static const struct tag *
find_tag(const struct definitions *definitions, uint64_t campaign_id, struct slice text, unsigned by)
{
	uint64_t id;
	const struct tag *tag = NULL;
	if ((by & TAG_BY_ID) != 0 && slice_to_u64(text, INT64_MAX, &id))
		tag = definitions_tag(definitions, campaign_id, id);
	for (size_t i = 0; (by & TAG_BY_NAME) != 0 && tag == NULL && i < definitions->tag_count; i++)
		if (slice_equal(definitions->tags[i].name, text))
			tag = &definitions->tags[i];
	return tag;
}

bool
call_find_tag(struct call *call, struct slice text, unsigned by, uint64_t *tag_id)
{
	struct definitions definitions;
	if (!call_find_definitions(call, &definitions))
		return false;
	const struct tag *tag = find_tag(&definitions, call->campaign.id, text, by);
	if (tag == NULL)
		call_fail(call, FAILURE_TAG_NOT_FOUND);
	else
		*tag_id = tag->id;
	return tag != NULL;
}

static void
write_action(struct json_writer *writer, const struct action *action)
{
	json_begin_object(writer);
	json_key(writer, SLICE("id"));
	json_u64(writer, action->id);
	json_key(writer, SLICE("text"));
	json_string(writer, action->text);
	json_key(writer, SLICE("points"));
	json_i64(writer, action->points);
	json_key(writer, SLICE("tag_id"));
	if (action->tag_id != 0)
		json_u64(writer, action->tag_id);
	else
		json_null(writer);
	json_end_object(writer);
}

void
handle_list_actions(struct call *call)
{
	struct definitions definitions;
	if (!call_find_definitions(call, &definitions))
		return;
	struct json_writer writer = call_begin(call);
	json_begin_array(&writer);
	for (size_t i = 0; i < definitions.action_count; i++)
		write_action(&writer, &definitions.actions[i]);
	json_end_array(&writer);
}

static void
write_tag(struct json_writer *writer, const struct tag *tag)
{
	json_begin_object(writer);
	json_key(writer, SLICE("id"));
	json_u64(writer, tag->id);
	json_key(writer, SLICE("name"));
	json_string(writer, tag->name);
	json_key(writer, SLICE("description"));
	json_string_or_null(writer, tag->description);
	json_key(writer, SLICE("points"));
	json_i64(writer, tag->points);
	json_end_object(writer);
}

void
handle_list_tags(struct call *call)
{
	struct definitions definitions;
	if (!call_find_definitions(call, &definitions))
		return;
	struct json_writer writer = call_begin(call);
	json_begin_array(&writer);
	for (size_t i = 0; i < definitions.tag_count; i++)
		write_tag(&writer, &definitions.tags[i]);
	json_end_array(&writer);
}
