-- SPDX-License-Identifier: MIT
-- Leads that come from another service keep their social ids, which have 4 to 16 characters. BINARY pads shorter ones and has no
-- room for longer ones. The server copies the table: meanwhile it is read and not written. Safe to run twice.

ALTER TABLE {prefix}leads
	MODIFY COLUMN social_id VARBINARY(16) NOT NULL;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_5', '4');
