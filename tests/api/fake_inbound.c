/* SPDX-License-Identifier: MIT
 * The part of store/hooks/inbound.h that the api uses: each campaign has one inbound webhook, with the id of the campaign. No
 * URL is valid. */
#include "fake_store.h"
#include "store/hooks/inbound.h"
#include "store/hooks/inbound_calls.h"

enum { CALL = 1 };

enum result
store_find_inbound_of_token(struct store *store UNUSED, struct pool *pool UNUSED, const unsigned char hash[32] UNUSED,
    struct inbound_webhook *webhook UNUSED)
{
	return RESULT_NOT_FOUND;
}

enum result
store_list_inbound(
    struct store *store, struct pool *pool, uint64_t campaign_id, struct inbound_webhook **webhooks, size_t *count)
{
	fake_note_read(store, campaign_id);
	*webhooks = POOL_NEW(pool, struct inbound_webhook);
	**webhooks = (struct inbound_webhook){ .id = campaign_id,
		.campaign_id = campaign_id,
		.name = SLICE("Shop"),
		.previous_until_ms = -1,
		.last_call_ms = -1 };
	*count = 1;
	return RESULT_OK;
}

enum result
store_put_inbound(struct store *store, const struct precondition *precondition UNUSED, const struct inbound_put *put,
    uint64_t *id, bool *fresh)
{
	fake_note_change(store, put->campaign_id);
	*id = put->campaign_id;
	*fresh = true;
	return RESULT_OK;
}

enum result
store_identify_inbound(
    struct store *store, uint64_t campaign_id, const struct inbound_reference *reference UNUSED, uint64_t *id)
{
	fake_note_read(store, campaign_id);
	*id = campaign_id;
	return RESULT_OK;
}

enum result
store_remove_inbound(struct store *store, const struct precondition *precondition UNUSED, uint64_t id)
{
	fake_note_change(store, id);
	return RESULT_OK;
}

struct slice
inbound_state_name(enum inbound_state state UNUSED)
{
	return SLICE("created");
}

enum result
store_note_inbound_call(struct store *store, const struct inbound_call *call, uint64_t *id)
{
	fake_note_change(store, call->campaign_id);
	*id = CALL;
	return RESULT_OK;
}
