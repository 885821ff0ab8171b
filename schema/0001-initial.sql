-- SPDX-License-Identifier: MIT
-- Leadhook's tables. `{prefix}` is replaced by the setting database.prefix. Safe to run twice.
--
-- Common to all: times are milliseconds since 1970-01-01T00:00:00Z by the database's clock (`…_ms`); identities (email key,
-- E.164 number, social id, URL, host) are compared as bytes, so they are VARBINARY, or a hash of fixed length beside the
-- text. Ids come from `id_blocks`, never from AUTO_INCREMENT. No foreign keys: they would lock parents.
--
-- Every row that is written pays for each index, so each names the statements that would read too much without it, and the rule
-- that it keeps where it is unique.

-- Facts about this installation: `installation_id` (part of every webhook-id header), `server_secret` (signs opt-out links).
CREATE TABLE IF NOT EXISTS {prefix}meta (
	name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	value VARBINARY(255) NOT NULL,
	PRIMARY KEY (name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Where ids come from: a process takes a block in a transaction of its own. Gaps are normal.
CREATE TABLE IF NOT EXISTS {prefix}id_blocks (
	name VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	next BIGINT UNSIGNED NOT NULL, -- the first id that nobody has yet
	PRIMARY KEY (name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

INSERT IGNORE INTO {prefix}id_blocks (name, next) VALUES
	('account', 1), ('api_key', 1), ('campaign', 1), ('webhook', 1), ('lead', 1), ('history', 1), ('tag', 1),
	 ('action', 1), ('reward_level', 1), ('bulk_job', 1), ('points_call', 1);

-- One row per committed transaction that left nothing else of its own making: when the answer to a COMMIT is lost, an event or
-- a token says that it was done. 0002-names.sql renames the table.
CREATE TABLE IF NOT EXISTS {prefix}commits (
	token BINARY(16) NOT NULL,
	PRIMARY KEY (token)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS {prefix}accounts (
	id BIGINT UNSIGNED NOT NULL,
	name VARCHAR(200) NOT NULL,
	suspended_ms BIGINT NULL, -- since when; NULL: active
	per_minute INT UNSIGNED NULL, -- GET and POST calls with a key, 0: any number; NULL: as the setting says
	created_ms BIGINT NOT NULL,
	PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS {prefix}api_keys (
	id BIGINT UNSIGNED NOT NULL,
	account_id BIGINT UNSIGNED NOT NULL,
	name VARCHAR(200) NOT NULL,
	hash BINARY(32) NOT NULL, -- SHA-256 of the key; the key itself is stored nowhere
	created_ms BIGINT NOT NULL,
	last_used_ms BIGINT NULL, -- to the hour
	revoked_ms BIGINT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY by_hash (hash), -- sql_select_key, for every request with a key; a key is one account's
	KEY by_account (account_id) -- sql_select_keys
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS {prefix}campaigns (
	id BIGINT UNSIGNED NOT NULL,
	account_id BIGINT UNSIGNED NOT NULL,
	name VARCHAR(200) NOT NULL,
	created_ms BIGINT NOT NULL,
	ended_ms BIGINT NULL, -- ended by command, or its end time was noted: then it is ends_ms; NULL: open
	ends_ms BIGINT NULL, -- its end time: holds by itself, noted or not
	jump_start INT UNSIGNED NOT NULL DEFAULT 0,
	privacy BOOLEAN NOT NULL DEFAULT TRUE,
	require_key BOOLEAN NOT NULL DEFAULT FALSE,
	landing_url VARCHAR(2048) NULL,
	thankyou_url VARCHAR(2048) NULL,
	status_url VARCHAR(2048) NULL,
	points_signup INT UNSIGNED NOT NULL DEFAULT 0,
	points_direct INT UNSIGNED NOT NULL DEFAULT 1, -- to the referrer
	points_indirect INT UNSIGNED NOT NULL DEFAULT 0, -- to each referrer further up
	points_verified INT UNSIGNED NOT NULL DEFAULT 0, -- to the referrer, when the referred lead is verified
	require_verification BOOLEAN NOT NULL DEFAULT FALSE, -- before a referral counts
	waitlist BOOLEAN NOT NULL DEFAULT FALSE, -- new leads begin on it
	max_per_ip INT UNSIGNED NOT NULL DEFAULT 0, -- 0: no matter
	blocked_email_domains TEXT NULL, -- lists, separated by commas or white space
	blocked_referrers TEXT NULL,
	allowed_networks TEXT NULL,
	PRIMARY KEY (id),
	KEY by_account (account_id) -- sql_select_campaigns_of_account: GET /v2/campaigns
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- The row that every command which changes a lead locks before anything else: numbers are dense, counters exact.
CREATE TABLE IF NOT EXISTS {prefix}campaign_counters (
	campaign_id BIGINT UNSIGNED NOT NULL,
	last_subscription_number INT UNSIGNED NOT NULL DEFAULT 0, -- given once, never reused
	lead_count INT UNSIGNED NOT NULL DEFAULT 0, -- leads there are now, and how many of them are …
	verified INT UNSIGNED NOT NULL DEFAULT 0,
	waitlisted INT UNSIGNED NOT NULL DEFAULT 0,
	removed_from_waitlist INT UNSIGNED NOT NULL DEFAULT 0,
	fraudulent INT UNSIGNED NOT NULL DEFAULT 0,
	opted_out INT UNSIGNED NOT NULL DEFAULT 0,
	referred INT UNSIGNED NOT NULL DEFAULT 0,
	ip_counted_to INT UNSIGNED NOT NULL DEFAULT 0, -- `ip_leads` has the leads up to this number; 4294967295: all, also those to come
	settings_version BIGINT UNSIGNED NOT NULL DEFAULT 0, -- goes up with every change of settings, webhooks and definitions
	leads_version BIGINT UNSIGNED NOT NULL DEFAULT 0, -- goes up with every batch that changes leads
	PRIMARY KEY (campaign_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS {prefix}leads (
	id BIGINT UNSIGNED NOT NULL,
	campaign_id BIGINT UNSIGNED NOT NULL,
	subscription_number INT UNSIGNED NOT NULL, -- order of sign-up in the campaign, from 1
	social_id BINARY(10) NOT NULL,
	parent_id BIGINT UNSIGNED NULL, -- the referrer's id, set once
	counter INT UNSIGNED NOT NULL DEFAULT 1, -- create/update calls
	email VARCHAR(1024) NULL, -- as typed
	email_key VARBINARY(512) NULL, -- identity: normalised local part @ lower-case A-label domain
	email_hash BINARY(16) NULL, -- of campaign and email_key
	phone VARBINARY(16) NULL, -- E.164
	phone_hash BINARY(16) NULL, -- of campaign and phone
	verified_email BOOLEAN NOT NULL DEFAULT FALSE,
	verified_phone BOOLEAN NOT NULL DEFAULT FALSE,
	waitlisted BOOLEAN NOT NULL DEFAULT FALSE,
	removed_from_waitlist BOOLEAN NOT NULL DEFAULT FALSE, -- was on it, is no more
	opted_out BOOLEAN NOT NULL DEFAULT FALSE,
	sms_opted_out BOOLEAN NOT NULL DEFAULT FALSE,
	custom_fields TEXT NULL, -- a JSON object; NULL: none
	utm MEDIUMTEXT NULL, -- a JSON object, of the first request that had any
	uid TEXT NULL,
	redirect_url TEXT NULL,
	ip VARBINARY(45) NULL,
	user_agent TEXT NULL,
	referrer TEXT NULL,
	source TEXT NULL,
	source_id BIGINT UNSIGNED NULL,
	signup_url TEXT NULL,
	session_id TEXT NULL,
	request_id TEXT NULL,
	fraudulent BOOLEAN NOT NULL DEFAULT FALSE,
	fraud_flags TEXT NULL, -- a JSON array of their names; NULL: none
	times_flagged INT UNSIGNED NOT NULL DEFAULT 0, -- how often it became fraudulent
	announced BOOLEAN NOT NULL DEFAULT FALSE, -- new_signup_not_excluded was made
	score INT UNSIGNED NOT NULL DEFAULT 0, -- the sum of its deltas in score_entries
	score_order INT UNSIGNED AS (score ^ 4294967295) PERSISTENT, -- ascending where the score descends; the server takes no NOT NULL
	referrals INT UNSIGNED NOT NULL DEFAULT 0, -- direct ones that count
	unverified_direct INT UNSIGNED NOT NULL DEFAULT 0, -- referred leads, as referral_links counts them
	unverified_indirect INT UNSIGNED NOT NULL DEFAULT 0,
	verified_direct INT UNSIGNED NOT NULL DEFAULT 0,
	verified_indirect INT UNSIGNED NOT NULL DEFAULT 0,
	tag_ids TEXT CHARACTER SET ascii COLLATE ascii_bin NULL, -- decimal ids, comma-separated, in the order they came
	action_ids TEXT CHARACTER SET ascii COLLATE ascii_bin NULL, -- completed ones, the same way
	reward_ids TEXT CHARACTER SET ascii COLLATE ascii_bin NULL, -- levels once reached, the same way
	created_ms BIGINT NOT NULL,
	updated_ms BIGINT NOT NULL,
	PRIMARY KEY (id),
	-- sql_load_leads_by_…, sql_look_up_by_…, sql_select_lead_ids: an address is one lead's in a campaign,
	-- which is in the hash
	UNIQUE KEY by_email (email_hash),
	UNIQUE KEY by_phone (phone_hash),
	-- the same, for kid links; sql_select_event_ids_of_lead
	UNIQUE KEY by_social_id (social_id),
	-- sql_select_page, sql_select_number_after, sql_count_addresses: a number is given once
	UNIQUE KEY by_number (campaign_id, subscription_number),
	-- sql_select_leaders, which reads as many rows as the board shows
	KEY by_score (campaign_id, fraudulent, score_order, subscription_number)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- What has made the scores. The key is the cause: nothing is booked twice for the same.
CREATE TABLE IF NOT EXISTS {prefix}score_entries (
	lead_id BIGINT UNSIGNED NOT NULL, -- whose score
	reason ENUM('signup', 'custom', 'tag', 'action', 'referral', 'verified', 'fraud', 'approve') NOT NULL,
	ref BIGINT UNSIGNED NOT NULL, -- the tag, the action, the call (custom), the referred lead (the last four); 0: none
	round INT UNSIGNED NOT NULL, -- how often the referred lead had been flagged
	delta BIGINT NOT NULL, -- what took effect: a score never falls below 0
	asked BIGINT NOT NULL,
	message TEXT NULL, -- what came with a points call
	created_ms BIGINT NOT NULL,
	PRIMARY KEY (lead_id, reason, ref, round)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Who referred whom, up the chain, and what the one at the upper end has of it. The rows of a deleted lead stay: what it
-- brought stays too.
CREATE TABLE IF NOT EXISTS {prefix}referral_links (
	lead_id BIGINT UNSIGNED NOT NULL, -- the referred lead
	level TINYINT UNSIGNED NOT NULL, -- 1: direct
	ancestor_id BIGINT UNSIGNED NOT NULL,
	counted ENUM('no', 'unverified', 'verified') NOT NULL DEFAULT 'no', -- in which of the ancestor's counts it is
	counts BOOLEAN NOT NULL DEFAULT FALSE, -- as a referral that earns credit
	settled BOOLEAN NOT NULL DEFAULT FALSE, -- has counted once: what it earns is known, and the event `referral` was made
	verified_settled BOOLEAN NOT NULL DEFAULT FALSE, -- the same of points_verified
	earned INT UNSIGNED NOT NULL DEFAULT 0, -- what it earned when it was settled
	credit INT UNSIGNED NOT NULL DEFAULT 0, -- what it brings the ancestor now: the net of its entries there
	PRIMARY KEY (lead_id, level)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- How many leads that are not fraudulent have which score above 0, as a tree of 8 levels with 16 buckets a node, so that a rank
-- costs the same however many leads and scores there are. Node: campaign << 29 | place of the node in the tree.
CREATE TABLE IF NOT EXISTS {prefix}score_histogram (
	node BIGINT UNSIGNED NOT NULL,
	s0 INT NOT NULL DEFAULT 0, -- leads in the first bucket, and so on
	s1 INT NOT NULL DEFAULT 0,
	s2 INT NOT NULL DEFAULT 0,
	s3 INT NOT NULL DEFAULT 0,
	s4 INT NOT NULL DEFAULT 0,
	s5 INT NOT NULL DEFAULT 0,
	s6 INT NOT NULL DEFAULT 0,
	s7 INT NOT NULL DEFAULT 0,
	s8 INT NOT NULL DEFAULT 0,
	s9 INT NOT NULL DEFAULT 0,
	s10 INT NOT NULL DEFAULT 0,
	s11 INT NOT NULL DEFAULT 0,
	s12 INT NOT NULL DEFAULT 0,
	s13 INT NOT NULL DEFAULT 0,
	s14 INT NOT NULL DEFAULT 0,
	s15 INT NOT NULL DEFAULT 0,
	PRIMARY KEY (node)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Leads per address, of campaigns with max_per_ip only: those with a number up to campaign_counters.ip_counted_to.
CREATE TABLE IF NOT EXISTS {prefix}ip_leads (
	campaign_id BIGINT UNSIGNED NOT NULL,
	ip VARBINARY(45) NOT NULL,
	leads INT NOT NULL,
	PRIMARY KEY (campaign_id, ip)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Leads that were deleted and have entries in score_entries left, which the dispatcher removes in chunks.
CREATE TABLE IF NOT EXISTS {prefix}deleted_leads (
	lead_id BIGINT UNSIGNED NOT NULL,
	PRIMARY KEY (lead_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS {prefix}tags (
	id BIGINT UNSIGNED NOT NULL,
	campaign_id BIGINT UNSIGNED NOT NULL,
	name VARCHAR(200) NOT NULL,
	description TEXT NULL,
	points INT NOT NULL DEFAULT 0,
	PRIMARY KEY (id),
	UNIQUE KEY by_name (campaign_id, name) -- sql_select_definitions…: a name is one tag's in a campaign
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS {prefix}actions (
	id BIGINT UNSIGNED NOT NULL,
	campaign_id BIGINT UNSIGNED NOT NULL,
	text VARCHAR(200) NOT NULL,
	points INT NOT NULL DEFAULT 0,
	tag_id BIGINT UNSIGNED NULL, -- this tag completes it, and nothing else does
	PRIMARY KEY (id),
	KEY by_campaign (campaign_id) -- sql_select_definitions…
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS {prefix}reward_levels (
	id BIGINT UNSIGNED NOT NULL,
	campaign_id BIGINT UNSIGNED NOT NULL,
	subject VARCHAR(200) NOT NULL,
	required_points INT UNSIGNED NOT NULL,
	emailed BOOLEAN NOT NULL DEFAULT FALSE,
	PRIMARY KEY (id),
	KEY by_campaign (campaign_id) -- sql_select_definitions…
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Bulk work that is not done yet. Its progress is committed together with its effects; a job that is done leaves.
CREATE TABLE IF NOT EXISTS {prefix}bulk_jobs (
	id BIGINT UNSIGNED NOT NULL,
	campaign_id BIGINT UNSIGNED NOT NULL,
	action ENUM('optout', 'sms_optout', 'verify', 'approve', 'block', 'waitlist', 'unwaitlist', 'tag', 'delete') NOT NULL,
	tag_id BIGINT UNSIGNED NULL, -- of `tag`
	word VARCHAR(64) NULL, -- reason of `block`, channel of `verify`
	lead_ids TEXT CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- decimal, comma-separated
	total INT UNSIGNED NOT NULL, -- of lead_ids
	position INT UNSIGNED NOT NULL DEFAULT 0, -- how many of them are done
	failures SMALLINT UNSIGNED NOT NULL DEFAULT 0, -- in a row, at this position
	delayed_until_ms BIGINT NOT NULL DEFAULT 0, -- after a failure
	created_ms BIGINT NOT NULL,
	PRIMARY KEY (id),
	KEY by_campaign (campaign_id, id, delayed_until_ms) -- sql_select_next_job, from the index alone
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- When bulk work of a campaign was last done, or tried. Apart from `campaign_counters`, whose locks it must not wait for.
CREATE TABLE IF NOT EXISTS {prefix}bulk_turns (
	campaign_id BIGINT UNSIGNED NOT NULL,
	served_ms BIGINT NOT NULL,
	PRIMARY KEY (campaign_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS {prefix}webhooks (
	id BIGINT UNSIGNED NOT NULL,
	campaign_id BIGINT UNSIGNED NOT NULL,
	url VARBINARY(2048) NOT NULL,
	url_hash BINARY(32) NOT NULL, -- SHA-256 of url
	events SMALLINT UNSIGNED NOT NULL, -- bit i: the i-th event in the order of docs/api.md 4.7
	source TEXT NULL,
	format ENUM('json', 'form') NOT NULL DEFAULT 'json',
	secret VARBINARY(128) NOT NULL, -- whsec_…
	previous_secret VARBINARY(128) NULL, -- signs too, until …
	previous_until_ms BIGINT NULL,
	state ENUM('active', 'disabled', 'gone') NOT NULL DEFAULT 'active', -- gone: the receiver answered 410
	schedule VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NULL, -- waits before each further attempt; NULL: the setting's
	rate SMALLINT UNSIGNED NOT NULL DEFAULT 0, -- deliveries a second; 0: any number
	ca_file VARBINARY(1024) NULL, -- paths where the dispatcher runs: what the receiver's certificate is verified with, …
	client_certificate VARBINARY(1024) NULL, -- … and what is shown to it
	client_key VARBINARY(1024) NULL,
	created_ms BIGINT NOT NULL,
	PRIMARY KEY (id),
	-- sql_select_subscriptions, sql_select_webhooks, sql_count_webhooks, sql_select_webhook_by_url: a URL is one webhook in a
	-- campaign
	UNIQUE KEY by_campaign (campaign_id, url_hash)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- What the dispatcher knows of a webhook. Apart from `webhooks`, so that sign-ups never wait for the dispatcher.
CREATE TABLE IF NOT EXISTS {prefix}webhook_status (
	webhook_id BIGINT UNSIGNED NOT NULL,
	failing_since_ms BIGINT NULL, -- every attempt has failed since; NULL: the last one succeeded
	failures INT UNSIGNED NOT NULL DEFAULT 0, -- attempts since the last success
	probes SMALLINT UNSIGNED NOT NULL DEFAULT 0, -- of them, those that the breaker let through
	last_status SMALLINT UNSIGNED NULL, -- HTTP status of the last attempt; NULL: none came
	last_error VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL, -- why it got no whole answer
	last_delivery_ms BIGINT NULL, -- the last success
	hold_until_ms BIGINT NOT NULL DEFAULT 0, -- nothing is sent before: its receiver asked for silence, or the breaker waits
	PRIMARY KEY (webhook_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- History. The high bits of an id (from bit 36) are the UTC day since 1970, so that the id alone finds its partition and a
-- day is dropped as a whole; partitions of days are split off from `later` (src/store/queue/partitions.c). Indexes name the id that
-- is behind them anyway: of a table with partitions the server takes its order for nothing else.
CREATE TABLE IF NOT EXISTS {prefix}events (
	id BIGINT UNSIGNED NOT NULL,
	campaign_id BIGINT UNSIGNED NOT NULL,
	lead_id BIGINT UNSIGNED NOT NULL,
	type TINYINT UNSIGNED NOT NULL, -- as in webhooks.events
	deliveries SMALLINT UNSIGNED NOT NULL, -- how many were made: their ids are the next ones behind `id`
	created_ms BIGINT NOT NULL,
	payload MEDIUMBLOB NOT NULL, -- JSON, frozen: every attempt sends these bytes
	PRIMARY KEY (id),
	KEY by_lead (lead_id, id) -- until 0040
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin
PARTITION BY RANGE (id) (PARTITION later VALUES LESS THAN MAXVALUE);

-- Deliveries that have ended, with ids as in `due`. Where an id is in both, it is to be sent again: it is pending.
CREATE TABLE IF NOT EXISTS {prefix}deliveries (
	id BIGINT UNSIGNED NOT NULL,
	event_id BIGINT UNSIGNED NOT NULL,
	webhook_id BIGINT UNSIGNED NOT NULL,
	format ENUM('json', 'form') NOT NULL, -- as it was in `due`
	state ENUM('delivered', 'failed') NOT NULL,
	attempts SMALLINT UNSIGNED NOT NULL,
	last_status SMALLINT UNSIGNED NULL, -- HTTP status of the last attempt; NULL: none came
	last_error VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL, -- why it got no whole answer, or got no attempt any more
	ended_ms BIGINT NOT NULL,
	PRIMARY KEY (id),
	KEY by_webhook (webhook_id, state, id), -- 0003-leases.sql replaces both
	KEY by_state (state, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin
PARTITION BY RANGE (id) (PARTITION later VALUES LESS THAN MAXVALUE);

-- The log of attempts, numbered as `due.attempts` counts them. A delivery's attempts are in one partition, and side by side.
CREATE TABLE IF NOT EXISTS {prefix}attempts (
	delivery_id BIGINT UNSIGNED NOT NULL,
	attempt SMALLINT UNSIGNED NOT NULL, -- from 1; those that nobody recorded are missing
	started_ms BIGINT NOT NULL,
	duration_ms INT UNSIGNED NOT NULL,
	status SMALLINT UNSIGNED NULL, -- HTTP status, when one came
	error VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL, -- class of what went wrong
	answer VARBINARY(1024) NULL, -- how the receiver's answer began
	PRIMARY KEY (delivery_id, attempt)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin
PARTITION BY RANGE (delivery_id) (PARTITION later VALUES LESS THAN MAXVALUE);

-- Deliveries that are pending, and nothing else: one that has ended moves to `deliveries` at once, so this table stays small
-- however long the history is.
CREATE TABLE IF NOT EXISTS {prefix}due (
	id BIGINT UNSIGNED NOT NULL, -- from the same range as the event's, directly behind it
	event_id BIGINT UNSIGNED NOT NULL,
	shard TINYINT UNSIGNED NOT NULL, -- of the webhook
	webhook_id BIGINT UNSIGNED NOT NULL,
	format ENUM('json', 'form') NOT NULL, -- frozen with the payload
	due_ms BIGINT NOT NULL,
	token BINARY(16) NULL, -- 0003-leases.sql drops it
	attempts SMALLINT UNSIGNED NOT NULL DEFAULT 0, -- as 0003-leases.sql says
	attempts_before SMALLINT UNSIGNED NOT NULL DEFAULT 0, -- of them, those before it was sent again: the schedule starts anew
	last_status SMALLINT UNSIGNED NULL, -- of the last one that ended, as in deliveries
	last_error VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL,
	PRIMARY KEY (id),
	-- sql_select_due_webhooks, one probe a webhook; its oldest rows, sql_select_due_positions; all of them,
	-- sql_lock_due_of_webhook, sql_count_due_of_webhook, sql_select_delivery_ids_of_webhook
	KEY by_webhook (shard, webhook_id, due_ms)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Each shard (64, by webhook) is worked by one dispatcher at a time.
CREATE TABLE IF NOT EXISTS {prefix}dispatch_shards (
	shard TINYINT UNSIGNED NOT NULL,
	owner BINARY(16) NULL,
	lease_until_ms BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (shard)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

INSERT IGNORE INTO {prefix}dispatch_shards (shard) SELECT seq FROM (
	SELECT a.n + 8 * b.n AS seq
	FROM (SELECT 0 AS n UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6 UNION SELECT 7) a,
	     (SELECT 0 AS n UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6 UNION SELECT 7) b
) AS shards;

-- Which of these files this database has.
CREATE TABLE IF NOT EXISTS {prefix}schema_version (
	version INT UNSIGNED NOT NULL,
	applied_ms BIGINT NOT NULL,
	PRIMARY KEY (version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
