-- SPDX-License-Identifier: MIT
-- How many mails and texts are sent, and mails that are sent again (docs/mail.md 6, 8.3). Safe to run twice. Older programs neither count nor
-- keep these limits, and compose a mail that is to be sent again anew.

-- A count for five minutes, of the installation, of an account and of a campaign each. A row stays for a day.
CREATE TABLE IF NOT EXISTS {prefix}sendings (
	channel TINYINT UNSIGNED NOT NULL, -- enum message_channel
	scope TINYINT UNSIGNED NOT NULL, -- enum sending_scope
	scope_id BIGINT UNSIGNED NOT NULL, -- the account or the campaign; 0: the installation
	slot BIGINT UNSIGNED NOT NULL, -- time since 1970 in five minutes
	sent INT UNSIGNED NOT NULL,
	PRIMARY KEY (channel, scope, scope_id, slot),
	KEY by_slot (slot) -- sql_delete_old_sendings
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- The mail whose bytes it sends again.
ALTER TABLE {prefix}messages
	ADD COLUMN IF NOT EXISTS repeats BIGINT UNSIGNED NULL;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_33', '32');
