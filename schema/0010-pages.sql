-- SPDX-License-Identifier: MIT
-- Settings of a campaign for pages, forms and callers without a key. Safe to run twice. Older programs run as if the campaign had
-- the defaults, which are those of a campaign from before.

ALTER TABLE {prefix}campaigns
	ADD COLUMN IF NOT EXISTS pages BOOLEAN NOT NULL DEFAULT FALSE, -- hosted pages
	ADD COLUMN IF NOT EXISTS language VARBINARY(16) NULL, -- of its pages and messages; NULL: that of the visitor
	ADD COLUMN IF NOT EXISTS hosts TEXT NULL, -- where its forms are, as blocked_referrers
	ADD COLUMN IF NOT EXISTS hosts_only BOOLEAN NOT NULL DEFAULT FALSE, -- browsers sign up from these hosts only
	ADD COLUMN IF NOT EXISTS form_answer TINYINT UNSIGNED NOT NULL DEFAULT 0, -- enum form_answer of engine/strangers.h
	ADD COLUMN IF NOT EXISTS public_lookup TINYINT UNSIGNED NOT NULL DEFAULT 0, -- enum public_lookup, and enum public_update
	ADD COLUMN IF NOT EXISTS public_update TINYINT UNSIGNED NOT NULL DEFAULT 0;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_10', '9');
