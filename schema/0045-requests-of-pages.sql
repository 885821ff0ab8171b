-- SPDX-License-Identifier: MIT
-- Messages that pages request for a typed address (docs/mail.md 6, 8.3): they count for its limits whether it is a lead's or not.
-- Safe to run twice. Older programs count them where there is such a lead.

-- Hashes of the address: of its mailbox, or of the number and the number without its last four digits.
ALTER TABLE {prefix}messages
	ADD COLUMN IF NOT EXISTS requested_for VARBINARY(32) NULL;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_45', '44');
