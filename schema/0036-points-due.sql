-- SPDX-License-Identifier: MIT
-- Points of a lead's sign-up that are booked when it is verified, in campaigns that show strangers verified leads only (docs/api.md 4.1.11).
-- Safe to run twice. Older programs book these points at once, and none that are due.

ALTER TABLE {prefix}leads
	ADD COLUMN IF NOT EXISTS points_due INT UNSIGNED NOT NULL DEFAULT 0;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_36', '35');
