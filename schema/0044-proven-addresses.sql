-- SPDX-License-Identifier: MIT
-- Which addresses of a lead its person has proven, by a code or a link, and whether another person may have signed it up as well
-- (docs/api.md 4.1.11, Another owner). Safe to run twice. Leads that exist may have been signed up by several; what they have
-- proven, confirmations show. Older programs note neither.

ALTER TABLE {prefix}leads
	ADD COLUMN IF NOT EXISTS proven TINYINT UNSIGNED NOT NULL DEFAULT 0, -- CHANNEL_BITs of engine/command.h
	ADD COLUMN IF NOT EXISTS shared BOOLEAN NOT NULL DEFAULT TRUE;

UPDATE {prefix}leads l JOIN {prefix}confirmations c ON c.lead_id = l.id SET l.proven = l.proven | 1
	WHERE c.channel = 'email' AND l.verified_email AND l.claimed <> 1 AND c.address = CAST(l.email AS BINARY);

UPDATE {prefix}leads l JOIN {prefix}confirmations c ON c.lead_id = l.id SET l.proven = l.proven | 2
	WHERE c.channel = 'phone' AND l.verified_phone AND l.claimed <> 2 AND c.address = l.phone;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_44', '43');
