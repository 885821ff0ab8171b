-- SPDX-License-Identifier: MIT
-- Codes in mails that confirm an address (docs/api.md 4.1.14). Safe to run twice. Older programs send mails without a code.

-- As phone_codes, which cannot have the codes of both channels: programs of the version before find a code by its lead alone.
CREATE TABLE IF NOT EXISTS {prefix}email_codes (
	lead_id BIGINT UNSIGNED NOT NULL,
	address_hash BINARY(32) NOT NULL, -- of the lead and the address that the code was sent to
	code_hash BINARY(32) NOT NULL, -- of the lead, the address and the code
	expires_ms BIGINT NOT NULL,
	tries TINYINT UNSIGNED NOT NULL DEFAULT 0, -- codes that were compared with it, the right one included
	PRIMARY KEY (lead_id),
	-- sql_delete_old_email_codes
	KEY by_time (expires_ms)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_17', '16');
