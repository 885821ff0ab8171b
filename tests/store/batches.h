/* SPDX-License-Identifier: MIT
 * What is true after a batch. */
#pragma once

#include "unit.h"

#include <inttypes.h>

#include "engine/command.h"
#include "private_server.h"

#define COUNT_LEADS "SELECT COUNT(*) FROM t_leads WHERE campaign_id = %" PRIu64
#define COUNT_EVENTS "SELECT COUNT(*) FROM t_events WHERE campaign_id = %" PRIu64

static void
assert_outcomes(const struct outcome *outcomes, size_t count, enum failure failure)
{
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(outcomes[i].failure, failure);
		assert_int_equal(slice_present(outcomes[i].body), failure == FAILURE_NONE);
	}
}

/* Asserts that counters are exact, numbers have no gaps, and each event has a due row for each of `webhooks`, with an id after
 * its own. */
static void
assert_consistent(uint64_t campaign, int64_t leads, int64_t webhooks)
{
	assert_int_equal(root_number(COUNT_LEADS, campaign), leads);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_leads WHERE campaign_id = %" PRIu64
				     " AND subscription_number BETWEEN 1 AND %" PRId64,
			     campaign, leads),
	    leads);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_campaign_counters WHERE campaign_id = %" PRIu64
				     " AND lead_count = %" PRId64 " AND last_subscription_number = %" PRId64,
			     campaign, leads, leads),
	    1);
	int64_t events = root_number(COUNT_EVENTS, campaign);
	assert_int_equal(
	    root_number("SELECT COUNT(*) FROM t_due u JOIN t_events e ON e.id = u.event_id WHERE "
			"u.attempts = 0 AND u.id > e.id AND u.id <= e.id + e.deliveries AND e.campaign_id = %" PRIu64,
		campaign),
	    events * webhooks);
}
