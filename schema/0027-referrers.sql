-- SPDX-License-Identifier: MIT
-- Leads that were referred and verified, and leads that have referred others, by hour and of the campaign (docs/statistics.md 1).
-- Safe to run twice. Older programs do not count them, and may count all others again: these two have a mark and a version of their
-- own. Where the marks differ, or a version is not leads_version, the dispatcher counts the leads of the campaign again.

ALTER TABLE {prefix}lead_hours
	ADD COLUMN IF NOT EXISTS referred_verified INT NOT NULL DEFAULT 0, -- of `referred`, verified
	-- leads that have referred another, which may be fraudulent, unverified, or deleted since: those that are
	-- referral_links.ancestor_id at level 1
	ADD COLUMN IF NOT EXISTS referrers INT NOT NULL DEFAULT 0;

ALTER TABLE {prefix}campaign_counters
	-- sums of lead_hours, modulo 2^32
	ADD COLUMN IF NOT EXISTS referred_verified INT UNSIGNED NOT NULL DEFAULT 0,
	ADD COLUMN IF NOT EXISTS referrers INT UNSIGNED NOT NULL DEFAULT 0,
	-- as hours_counted_from and hours_version, for these columns
	ADD COLUMN IF NOT EXISTS referrals_counted_from INT UNSIGNED NOT NULL DEFAULT 4294967295,
	ADD COLUMN IF NOT EXISTS referrals_version BIGINT UNSIGNED NOT NULL DEFAULT 0;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_27', '26');
