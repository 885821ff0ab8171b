-- SPDX-License-Identifier: MIT
-- How many bytes of what was before and after changes the audit log has got for an account today. Safe to run twice. Older programs do not
-- use it.

ALTER TABLE {prefix}accounts
	ADD COLUMN IF NOT EXISTS audit_day INT UNSIGNED NOT NULL DEFAULT 0, -- of audit_bytes; since 1970, UTC
	ADD COLUMN IF NOT EXISTS audit_bytes BIGINT UNSIGNED NOT NULL DEFAULT 0;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_32', '31');
