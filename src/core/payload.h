/* SPDX-License-Identifier: MIT
 * The one renderer of a lead: for answers, webhooks and exports (contract.md 4.5). */
#ifndef LEADHOOK_CORE_PAYLOAD_H
#define LEADHOOK_CORE_PAYLOAD_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/slice.h"
#include "core/command.h"
#include "core/events.h"
#include "core/model.h"

/* What is the same for every lead of an installation. */
struct payload_settings {
	struct slice base_url;      /* where clients reach us, without a trailing '/'; absent: opt-out links are null */
	struct slice avatar_url;    /* with {hash}; absent: null */
	struct slice server_secret; /* signs opt-out links */
};

struct payload_pair {
	uint32_t direct, indirect;
};

struct payload_tag {
	uint64_t tag_id;
	struct slice name;
};

/* What a lead's payload says beyond its own row, as it was when the lead was looked at. */
struct payload_facts {
	uint64_t lead_count; /* of the campaign, jump start included */
	uint32_t contest_score;
	uint32_t contest_score_rank; /* from 1 */
	uint32_t referrals;
	struct payload_pair unverified_leads, verified_leads;
	bool counts_verified; /* require_verification: verified_leads has numbers */
	bool fraudulent;
	const uint64_t *completed_actions;
	size_t completed_action_count;
	const struct payload_tag *tags;
	size_t tag_count;
};

/* A lead as somebody looks at it. */
struct payload_subject {
	const struct campaign *campaign;
	const struct lead *lead;
	struct payload_facts facts;
};

/* Its facts as far as the two rows tell them. */
struct payload_subject payload_subject_of(const struct campaign *campaign, const struct lead *lead);

/* What the events table takes. The limits of the settings on values and custom fields keep a payload far below. */
enum { PAYLOAD_MAX_BYTES = 16 * 1024 * 1024 - 1 };

/* Appends the JSON object of a lead. */
void payload_write(struct buffer *out, const struct payload_settings *settings, const struct payload_subject *subject,
    struct payload_view view);

/* The same in full view with `__event` at its end: the body of a webhook. */
void payload_write_event(
    struct buffer *out, const struct payload_settings *settings, const struct payload_subject *subject, enum event_type event);

#endif
