-- SPDX-License-Identifier: MIT
-- What leaderboards show strangers of names (docs/api.md 4.1.2). Safe to run twice. Older programs show whole names.

-- enum leaderboard_names: the first name and the initial of the last one, unless the campaign chooses otherwise.
ALTER TABLE {prefix}campaigns
	ADD COLUMN IF NOT EXISTS leaderboard_names TINYINT UNSIGNED NOT NULL DEFAULT 0;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_48', '45');
