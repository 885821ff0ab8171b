-- SPDX-License-Identifier: MIT
-- Changes that a step may make while programs of the previous version run (HACKING.md, A schema step), in tables in constant use.

ALTER TABLE {prefix}leads
	ADD COLUMN IF NOT EXISTS next_note VARCHAR(64) NULL AFTER redirect_url;
ALTER TABLE {prefix}deliveries
	ADD KEY IF NOT EXISTS by_next (webhook_id, ended_ms);
ALTER TABLE {prefix}bulk_jobs
	MODIFY COLUMN action ENUM('optout', 'sms_optout', 'verify', 'approve', 'block', 'waitlist', 'unwaitlist', 'tag', 'delete', 'points',
		'sms_optin', 'unverify', 'next') NOT NULL;

CREATE TABLE IF NOT EXISTS {prefix}next (
	id BIGINT UNSIGNED NOT NULL,
	PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

ALTER TABLE {prefix}campaign_counters
	ADD COLUMN IF NOT EXISTS next_count BIGINT NOT NULL DEFAULT 0;
UPDATE {prefix}campaign_counters SET next_count = lead_count;

REPLACE INTO {prefix}installation (name, value)
	SELECT 'oldest_programs_9999', MAX(version) FROM {prefix}schema_version WHERE version < 9999;
