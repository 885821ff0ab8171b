-- SPDX-License-Identifier: MIT
-- What a campaign says in its own words (docs/pages.md). Safe to run twice. Older programs show nothing of it.

CREATE TABLE IF NOT EXISTS {prefix}campaign_texts (
	campaign_id BIGINT UNSIGNED NOT NULL,
	name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- as 'page.title'
	language VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '', -- '': every language
	value MEDIUMTEXT NOT NULL,
	PRIMARY KEY (campaign_id, name, language)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_13', '12');
