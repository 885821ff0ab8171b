-- SPDX-License-Identifier: MIT
-- Sign-ups by their utm parameters and the site that they came from (docs/statistics.md 2.1). Safe to run twice. Older programs do
-- not use it.

ALTER TABLE {prefix}campaign_counters
	-- `lead_sources` has the leads up to this number; leads that are imported with a lower one are counted by their import
	ADD COLUMN IF NOT EXISTS sources_counted_to INT UNSIGNED NOT NULL DEFAULT 0;

CREATE TABLE IF NOT EXISTS {prefix}lead_sources (
	campaign_id BIGINT UNSIGNED NOT NULL,
	day INT UNSIGNED NOT NULL, -- since 1970, UTC
	kind TINYINT UNSIGNED NOT NULL, -- enum source_kind of engine/source.h
	value VARBINARY(100) NOT NULL, -- UTF-8; '': any other
	signups INT UNSIGNED NOT NULL,
	PRIMARY KEY (campaign_id, day, kind, value)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_28', '27');
