-- SPDX-License-Identifier: MIT
-- Which answers of a receiver besides 2xx count as taken (docs/deliveries.md 2, Success): statuses, separated by commas. Safe to run twice. Older programs retry
-- deliveries after such answers.

ALTER TABLE {prefix}webhooks
	ADD COLUMN IF NOT EXISTS accepts VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NULL;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_46', '45');
