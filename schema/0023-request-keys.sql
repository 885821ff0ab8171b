-- SPDX-License-Identifier: MIT
-- The header Idempotency-Key (docs/manage.md 1.5). Safe to run twice. Older programs do not know it.

-- What a call with such a key has made: written in the transaction that makes it.
CREATE TABLE IF NOT EXISTS {prefix}request_keys (
	hash BINARY(32) NOT NULL, -- SHA-256 of caller, path and key
	parameters BINARY(32) NOT NULL, -- SHA-256 of the body
	object_id BIGINT UNSIGNED NOT NULL,
	created_ms BIGINT NOT NULL,
	PRIMARY KEY (hash), -- sql_lock_request_key
	KEY by_time (created_ms) -- sql_delete_request_keys
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_23', '22');
