-- SPDX-License-Identifier: MIT
-- The list of a campaign's mails reads no others (docs/manage.md 1). Safe to run twice. Older programs do not use the index.

-- sql_select_mails_of_campaign
ALTER TABLE {prefix}messages
	ADD KEY IF NOT EXISTS by_campaign_id (campaign_id, id);

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_25', '24');
