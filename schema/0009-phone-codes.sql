-- SPDX-License-Identifier: MIT
-- Codes by which leads verify their phone numbers (docs/api.md 4.1.9). Safe to run twice.

-- One row for a lead: a new code replaces the one before. Both hashes are HMACs with the installation's secret. Rows of deleted
-- leads expire like all others.
CREATE TABLE IF NOT EXISTS {prefix}phone_codes (
	lead_id BIGINT UNSIGNED NOT NULL,
	number_hash BINARY(32) NOT NULL, -- of the lead and the number that the code was made for
	code_hash BINARY(32) NOT NULL, -- of the lead, the number and the code
	expires_ms BIGINT NOT NULL,
	tries TINYINT UNSIGNED NOT NULL DEFAULT 0, -- codes that were compared with it, the right one included
	PRIMARY KEY (lead_id),
	-- sql_delete_old_codes
	KEY by_time (expires_ms)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_9', '8');
