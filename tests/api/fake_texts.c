/* SPDX-License-Identifier: MIT
 * The store's texts and messages: each campaign has its own style, and requests for messages count as changes. */
#include "fake_store.h"

#include "fake_rows.h"
#include "store/message_requests.h"
#include "store/texts/campaign_texts.h"

enum result
store_read_texts(
    struct store *store, struct pool *pool, uint64_t campaign_id, struct slice prefix UNUSED, struct campaign_texts *texts)
{
	fake_note_read(store, campaign_id);
	*texts = (struct campaign_texts){ POOL_NEW(pool, struct campaign_text), 1 };
	texts->list[0] = (struct campaign_text){ SLICE("page.css"), SLICE(""), SLICE("h1 { margin: 0 }") };
	return RESULT_OK;
}

enum result
store_request_messages(struct store *store, const struct made_message *messages, size_t count)
{
	for (size_t i = 0; i < count; i++)
		fake_note_change(store, messages[i].campaign_id);
	return RESULT_OK;
}
