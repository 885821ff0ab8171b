-- SPDX-License-Identifier: MIT
-- When the link to a lead's page changes (docs/api.md 4.1.11). Safe to run twice. Older programs make and accept the links of epoch 0 alone,
-- also those that a newer program has ended.

ALTER TABLE {prefix}leads
	ADD COLUMN IF NOT EXISTS token_epoch INT UNSIGNED NOT NULL DEFAULT 0;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_35', '34');
