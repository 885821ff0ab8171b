-- SPDX-License-Identifier: MIT
-- Plain names for three tables and two columns; the time of a commit token by the database's clock; whether a redirect URL was
-- stored with a key; the account of a bulk job. Safe to run twice.

RENAME TABLE IF EXISTS {prefix}meta TO {prefix}installation;
RENAME TABLE IF EXISTS {prefix}commits TO {prefix}commit_tokens;
RENAME TABLE IF EXISTS {prefix}bulk_turns TO {prefix}bulk_schedule;

ALTER TABLE {prefix}score_entries CHANGE COLUMN IF EXISTS asked requested BIGINT NOT NULL;
ALTER TABLE {prefix}bulk_jobs CHANGE COLUMN IF EXISTS word argument VARCHAR(64) NULL;

-- Credit above the maximum of a referrer's score counted as owed, and was booked again at the next verification, which failed
-- because a cause is booked once. Such credit is lost. A referral that counts is owed nothing else.
UPDATE {prefix}referral_links SET earned = credit WHERE counts = 1 AND earned > credit;

-- Tokens were dropped by the time in their first bytes, which was the clock of a host. Existing ones are dropped a day from now.
-- The index serves sql_delete_old_tokens.
ALTER TABLE {prefix}commit_tokens
	ADD COLUMN IF NOT EXISTS created_ms BIGINT NOT NULL DEFAULT 0,
	ADD KEY IF NOT EXISTS by_time (created_ms);
UPDATE {prefix}commit_tokens SET created_ms = TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000
	WHERE created_ms = 0;

-- Only a redirect URL that was stored with a key is shown to callers without one. Existing ones count as stored without.
ALTER TABLE {prefix}leads
	ADD COLUMN IF NOT EXISTS redirect_by_key BOOLEAN NOT NULL DEFAULT FALSE AFTER redirect_url;

-- The jobs of an account are counted. The index serves sql_count_jobs.
ALTER TABLE {prefix}bulk_jobs
	ADD COLUMN IF NOT EXISTS account_id BIGINT UNSIGNED NOT NULL DEFAULT 0,
	ADD KEY IF NOT EXISTS by_account (account_id);
UPDATE {prefix}bulk_jobs j JOIN {prefix}campaigns c ON c.id = j.campaign_id SET j.account_id = c.account_id
	WHERE j.account_id = 0;
