-- SPDX-License-Identifier: MIT
-- A dispatcher that leases a webhook's shard sends its deliveries without claiming their rows. A delivery that succeeds at its first
-- attempt is one row. Large calls for points are bulk jobs. Safe to run twice.

-- `attempts` counts the recorded ones, and those that were under way when their dispatcher died. by_webhook is also the index of
-- sql_select_due_positions, which goes on after a row, by time and id: an index ends with the primary key.
ALTER TABLE {prefix}due
	DROP COLUMN IF EXISTS token;

-- The new columns have the only attempt of a delivery that succeeded at once; else they are NULL. `attempts` has those that failed
-- and those that followed one; they are numbered as `due.attempts` counts, and only the next one is recorded, so that none is logged
-- twice.
-- One index instead of two, because every success pays for each: sql_select_delivery_ids_of_webhook reads it in its order,
-- sql_select_delivery_ids sorts what has failed, which is little.
ALTER TABLE {prefix}deliveries
	ADD COLUMN IF NOT EXISTS started_ms BIGINT NULL,
	ADD COLUMN IF NOT EXISTS duration_ms INT UNSIGNED NULL,
	ADD COLUMN IF NOT EXISTS answer VARBINARY(1024) NULL,
	ADD KEY IF NOT EXISTS by_state_and_webhook (state, webhook_id, id),
	DROP KEY IF EXISTS by_webhook,
	DROP KEY IF EXISTS by_state;

-- Calls for points that are too much work for one transaction become jobs.
ALTER TABLE {prefix}bulk_jobs
	MODIFY COLUMN action ENUM('optout', 'sms_optout', 'verify', 'approve', 'block', 'waitlist', 'unwaitlist', 'tag', 'delete', 'points')
		NOT NULL,
	ADD COLUMN IF NOT EXISTS points INT NOT NULL DEFAULT 0, -- of `points`, as message
	ADD COLUMN IF NOT EXISTS message TEXT NULL;
