/* SPDX-License-Identifier: MIT
 * The store's outbound webhooks. */
#include "fake_store.h"
#include "fake_webhooks.h"
#include "store/hooks/webhooks.h"

enum { WEBHOOKS_MAX = 64 };

struct fake_webhooks {
	struct webhook_row rows[WEBHOOKS_MAX];
	size_t count;
	uint64_t next_id;
};

struct fake_webhooks *
fake_webhooks_new(struct pool *pool)
{
	struct fake_webhooks *all = POOL_NEW(pool, struct fake_webhooks);
	all->next_id = 1;
	return all;
}

static struct webhook_row *
find_webhook(struct fake_webhooks *all, uint64_t campaign_id, struct slice url)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->rows[i].campaign_id == campaign_id && slice_equal(all->rows[i].url, url))
			return &all->rows[i];
	return NULL;
}

static size_t
count_webhooks(const struct fake_webhooks *all, uint64_t campaign_id)
{
	size_t count = 0;
	for (size_t i = 0; i < all->count; i++)
		count += all->rows[i].campaign_id == campaign_id ? 1 : 0;
	return count;
}

enum result
store_put_webhook(struct store *store, const struct precondition *precondition UNUSED, const struct webhook_put *put,
    uint64_t *id, bool *created)
{
	struct fake_webhooks *all = fake_webhooks_of(store);
	struct webhook_row *webhook = find_webhook(all, put->campaign_id, put->url);
	fake_note_read(store, put->campaign_id);
	*created = webhook == NULL;
	if (webhook == NULL) {
		if (count_webhooks(all, put->campaign_id) >= put->maximum || all->count == WEBHOOKS_MAX)
			return RESULT_TOO_MANY;
		webhook = &all->rows[all->count++];
		*webhook = (struct webhook_row){ .id = all->next_id++,
			.campaign_id = put->campaign_id,
			.url = put->url,
			.failing_since_ms = -1,
			.last_delivery_ms = -1 };
	}
	webhook->events = put->events;
	if (slice_present(put->source))
		webhook->source = put->source;
	if (put->format != FORMAT_UNCHANGED)
		webhook->form = put->format == FORMAT_FORM;
	fake_note_change(store, put->campaign_id);
	*id = webhook->id;
	return RESULT_OK;
}

enum result
store_remove_webhook(struct store *store, uint64_t campaign_id, struct slice url)
{
	struct fake_webhooks *all = fake_webhooks_of(store);
	struct webhook_row *webhook = find_webhook(all, campaign_id, url);
	fake_note_read(store, campaign_id);
	if (webhook == NULL)
		return RESULT_NOT_FOUND;
	*webhook = all->rows[--all->count];
	fake_note_change(store, campaign_id);
	return RESULT_OK;
}

enum result
store_list_webhooks(struct store *store, struct pool *pool, uint64_t campaign_id, struct webhook_row **webhooks, size_t *count)
{
	const struct fake_webhooks *all = fake_webhooks_of(store);
	fake_note_read(store, campaign_id);
	*webhooks = POOL_ARRAY(pool, all->count, struct webhook_row);
	*count = 0;
	for (size_t i = 0; i < all->count; i++)
		if (all->rows[i].campaign_id == campaign_id)
			(*webhooks)[(*count)++] = all->rows[i];
	return RESULT_OK;
}

void
fake_webhooks_add(struct store *store, uint64_t campaign_id)
{
	const struct webhook_put put = {
		.campaign_id = campaign_id, .url = SLICE(FAKE_URL), .events = EVENT_BIT(0), .maximum = 1
	};
	uint64_t id;
	bool created;
	if (store_put_webhook(store, NULL, &put, &id, &created) != RESULT_OK)
		memory_exhausted();
}
