-- SPDX-License-Identifier: MIT
-- Accounts take turns with their jobs, as jobs of one account do (docs/operating.md 4.1). Safe to run twice. Older programs let each
-- job take turns with all others.

ALTER TABLE {prefix}operator_jobs
	ADD COLUMN IF NOT EXISTS account_turn_ms BIGINT NOT NULL DEFAULT 0;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_42', '41');
