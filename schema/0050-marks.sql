-- SPDX-License-Identifier: MIT
-- When a lead was last marked as fraudulent or as genuine, and by whom (leadhook(1), lead timeline). Safe to run twice. Of marks
-- by older programs neither is known.

-- marked_ms 0: never, or not known. NULL: by a rule.
ALTER TABLE {prefix}leads
	ADD COLUMN IF NOT EXISTS marked_ms BIGINT NOT NULL DEFAULT 0,
	ADD COLUMN IF NOT EXISTS marked_by VARCHAR(255) NULL;

-- Who queued the change; NULL: a rule, or not known.
ALTER TABLE {prefix}bulk_jobs
	ADD COLUMN IF NOT EXISTS made_by VARCHAR(255) NULL;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_50', '45');
