/* SPDX-License-Identifier: MIT
 * Each campaign has a style of its own. */
#include "fake_store.h"

#include "fake_rows.h"
#include "store/texts/campaign_texts.h"

enum result
store_read_texts(struct store *store, struct pool *pool, uint64_t campaign_id, struct slice prefix UNUSED,
    struct campaign_text **texts, size_t *count)
{
	fake_note_read(store, campaign_id);
	*texts = POOL_NEW(pool, struct campaign_text);
	**texts = (struct campaign_text){ SLICE("page.css"), SLICE(""), SLICE("h1 { margin: 0 }") };
	*count = 1;
	return RESULT_OK;
}
