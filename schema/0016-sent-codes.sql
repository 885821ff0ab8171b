-- SPDX-License-Identifier: MIT
-- Codes that are sent to the phones of leads (docs/mail.md 8). Safe to run twice. Older programs send none.

-- A row for each code that was sent, or may have been: what its limits count. Hashes are HMACs with the installation's secret. Rows
-- stay when their lead is deleted, for a day.
CREATE TABLE IF NOT EXISTS {prefix}sent_codes (
	message_id BIGINT UNSIGNED NOT NULL,
	campaign_id BIGINT UNSIGNED NOT NULL,
	number_hash BINARY(16) NOT NULL,
	prefix_hash BINARY(16) NOT NULL, -- of the number without its last four digits
	sent_ms BIGINT NOT NULL,
	PRIMARY KEY (message_id),
	KEY by_number (number_hash, sent_ms), -- sql_count_codes_of_number
	KEY by_prefix (prefix_hash, sent_ms), -- sql_count_codes_of_prefix
	KEY by_campaign (campaign_id, sent_ms), -- sql_count_codes_of_campaign
	KEY by_time (sent_ms) -- sql_delete_old_sent_codes
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Counts the codes that were sent: a write, so that transactions that count for a limit conflict, on all nodes of a cluster.
ALTER TABLE {prefix}message_channels
	ADD COLUMN IF NOT EXISTS sent BIGINT UNSIGNED NOT NULL DEFAULT 0;

-- What holds all texts.
INSERT IGNORE INTO {prefix}message_channels (channel) VALUES ('text');

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_16', '15');
