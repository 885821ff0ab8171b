-- SPDX-License-Identifier: MIT
-- When the opt-out link of a lead changes (docs/api.md 4.1.5). Safe to run twice. Older programs make and accept the links of epoch 0 alone,
-- also those that a newer program has ended.

ALTER TABLE {prefix}leads
	ADD COLUMN IF NOT EXISTS opt_out_epoch INT UNSIGNED NOT NULL DEFAULT 0;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_37', '36');
