-- SPDX-License-Identifier: MIT
-- The setting `compat` of a campaign. Safe to run twice. Older programs run as if it were off.

ALTER TABLE {prefix}campaigns
	ADD COLUMN IF NOT EXISTS compat BOOLEAN NOT NULL DEFAULT FALSE;

-- Frozen with the payload: a form has its arrays as name[]=a&name[]=b, else as name[0]=a&name[1]=b.
ALTER TABLE {prefix}events
	ADD COLUMN IF NOT EXISTS form_brackets BOOLEAN NOT NULL DEFAULT FALSE;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_8', '7');
