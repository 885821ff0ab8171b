-- SPDX-License-Identifier: MIT
-- Verification of phone numbers by the leads themselves. Safe to run twice. Older programs send no codes.

ALTER TABLE {prefix}campaigns
	ADD COLUMN IF NOT EXISTS verify_phone BOOLEAN NOT NULL DEFAULT FALSE;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_15', '14');
