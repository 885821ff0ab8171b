/* SPDX-License-Identifier: MIT */
#include "store/messages/delays.h"

struct delays
delays_of(const struct mail_campaign *campaigns, size_t count, const struct sendings *limits)
{
	struct delays delays = { { NULL } };
	for (size_t i = count; i-- > 0;) {
		const enum sending_scope scope = sendings_reached(limits, &campaigns[i].sender.sent);
		if (scope < SENDING_SCOPES)
			delays.first[scope] = &campaigns[i].sender;
	}
	return delays;
}

static bool
is_due(const struct mail_row *mail, enum message_channel channel)
{
	return mail->is_due && (mail->kind == MESSAGE_CODE ? TEXT_CHANNEL : MAIL_CHANNEL) == channel;
}

static enum result
explain(struct store *store, struct pool *pool, enum message_channel channel, const struct sendings *limits,
    struct mail_row *mails, size_t count)
{
	struct sender_count *senders = POOL_ARRAY(pool, count, struct sender_count);
	size_t used = 0;
	for (size_t i = 0; i < count; i++)
		if (is_due(&mails[i], channel))
			senders[used++] = (struct sender_count){ .campaign_id = mails[i].campaign_id };
	const enum result result = used == 0 ? RESULT_OK : store_read_senders(store, pool, channel, senders, used);
	for (size_t i = count; result == RESULT_OK && i-- > 0;) {
		if (!is_due(&mails[i], channel))
			continue;
		const enum sending_scope reached = sendings_reached(limits, &senders[--used].sent);
		if (reached < SENDING_SCOPES)
			mails[i].reason = sending_limit_name(reached);
	}
	return result;
}

enum result
store_explain_delays(
    struct store *store, struct pool *pool, const struct sendings *limits, struct mail_row *mails, size_t count)
{
	enum result result = RESULT_OK;
	for (unsigned channel = 0; channel < MESSAGE_CHANNELS && result == RESULT_OK; channel++)
		result = explain(store, pool, (enum message_channel)channel, &limits[channel], mails, count);
	return result;
}
