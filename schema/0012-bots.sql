-- SPDX-License-Identifier: MIT
-- Settings against bots (docs/api.md 8), and solved challenges. Safe to run twice. Older programs run as if `bots` were off.

ALTER TABLE {prefix}campaigns
	ADD COLUMN IF NOT EXISTS bots TINYINT UNSIGNED NOT NULL DEFAULT 0, -- enum campaign_bots of engine/strangers.h
	ADD COLUMN IF NOT EXISTS bot_difficulty TINYINT UNSIGNED NOT NULL DEFAULT 2;

-- A challenge whose solution was used by a sign-up, until it has expired.
CREATE TABLE IF NOT EXISTS {prefix}used_proofs (
	nonce BINARY(16) NOT NULL,
	expires_ms BIGINT NOT NULL,
	PRIMARY KEY (nonce),
	-- sql_delete_used_proofs
	KEY by_time (expires_ms)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_12', '11');
