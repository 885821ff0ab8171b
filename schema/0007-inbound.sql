-- SPDX-License-Identifier: MIT
-- Inbound webhooks: secret URLs that take payloads of other systems, and the log of their calls. Safe to run twice.

CREATE TABLE IF NOT EXISTS {prefix}inbound_webhooks (
	id BIGINT UNSIGNED NOT NULL,
	campaign_id BIGINT UNSIGNED NOT NULL,
	name VARCHAR(200) NOT NULL,
	token_hash BINARY(32) NOT NULL, -- SHA-256 of the token in the URL, which is stored nowhere
	previous_hash BINARY(32) NULL, -- that of the token before, which works until …
	previous_until_ms BIGINT NULL,
	tag_id BIGINT UNSIGNED NULL, -- leads get this tag
	source TEXT NULL, -- of leads; NULL: the name
	map TEXT NULL, -- a JSON object: parameters and the paths of their values; NULL: the obvious names
	created_ms BIGINT NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY by_token (token_hash), -- sql_select_inbound_of_token, for every call; a token is one webhook's
	UNIQUE KEY by_previous_token (previous_hash), -- the same
	-- sql_select_inbound_of_campaign, sql_count_inbound, sql_select_inbound_by_name: a name is one webhook's in a campaign
	UNIQUE KEY by_campaign (campaign_id, name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- What came of the calls. Separate from `inbound_webhooks`, which every call reads; its row is locked by those that write the log.
CREATE TABLE IF NOT EXISTS {prefix}inbound_status (
	inbound_id BIGINT UNSIGNED NOT NULL,
	calls BIGINT UNSIGNED NOT NULL DEFAULT 0,
	created BIGINT UNSIGNED NOT NULL DEFAULT 0, -- of these: leads that were created, leads that were updated, refused payloads
	updated BIGINT UNSIGNED NOT NULL DEFAULT 0,
	refused BIGINT UNSIGNED NOT NULL DEFAULT 0,
	last_call_ms BIGINT NULL,
	PRIMARY KEY (inbound_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS {prefix}inbound_calls (
	id BIGINT UNSIGNED NOT NULL,
	inbound_id BIGINT UNSIGNED NOT NULL,
	campaign_id BIGINT UNSIGNED NOT NULL,
	refused BOOLEAN NOT NULL, -- stored with its whole body until it expires; else one of the last calls that became leads
	state ENUM('created', 'updated', 'refused') NOT NULL,
	error VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL, -- why it was refused: code …
	message TEXT NULL, -- … and message
	lead_id BIGINT UNSIGNED NULL,
	ip VARBINARY(45) NULL,
	content_type VARBINARY(255) NULL,
	size INT UNSIGNED NOT NULL, -- of the body as it came
	body MEDIUMBLOB NOT NULL, -- or its beginning
	body_hash BINARY(16) NULL, -- of the body of a refused call
	times INT UNSIGNED NOT NULL DEFAULT 1, -- how often the refused body came
	replays INT UNSIGNED NOT NULL DEFAULT 0,
	received_ms BIGINT NOT NULL,
	ended_ms BIGINT NOT NULL, -- time of the state
	expires_ms BIGINT NOT NULL,
	PRIMARY KEY (id),
	-- sql_select_inbound_calls, sql_select_old_inbound_calls; from the index alone: sql_sum_refused_calls
	KEY by_inbound (inbound_id, refused, ended_ms, size),
	KEY by_body (inbound_id, body_hash), -- sql_lock_same_inbound_call
	KEY by_lead (lead_id), -- sql_select_inbound_calls_of_lead
	KEY by_expiry (expires_ms) -- sql_delete_expired_calls
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

INSERT IGNORE INTO {prefix}id_blocks (name, next) VALUES ('inbound', 1), ('inbound_call', 1);

REPLACE INTO {prefix}installation (name, value)
	SELECT 'oldest_programs_7', MAX(version) FROM {prefix}schema_version WHERE version < 7;
