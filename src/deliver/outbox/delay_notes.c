/* SPDX-License-Identifier: MIT */
#include "deliver/outbox/delay_notes.h"

#include "os/metrics.h"
#include "store/messages/delays.h"

_Static_assert(METRIC_DELAY_COUNT == 2 * SENDING_SCOPES, "in the order of channels, of each in that of scopes");

void
note_delays(struct log_throttle *throttle, enum message_channel channel, const struct mail_campaign *campaigns, size_t count,
    const struct sendings *limits)
{
	const struct delays delays = delays_of(campaigns, count, limits);
	uint64_t suppressed;
	for (size_t scope = 0; scope < SENDING_SCOPES; scope++) {
		const struct sender_count *first = delays.first[scope];
		if (first == NULL)
			continue;
		metrics_add(METRIC_DELAYS, channel * SENDING_SCOPES + scope, 1);
		if (log_throttle_passes(throttle, &suppressed))
			log_warning("messages_wait", LOG_BYTES("channel", message_channel_name(channel)),
			    LOG_BYTES("limit", sending_limit_name((enum sending_scope)scope)),
			    LOG_UINT("account", first->account_id), LOG_UINT("campaign", first->campaign_id),
			    LOG_UINT("suppressed", suppressed),
			    LOG_STR("hint", "see sections mail and sms of leadhook.conf(5)"));
	}
}
