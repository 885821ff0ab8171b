-- SPDX-License-Identifier: MIT
-- What leads see: their language (docs/pages.md 5), where an action leads that they complete themselves, and the digests of their
-- referrals (docs/mail.md 3). Safe to run twice. Older programs store leads without a language, write to all in that of the
-- campaign, and announce referrals one by one.

ALTER TABLE {prefix}leads
	ADD COLUMN IF NOT EXISTS language VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NULL,
	-- when the last mail about referrals was requested, or when the one that waits is due; 0: there was none
	ADD COLUMN IF NOT EXISTS referral_mail_ms BIGINT UNSIGNED NOT NULL DEFAULT 0;
ALTER TABLE {prefix}referral_links
	-- when the digest is due that announces it; 0: none does
	ADD COLUMN IF NOT EXISTS digest_ms BIGINT UNSIGNED NOT NULL DEFAULT 0;
ALTER TABLE {prefix}actions
	ADD COLUMN IF NOT EXISTS link VARCHAR(2048) NULL;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_51', '45');
