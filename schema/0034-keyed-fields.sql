-- SPDX-License-Identifier: MIT
-- How many custom fields of a lead, the first, were stored by calls with a key: those of other callers give way to them (docs/api.md 1.3).
-- Safe to run twice. All that are stored now count as stored with a key, and so do those of leads that older programs make.

ALTER TABLE {prefix}leads
	ADD COLUMN IF NOT EXISTS keyed_fields SMALLINT UNSIGNED NOT NULL DEFAULT 65535 AFTER custom_fields;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_34', '33');
