-- SPDX-License-Identifier: MIT
-- Which address of a lead a stranger has added (docs/api.md 4.1.11, Claim): enum lead_claim of engine/model.h. Safe to run twice. Older
-- programs note none.

ALTER TABLE {prefix}leads
	ADD COLUMN IF NOT EXISTS claimed TINYINT UNSIGNED NOT NULL DEFAULT 0;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_38', '37');
