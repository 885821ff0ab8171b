-- SPDX-License-Identifier: MIT
-- The leads that a lead has referred are read without the others (docs/manage.md 1). Safe to run twice. Older programs do not use
-- the index.

-- sql_select_referred, sql_select_newest_referred, sql_load_leads_by_…, sql_select_piece_of_leads, sql_count_lead_hours
ALTER TABLE {prefix}referral_links
	ADD KEY IF NOT EXISTS by_ancestor (ancestor_id, level, lead_id);

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_26', '25');
