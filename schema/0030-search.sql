-- SPDX-License-Identifier: MIT
-- Searching for a person reads the rows of one campaign alone (docs/operating.md 7.4; for events see 0040). Safe to run twice. Older
-- programs do not use the index, and leave erasures to this version's that this version has begun.

-- sql_search_calls_of_campaign
ALTER TABLE {prefix}inbound_calls
	ADD KEY IF NOT EXISTS by_campaign (campaign_id, id);

-- How the address is written, one a line; NULL: as in `address`. What `whole` and `in_text` had is not used any more.
ALTER TABLE {prefix}erasures
	ADD COLUMN IF NOT EXISTS spellings MEDIUMTEXT NULL,
	MODIFY COLUMN whole MEDIUMTEXT NULL,
	MODIFY COLUMN in_text MEDIUMTEXT NULL;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_30', '29');
