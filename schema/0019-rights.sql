-- SPDX-License-Identifier: MIT
-- What a key may do, and on which campaigns (docs/manage.md 2). Safe to run twice. Programs of before let each key do everything but
-- manage the account, which is what existing keys may do, and do not know that a key has an end, expires_ms.

ALTER TABLE {prefix}api_keys
	ADD COLUMN IF NOT EXISTS rights INT UNSIGNED NOT NULL DEFAULT 63, -- bits of identity/rights.h: all but `account`
	ADD COLUMN IF NOT EXISTS campaign_ids VARCHAR(1024) CHARACTER SET ascii COLLATE ascii_bin NULL, -- decimal, comma-separated; NULL: all of the account
	ADD COLUMN IF NOT EXISTS expires_ms BIGINT NULL;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_19', '18');
