-- SPDX-License-Identifier: MIT
-- Accounts take turns with their bulk work, as campaigns of one account do (docs/architecture.md 6). Safe to run twice. Older programs
-- let campaigns take turns, whosever they are.

-- sql_select_next_job: the campaigns of each account, and when the account was served, from the indexes alone. The first serves
-- sql_count_jobs, too.
ALTER TABLE {prefix}bulk_jobs
	DROP KEY IF EXISTS by_account,
	ADD KEY by_account (account_id, campaign_id, id, delayed_until_ms);
ALTER TABLE {prefix}bulk_schedule
	ADD COLUMN IF NOT EXISTS account_id BIGINT UNSIGNED NOT NULL DEFAULT 0,
	ADD KEY IF NOT EXISTS by_account (account_id, served_ms);

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_43', '42');
