-- SPDX-License-Identifier: MIT
-- Credit that a lead has spent and that is set off against its later credit, because a lead that brought it has deleted itself
-- (docs/api.md 4.6). Safe to run twice. Older programs set nothing off.

ALTER TABLE {prefix}leads
	ADD COLUMN IF NOT EXISTS points_owed INT UNSIGNED NOT NULL DEFAULT 0;
-- What of the credit that a referral brought has been set off
ALTER TABLE {prefix}referral_links
	ADD COLUMN IF NOT EXISTS set_off INT UNSIGNED NOT NULL DEFAULT 0;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_41', '40');
