-- SPDX-License-Identifier: MIT
-- Users of the dashboard, their sessions, the audit log (docs/users.md). Safe to run twice. Older programs have no users.

CREATE TABLE IF NOT EXISTS {prefix}users (
	id BIGINT UNSIGNED NOT NULL,
	account_id BIGINT UNSIGNED NULL, -- NULL: an operator
	email VARCHAR(254) NOT NULL, -- the key of the address, as identity/email.h makes it
	name VARCHAR(200) NOT NULL,
	role TINYINT UNSIGNED NOT NULL, -- enum role of identity/role.h
	campaigns TEXT CHARACTER SET ascii COLLATE ascii_bin NULL, -- ids, decimal, comma-separated; NULL: all of the account
	password VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NULL, -- an argon2id hash; NULL: none until a link is used
	password_ms BIGINT NULL, -- when it was set
	totp_secret VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NULL, -- sealed
	totp_enabled_ms BIGINT NULL, -- NULL: the secret is not confirmed yet
	totp_step BIGINT UNSIGNED NOT NULL DEFAULT 0, -- of the last code that was accepted
	created_ms BIGINT NOT NULL,
	last_login_ms BIGINT NULL,
	disabled_ms BIGINT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY by_email (email), -- sql_select_login_user
	KEY by_account (account_id, id) -- sql_select_users_of_account, sql_lock_operators, sql_delete_users_of_account
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- A row for each code that was not used.
CREATE TABLE IF NOT EXISTS {prefix}recovery_codes (
	user_id BIGINT UNSIGNED NOT NULL,
	hash BINARY(32) NOT NULL, -- SHA-256
	PRIMARY KEY (user_id, hash)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS {prefix}sessions (
	hash BINARY(32) NOT NULL, -- SHA-256 of the token; the token itself is stored nowhere
	user_id BIGINT UNSIGNED NOT NULL,
	created_ms BIGINT NOT NULL, -- at the login
	last_used_ms BIGINT NOT NULL, -- to the minute
	confirmed_ms BIGINT NOT NULL, -- when the password was last given
	ip VARCHAR(45) CHARACTER SET ascii COLLATE ascii_bin NULL, -- of the last request
	user_agent VARBINARY(255) NULL, -- of the login
	PRIMARY KEY (hash), -- sql_select_session, for every request with a session
	KEY by_user (user_id), -- sql_select_sessions_of_user, sql_delete_sessions_of_user
	KEY by_time (created_ms) -- sql_delete_old_sessions
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Links that were not used, by which users set a password: one at a time for a user.
CREATE TABLE IF NOT EXISTS {prefix}invitations (
	hash BINARY(32) NOT NULL, -- SHA-256 of the token
	user_id BIGINT UNSIGNED NOT NULL,
	purpose ENUM('welcome', 'reset') NOT NULL,
	created_ms BIGINT NOT NULL,
	expires_ms BIGINT NOT NULL,
	PRIMARY KEY (hash), -- sql_select_invitation
	KEY by_user (user_id), -- sql_delete_invitations_of_user
	KEY by_time (expires_ms) -- sql_delete_old_invitations
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Failed logins of an address, whether it is that of a user or not.
CREATE TABLE IF NOT EXISTS {prefix}login_attempts (
	hash BINARY(32) NOT NULL, -- an HMAC of the address with the installation's secret
	failures INT UNSIGNED NOT NULL,
	until_ms BIGINT NOT NULL, -- struct login_throttle of identity/login_throttle.h
	PRIMARY KEY (hash), -- sql_lock_attempts
	KEY by_time (until_ms) -- sql_delete_old_attempts
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Changes that were made by users, by keys and on the command line. A row is written before the change.
CREATE TABLE IF NOT EXISTS {prefix}audit (
	id BIGINT UNSIGNED NOT NULL, -- in the order of time
	created_ms BIGINT NOT NULL,
	actor ENUM('user', 'key', 'shell') NOT NULL,
	actor_id BIGINT UNSIGNED NOT NULL DEFAULT 0, -- of the user or key; 0: none
	actor_name VARCHAR(254) NULL, -- as it was then
	account_id BIGINT UNSIGNED NULL, -- that was changed, or whose campaign was
	campaign_id BIGINT UNSIGNED NULL,
	operation VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- words of the command, as "campaign set"
	target_id BIGINT UNSIGNED NULL, -- of what was changed
	state ENUM('begun', 'done', 'failed') NOT NULL, -- begun: its process ended before it could write more
	before_json MEDIUMTEXT NULL,
	after_json MEDIUMTEXT NULL,
	ip VARCHAR(45) CHARACTER SET ascii COLLATE ascii_bin NULL,
	request_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL,
	PRIMARY KEY (id), -- sql_select_audit
	KEY by_account (account_id, id), -- sql_select_audit_of_account
	KEY by_campaign (campaign_id, id), -- sql_select_audit_of_campaign
	KEY by_actor (actor, actor_id, id), -- sql_select_audit_of_actor
	KEY by_time (created_ms) -- sql_select_audit_since, sql_delete_old_audit
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

INSERT IGNORE INTO {prefix}id_blocks (name, next) VALUES ('user', 1), ('audit', 1);

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_20', '19');
