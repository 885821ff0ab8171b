-- SPDX-License-Identifier: MIT
-- By which the processes that work in the background show that they do (docs/architecture.md 8.2). Safe to run twice. Older programs do
-- not use it.

-- One row for each kind of process, of the one that gave the last sign.
CREATE TABLE IF NOT EXISTS {prefix}heartbeats (
	process VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- 'dispatcher', 'mailer', 'texter'
	owner BINARY(16) NOT NULL,
	host VARBINARY(255) NOT NULL,
	pid INT UNSIGNED NOT NULL,
	stays BOOLEAN NOT NULL, -- of a daemon; else of a run, as from cron
	ended BOOLEAN NOT NULL, -- by itself
	started_ms BIGINT NOT NULL,
	beat_ms BIGINT NOT NULL, -- the last sign
	within_ms BIGINT NOT NULL, -- after that: the next sign, or, of a run that has ended, the next run
	PRIMARY KEY (process)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_29', '28');
