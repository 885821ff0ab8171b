-- SPDX-License-Identifier: MIT
-- Messages to leads (docs/mail.md): mails, and later texts to phones. Safe to run twice.

-- A row is requested, then ready, when it was composed, then sent, failed or dropped. A process that leases a row moves its due_ms to
-- the end of the lease: without another change it comes due again, for any process.
CREATE TABLE IF NOT EXISTS {prefix}messages (
	id BIGINT UNSIGNED NOT NULL,
	campaign_id BIGINT UNSIGNED NOT NULL,
	lead_id BIGINT UNSIGNED NOT NULL,
	kind TINYINT UNSIGNED NOT NULL, -- enum message_kind
	ref BIGINT UNSIGNED NOT NULL DEFAULT 0, -- what it is about, by kind: a reward level, a referred lead; 0: nothing
	turn TINYINT UNSIGNED NULL, -- 0: mails that come before those with 1; 2: texts to phones; NULL: ended
	state ENUM('requested', 'ready', 'sent', 'failed', 'dropped') NOT NULL,
	created_ms BIGINT NOT NULL,
	due_ms BIGINT NOT NULL,
	attempts SMALLINT UNSIGNED NOT NULL DEFAULT 0,
	first_attempt_ms BIGINT NULL, -- since it was requested, or sent again
	crashes TINYINT UNSIGNED NOT NULL DEFAULT 0, -- leases that did not end with an outcome
	lease_owner BINARY(16) NULL,
	recipient VARBINARY(1024) NULL, -- these are written once, when it is composed; recipient and content are removed some days after it ended
	recipient_hash BINARY(16) NULL, -- an HMAC with the installation's secret
	message_id VARBINARY(255) NULL,
	content MEDIUMBLOB NULL, -- the bytes that are sent
	composed_ms BIGINT NULL,
	last_status SMALLINT UNSIGNED NULL, -- of the mail server's last answer; NULL: there was none
	last_answer VARBINARY(500) NULL,
	reason VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL, -- why it failed, was dropped, or is tried again
	sent_ms BIGINT NULL,
	ended_ms BIGINT NULL,
	PRIMARY KEY (id),
	-- sql_select_message_campaigns makes one probe for each campaign with something due, sql_select_due_messages reads in its order,
	-- sql_release_crashed and sql_count_messages read all of it
	KEY by_turn (turn, campaign_id, due_ms),
	KEY by_recipient (recipient_hash, composed_ms), -- sql_count_mails_of_recipient
	KEY by_campaign (campaign_id, sent_ms), -- sql_count_mails_of_campaign
	KEY by_lead (lead_id), -- sql_select_left_messages
	KEY by_end (ended_ms) -- sql_select_old_contents, sql_delete_old_messages
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- One row: what holds all mail. Separate from the messages, so that none of them is changed by it.
CREATE TABLE IF NOT EXISTS {prefix}message_channels (
	channel VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	failures INT UNSIGNED NOT NULL DEFAULT 0, -- in a row, of the server; not of single messages
	held_until_ms BIGINT NOT NULL DEFAULT 0,
	held_since_ms BIGINT NULL,
	reason VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL,
	answer VARBINARY(500) NULL,
	contents_removed_ms BIGINT NOT NULL DEFAULT 0, -- contents of messages that ended before were removed
	PRIMARY KEY (channel)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

INSERT IGNORE INTO {prefix}message_channels (channel) VALUES ('mail');

-- The mail server of the lead's address has answered that there is no such person.
ALTER TABLE {prefix}leads
	ADD COLUMN IF NOT EXISTS bounced BOOLEAN NOT NULL DEFAULT FALSE;

INSERT IGNORE INTO {prefix}id_blocks (name, next) VALUES ('message', 1);

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_14', '13');
