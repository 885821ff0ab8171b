-- SPDX-License-Identifier: MIT
-- The PHP baseline's tables, with indexes for the same queries as Leadhook's.
CREATE TABLE campaigns (
	id INT UNSIGNED NOT NULL PRIMARY KEY,
	account_id INT UNSIGNED NOT NULL,
	name VARCHAR(200) NOT NULL,
	ended_at DATETIME NULL,
	points_direct INT UNSIGNED NOT NULL DEFAULT 1
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

CREATE TABLE api_keys (
	hash BINARY(32) NOT NULL PRIMARY KEY,
	account_id INT UNSIGNED NOT NULL,
	revoked_at DATETIME NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

CREATE TABLE counters (
	campaign_id INT UNSIGNED NOT NULL PRIMARY KEY,
	last_number INT UNSIGNED NOT NULL DEFAULT 0,
	lead_count INT UNSIGNED NOT NULL DEFAULT 0
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

CREATE TABLE leads (
	id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
	campaign_id INT UNSIGNED NOT NULL,
	subscription_number INT UNSIGNED NOT NULL,
	social_id CHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	parent_id BIGINT UNSIGNED NULL,
	counter INT UNSIGNED NOT NULL DEFAULT 1,
	email VARCHAR(254) NOT NULL,
	email_hash BINARY(16) NOT NULL,
	custom_fields TEXT NULL,
	utm TEXT NULL,
	ip VARCHAR(45) NULL,
	referrer TEXT NULL,
	fraudulent BOOLEAN NOT NULL DEFAULT FALSE,
	opted_out BOOLEAN NOT NULL DEFAULT FALSE,
	score INT UNSIGNED NOT NULL DEFAULT 0,
	referrals INT UNSIGNED NOT NULL DEFAULT 0,
	created_at DATETIME NOT NULL,
	UNIQUE KEY by_email (email_hash),
	UNIQUE KEY by_social_id (social_id),
	UNIQUE KEY by_number (campaign_id, subscription_number),
	KEY by_score (campaign_id, fraudulent, score)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

CREATE TABLE score_entries (
	lead_id BIGINT UNSIGNED NOT NULL,
	referred_id BIGINT UNSIGNED NOT NULL,
	points INT NOT NULL,
	created_at DATETIME NOT NULL,
	PRIMARY KEY (lead_id, referred_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

CREATE TABLE webhooks (
	id INT UNSIGNED NOT NULL PRIMARY KEY,
	campaign_id INT UNSIGNED NOT NULL,
	url VARCHAR(2048) NOT NULL,
	secret VARCHAR(128) NOT NULL,
	KEY by_campaign (campaign_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

CREATE TABLE events (
	id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
	lead_id BIGINT UNSIGNED NOT NULL,
	type VARCHAR(32) NOT NULL,
	payload MEDIUMTEXT NOT NULL,
	created_at DATETIME NOT NULL,
	KEY by_lead (lead_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

CREATE TABLE deliveries (
	id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
	event_id BIGINT UNSIGNED NOT NULL,
	webhook_id INT UNSIGNED NOT NULL,
	state ENUM('pending', 'delivered', 'failed') NOT NULL DEFAULT 'pending',
	attempts SMALLINT UNSIGNED NOT NULL DEFAULT 0,
	due_at DATETIME NOT NULL,
	KEY due (state, due_at),
	KEY by_webhook (webhook_id, state)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

CREATE TABLE attempts (
	id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
	delivery_id BIGINT UNSIGNED NOT NULL,
	attempt SMALLINT UNSIGNED NOT NULL,
	status SMALLINT UNSIGNED NULL,
	duration_ms INT UNSIGNED NOT NULL,
	answer VARBINARY(1024) NULL,
	created_at DATETIME NOT NULL,
	KEY by_delivery (delivery_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
