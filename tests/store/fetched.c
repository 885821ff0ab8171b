/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "engine/events.h"
#include "fetched.h"

const unsigned char owners[2][DISPATCH_OWNER_SIZE] = { "first dispatche", "other dispatche" };
const struct id_set no_ids = { 0 };

uint64_t
make_due(struct world *w, size_t count)
{
	uint64_t webhook = add_webhook(w, w->campaign, "https://a.example/hook", EVENT_BIT(EVENT_NEW_SIGNUP));
	sign_up_many(w, "due", count);
	return webhook;
}

uint64_t
lease(struct world *w, const unsigned char *owner, int64_t lease_ms)
{
	uint64_t leased;
	assert_int_equal(store_shards_lease(w->store, owner, lease_ms, &leased), RESULT_OK);
	return leased;
}

struct due_deliveries
fetch_request(struct world *w, struct due_request *request, const struct id_set *under_way)
{
	struct due_deliveries fetched;
	assert_int_equal(store_fetch_due(w->store, w->pool, request, 1, under_way, &fetched), RESULT_OK);
	return fetched;
}

struct due_deliveries
fetch(struct world *w, uint64_t webhook, size_t rows)
{
	struct due_request request = { .webhook_id = webhook, .rows = rows };
	lease(w, owners[0], LONG_MS);
	return fetch_request(w, &request, &no_ids);
}

struct delivery_outcome
outcome_of(const struct due_delivery *delivery, enum delivery_state state, int status)
{
	return (struct delivery_outcome){
		.id = delivery->id,
		.event_id = delivery->event_id,
		.webhook_id = delivery->destination->webhook_id,
		.form = delivery->form,
		.attempt = delivery->attempt,
		.attempts_before = delivery->attempts_before,
		.state = state,
		.next_due_in_ms = LONG_MS,
		.webhook_failures = state == DELIVERY_DELIVERED ? 0 : 1,
		.duration_ms = 12,
		.started_ms_ago = 12,
		.status = status,
		.error = status == 0 ? SLICE("timeout") : SLICE_NONE,
		.answer = SLICE("answer"),
	};
}

size_t
record_outcomes(struct world *w, struct delivery_outcome *outcomes, size_t count)
{
	size_t stale = 0;
	assert_int_equal(store_record_outcomes(w->store, owners[0], outcomes, count), RESULT_OK);
	for (size_t i = 0; i < count; i++)
		stale += outcomes[i].stale ? 1 : 0;
	return stale;
}
