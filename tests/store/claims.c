/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "claims.h"
#include "engine/events.h"

const unsigned char owners[2][DISPATCH_OWNER_SIZE] = { "first dispatche", "other dispatche" };

uint64_t
make_due(struct world *w, size_t count)
{
	uint64_t webhook = add_webhook(w, w->campaign, "https://a.example/hook", EVENT_BIT(EVENT_NEW_SIGNUP));
	sign_up_many(w, "due", count);
	return webhook;
}

struct claims
claim(struct world *w, const unsigned char *owner, uint64_t webhook, size_t rows, int64_t lease_ms)
{
	struct due_request request = { .webhook_id = webhook, .rows = rows };
	struct claims claims;
	assert_int_equal(store_claim(w->store, w->pool, owner, lease_ms, &request, 1, &claims.items, &claims.count), RESULT_OK);
	return claims;
}

struct delivery_outcome
outcome_of(const struct due_delivery *claimed, enum delivery_state state, int status)
{
	return (struct delivery_outcome){
		.id = claimed->id,
		.webhook_id = claimed->destination->webhook_id,
		.token = claimed->token,
		.attempt = claimed->attempt,
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
	assert_int_equal(store_record_outcomes(w->store, outcomes, count), RESULT_OK);
	for (size_t i = 0; i < count; i++)
		stale += outcomes[i].stale ? 1 : 0;
	return stale;
}
