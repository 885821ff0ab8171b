-- SPDX-License-Identifier: MIT
-- Actions that pages complete without a key. Safe to run twice.

ALTER TABLE {prefix}actions
	ADD COLUMN IF NOT EXISTS public BOOLEAN NOT NULL DEFAULT FALSE;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_6', '5');
