-- SPDX-License-Identifier: MIT
-- Erasing people and removing campaigns (docs/operating.md 7.4, 7.5). Safe to run twice. Older programs erase and remove nothing, and
-- their imports bring erased people back.

-- A person whose data are being erased: a row until all of it is gone. It has the address, which no other table has afterwards.
CREATE TABLE IF NOT EXISTS {prefix}erasures (
	id BINARY(16) NOT NULL,
	campaign_id BIGINT UNSIGNED NOT NULL, -- 0: of every campaign
	channel ENUM('email', 'phone') NOT NULL,
	address VARBINARY(1024) NOT NULL, -- email key or number
	whole MEDIUMTEXT NOT NULL, -- regular expressions for the address: as a value …
	in_text MEDIUMTEXT NOT NULL, -- … and in a text
	lead_ids MEDIUMTEXT CHARACTER SET ascii COLLATE ascii_bin NULL, -- of the person's leads, also of deleted ones, decimal, comma-separated
	social_ids MEDIUMTEXT CHARACTER SET ascii COLLATE ascii_bin NULL, -- of the same
	step TINYINT UNSIGNED NOT NULL DEFAULT 0, -- enum erase_step of store/removal/erase.c
	position BIGINT UNSIGNED NOT NULL DEFAULT 0, -- in this step
	worked_ms BIGINT NOT NULL, -- time of the last progress
	created_ms BIGINT NOT NULL,
	PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- The people who were erased: imports do not bring them back.
CREATE TABLE IF NOT EXISTS {prefix}erased_people (
	hash BINARY(16) NOT NULL, -- an HMAC of campaign (or 0), channel and address with the installation's secret
	erased_ms BIGINT NOT NULL,
	PRIMARY KEY (hash) -- sql_select_erased
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- A campaign that was removed and has rows left: a row until they are gone.
CREATE TABLE IF NOT EXISTS {prefix}removed_campaigns (
	campaign_id BIGINT UNSIGNED NOT NULL,
	step TINYINT UNSIGNED NOT NULL DEFAULT 0, -- as in erasures, of store/removal/campaigns.c
	position BIGINT UNSIGNED NOT NULL DEFAULT 0,
	worked_ms BIGINT NOT NULL,
	created_ms BIGINT NOT NULL,
	PRIMARY KEY (campaign_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_18', '17');
