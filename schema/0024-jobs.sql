-- SPDX-License-Identifier: MIT
-- Operations that the dispatcher carries out for an operator (docs/architecture.md 6.1). Separate from bulk_jobs: those are lists of leads
-- whose items are commands of batches, run in the order of each campaign, and are removed at their end.

CREATE TABLE IF NOT EXISTS {prefix}operator_jobs (
	id BIGINT UNSIGNED NOT NULL,
	account_id BIGINT UNSIGNED NOT NULL DEFAULT 0, -- 0: of the installation
	campaign_id BIGINT UNSIGNED NULL,
	kind VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	parameters MEDIUMTEXT NOT NULL, -- a JSON object
	made_by VARCHAR(255) NOT NULL,
	state ENUM('queued', 'running', 'done', 'failed', 'cancelled') NOT NULL DEFAULT 'queued',
	done BIGINT UNSIGNED NOT NULL DEFAULT 0, -- of `total`
	total BIGINT UNSIGNED NULL, -- NULL: not known
	position BIGINT UNSIGNED NULL, -- where it goes on; NULL: at its beginning
	result MEDIUMTEXT NULL, -- a JSON object, so far
	error VARCHAR(255) NULL,
	turn_ms BIGINT NULL DEFAULT 0, -- when it was worked on last; NULL: it has ended
	lease_owner BINARY(16) NULL, -- the dispatcher that works on it …
	lease_until_ms BIGINT NOT NULL DEFAULT 0, -- … until then
	created_ms BIGINT NOT NULL,
	started_ms BIGINT NULL,
	ended_ms BIGINT NULL,
	PRIMARY KEY (id), -- sql_select_operator_jobs
	KEY by_account (account_id, id), -- sql_select_operator_jobs_of_account, sql_delete_operator_jobs_of_account
	KEY by_campaign (campaign_id, id), -- sql_select_operator_jobs_of_campaign, sql_delete_operator_jobs_of_campaign
	KEY by_turn (turn_ms, id), -- sql_select_next_operator_job, sql_select_clock_and_work, sql_count_rows
	KEY by_end (ended_ms) -- sql_delete_old_operator_jobs
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

INSERT IGNORE INTO {prefix}id_blocks (name, next) VALUES ('operator_job', 1);

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_24', '23');
