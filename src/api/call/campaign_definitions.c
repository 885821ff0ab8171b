/* SPDX-License-Identifier: MIT */
#include "api/call/campaign_definitions.h"

#include "api/call/call_answers.h"

bool
definitions_read(struct call *call, struct definitions *definitions)
{
	return call_check_result(
	    call, store_find_definitions(call->api->store, call->request->pool, call->campaign.id, definitions));
}

const struct tag *
definitions_find_tag(const struct definitions *definitions, struct slice text, unsigned by)
{
	uint64_t id;
	const struct tag *tag = NULL;
	if ((by & TAG_BY_ID) != 0 && slice_to_u64(text, INT64_MAX, &id))
		tag = definitions_tag(definitions, id);
	for (size_t i = 0; (by & TAG_BY_NAME) != 0 && tag == NULL && i < definitions->tag_count; i++)
		if (slice_equal(definitions->tags[i].name, text))
			tag = &definitions->tags[i];
	return tag;
}

bool
definitions_read_tag(struct call *call, struct slice text, unsigned by, uint64_t *tag_id)
{
	struct definitions definitions;
	if (!definitions_read(call, &definitions))
		return false;
	const struct tag *tag = definitions_find_tag(&definitions, text, by);
	if (tag == NULL)
		return call_fail(call, FAILURE_TAG_NOT_FOUND);
	*tag_id = tag->id;
	return true;
}
