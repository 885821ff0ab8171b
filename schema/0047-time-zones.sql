-- SPDX-License-Identifier: MIT
-- The time zone of accounts, in which the dashboard shows times and takes days (docs/dashboard.md 2.4); NULL is UTC. Safe to run twice.

ALTER TABLE {prefix}accounts
	ADD COLUMN IF NOT EXISTS time_zone VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_47', '45');
