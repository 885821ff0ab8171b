/* SPDX-License-Identifier: MIT */
#include "webhook/health.h"

/* Fits in the schema's column for probes. The waits reach their maximum much earlier. */
enum { PROBES_MAX = 1000 };

struct health
health_begin(const struct health_rules *rules, unsigned failures, unsigned probes, int64_t failing_since_ms)
{
	return (struct health){ .failures = failures,
		.probes = probes,
		.failing_since_ms = failing_since_ms,
		.concurrency = rules->concurrency_start };
}

bool
health_is_open(const struct health_rules *rules, const struct health *health)
{
	return health->failures >= rules->breaker_failures;
}

size_t
health_allows(const struct health_rules *rules, const struct health *health, size_t in_flight, int64_t now_ms)
{
	if (now_ms < health->probe_at_ms)
		return 0;
	/* attempts that started before the breaker opened end first */
	size_t limit = health_is_open(rules, health) ? 1 : health->concurrency;
	return in_flight < limit ? limit - in_flight : 0;
}

void
health_start(const struct health_rules *rules, struct health *health)
{
	health->probing = health_is_open(rules, health);
}

static int64_t
probe_wait_ms(const struct health_rules *rules, unsigned probes)
{
	int64_t wait_ms = rules->probe_wait_ms;
	while (probes-- > 0 && wait_ms < rules->probe_wait_max_ms)
		wait_ms *= 2;
	return wait_ms < rules->probe_wait_max_ms ? wait_ms : rules->probe_wait_max_ms;
}

enum health_change
health_succeed(const struct health_rules *rules, struct health *health)
{
	const bool was_open = health_is_open(rules, health);
	health->probing = false;
	health->failures = health->probes = 0;
	health->failing_since_ms = -1;
	health->probe_at_ms = 0;
	if (was_open)
		health->concurrency = 1;
	else if (health->concurrency < rules->concurrency_max)
		health->concurrency++;
	return was_open ? HEALTH_CLOSED : HEALTH_UNCHANGED;
}

enum health_change
health_fail(const struct health_rules *rules, struct health *health, int64_t now_ms)
{
	const bool was_open = health_is_open(rules, health), probe = health->probing;
	health->probing = false;
	if (health->failures < UINT32_MAX)
		health->failures++;
	if (health->failing_since_ms < 0)
		health->failing_since_ms = now_ms;
	health->concurrency = health->concurrency > 1 ? health->concurrency / 2 : 1;
	if (probe && health->probes < PROBES_MAX)
		health->probes++;
	const bool opens = !was_open && health_is_open(rules, health);
	if (probe || opens)
		health->probe_at_ms = now_ms + probe_wait_ms(rules, health->probes);
	if (now_ms - health->failing_since_ms >= rules->disable_after_ms)
		return HEALTH_DISABLED;
	return opens ? HEALTH_OPENED : HEALTH_UNCHANGED;
}
