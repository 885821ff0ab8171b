-- SPDX-License-Identifier: MIT
-- Messages of a campaign, and verification by its leads themselves. Safe to run twice. Older programs send none.

ALTER TABLE {prefix}campaigns
	ADD COLUMN IF NOT EXISTS mails SMALLINT UNSIGNED NOT NULL DEFAULT 0, -- bits by enum message_kind of engine/message.h
	ADD COLUMN IF NOT EXISTS verify_email BOOLEAN NOT NULL DEFAULT FALSE;

-- Proof that a lead confirmed an address: a row each time. Removed with the lead.
CREATE TABLE IF NOT EXISTS {prefix}confirmations (
	lead_id BIGINT UNSIGNED NOT NULL,
	confirmed_ms BIGINT NOT NULL,
	channel ENUM('email', 'phone') NOT NULL,
	address VARBINARY(1024) NOT NULL, -- the email address as typed, or the number
	ip VARBINARY(45) NULL,
	user_agent TEXT NULL,
	PRIMARY KEY (lead_id, confirmed_ms, channel)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- A row for each lead that was sent a mail to verify its address, until the time to delete it comes.
CREATE TABLE IF NOT EXISTS {prefix}unverified_leads (
	lead_id BIGINT UNSIGNED NOT NULL,
	campaign_id BIGINT UNSIGNED NOT NULL,
	requested_ms BIGINT NOT NULL, -- of the first such mail
	PRIMARY KEY (lead_id),
	KEY by_time (requested_ms) -- sql_select_unverified
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_11', '10');
