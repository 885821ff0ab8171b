-- SPDX-License-Identifier: MIT
-- The last refusal of a mail that an operator should see, and that does not hold all mail (docs/mail.md 5). Safe to run twice.
-- Older programs do not write it.

ALTER TABLE {prefix}message_channels
	ADD COLUMN IF NOT EXISTS refused_ms BIGINT NULL,
	ADD COLUMN IF NOT EXISTS refused_reason VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL,
	ADD COLUMN IF NOT EXISTS refused_answer VARBINARY(500) NULL;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_49', '45');
