/* SPDX-License-Identifier: MIT */
#include "admin/webhooks/delivery_waits.h"

#include "deliver/lock.h"
#include "operation/wiring.h"

struct slice
delivery_waits_for(const struct operation_call *call, const struct delivery_row *delivery, const struct dispatcher_seen *here)
{
	const int64_t due_ms = delivery->due_ms, held_ms = delivery->webhook_hold_until_ms, now_ms = delivery->now_ms;
	const bool open = delivery->webhook_failures >= call->conf->dispatch.breaker_failures;
	if (delivery->state != DELIVERY_PENDING)
		return SLICE_NONE;
	if (id_set_contains(&here->under_way, delivery->id))
		return SLICE("attempt");
	if (delivery->webhook_state == WEBHOOK_MISSING)
		return SLICE("removal");
	if (delivery->webhook_state != WEBHOOK_ACTIVE)
		return SLICE("disabled");
	if (due_ms > now_ms && due_ms > held_ms)
		return SLICE("schedule");
	if (open) /* also while its probe is under way or due */
		return SLICE("breaker");
	if (held_ms > now_ms)
		return SLICE("receiver");
	if (slice_present(delivery->leased_by) && !slice_equal(delivery->leased_by, here->owner))
		return SLICE("other_dispatcher");
	/* others of its webhook may come first */
	return delivery->webhook_rate > 0 && slice_present(delivery->leased_by) ? SLICE("rate") : SLICE("dispatcher");
}

struct dispatcher_seen
dispatcher_of_host(struct operation_call *call)
{
	return lock_read(call->pool, call->conf->dispatch.lock_file);
}
