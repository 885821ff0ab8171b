-- SPDX-License-Identifier: MIT
-- Counts by hour for statistics (docs/statistics.md). Safe to run twice. Older programs count nothing: `hours_version` shows that
-- they have changed leads, and the dispatcher counts the leads of the campaign again.

-- enum source_class of engine/source.h
ALTER TABLE {prefix}leads
	ADD COLUMN IF NOT EXISTS source_class TINYINT UNSIGNED NOT NULL DEFAULT 0;

ALTER TABLE {prefix}campaign_counters
	-- `lead_hours` has the leads from this number on; 0: all; 4294967295: none, and rows may be left of an earlier count
	ADD COLUMN IF NOT EXISTS hours_counted_from INT UNSIGNED NOT NULL DEFAULT 4294967295,
	-- goes up with leads_version where the batch has counted; a difference shows that one has not
	ADD COLUMN IF NOT EXISTS hours_version BIGINT UNSIGNED NOT NULL DEFAULT 0;

-- Leads that there are now, by the hour of their sign-up, with the counts of campaign_counters; and those that were deleted.
CREATE TABLE IF NOT EXISTS {prefix}lead_hours (
	campaign_id BIGINT UNSIGNED NOT NULL,
	hour INT UNSIGNED NOT NULL, -- since 1970, UTC
	source_class TINYINT UNSIGNED NOT NULL, -- as in leads
	lead_count INT NOT NULL DEFAULT 0,
	verified INT NOT NULL DEFAULT 0,
	waitlisted INT NOT NULL DEFAULT 0,
	removed_from_waitlist INT NOT NULL DEFAULT 0,
	fraudulent INT NOT NULL DEFAULT 0,
	opted_out INT NOT NULL DEFAULT 0,
	referred INT NOT NULL DEFAULT 0,
	deleted INT NOT NULL DEFAULT 0, -- cannot be counted again
	PRIMARY KEY (campaign_id, hour, source_class)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Attempts by the hour of their start, since this step was applied.
CREATE TABLE IF NOT EXISTS {prefix}webhook_hours (
	webhook_id BIGINT UNSIGNED NOT NULL,
	hour INT UNSIGNED NOT NULL, -- since 1970, UTC
	attempts INT UNSIGNED NOT NULL DEFAULT 0,
	delivered INT UNSIGNED NOT NULL DEFAULT 0, -- deliveries that ended with one of these attempts
	failed INT UNSIGNED NOT NULL DEFAULT 0,
	no_answer INT UNSIGNED NOT NULL DEFAULT 0, -- attempts without a complete answer, or …
	answers_3xx INT UNSIGNED NOT NULL DEFAULT 0, -- … with this status
	answers_4xx INT UNSIGNED NOT NULL DEFAULT 0,
	answers_5xx INT UNSIGNED NOT NULL DEFAULT 0,
	t0 INT UNSIGNED NOT NULL DEFAULT 0, -- attempts by their duration: buckets of webhook/latency.h
	t1 INT UNSIGNED NOT NULL DEFAULT 0,
	t2 INT UNSIGNED NOT NULL DEFAULT 0,
	t3 INT UNSIGNED NOT NULL DEFAULT 0,
	t4 INT UNSIGNED NOT NULL DEFAULT 0,
	t5 INT UNSIGNED NOT NULL DEFAULT 0,
	t6 INT UNSIGNED NOT NULL DEFAULT 0,
	t7 INT UNSIGNED NOT NULL DEFAULT 0,
	t8 INT UNSIGNED NOT NULL DEFAULT 0,
	t9 INT UNSIGNED NOT NULL DEFAULT 0,
	PRIMARY KEY (webhook_id, hour)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_22', '21');
