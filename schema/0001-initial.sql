-- SPDX-License-Identifier: MIT
-- Leadhook's tables. `{prefix}` stands for the setting database.prefix. It is safe to run this file twice.
--
-- Times are milliseconds since 1970-01-01T00:00:00Z by the database's clock (`…_ms`). Identities (email key, E.164 number, social
-- id, URL, host) are compared byte by byte: they are VARBINARY, or stored beside a hash of fixed length. Ids come from `id_blocks`,
-- never from AUTO_INCREMENT. There are no foreign keys, because they lock the parent's row.
--
-- Every index slows down every insert. The comment beside an index names the statements that need it and, where it is unique, the
-- rule that it enforces.

-- Facts about this installation: `installation_id` (part of every webhook-id header), `server_secret` (signs opt-out links), and, by
-- step, the oldest programs that can use its tables (docs/architecture.md 9, Schema).
CREATE TABLE IF NOT EXISTS {prefix}installation (
	name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	value VARBINARY(255) NOT NULL,
	PRIMARY KEY (name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- The schema steps that this database has.
CREATE TABLE IF NOT EXISTS {prefix}schema_version (
	version INT UNSIGNED NOT NULL,
	applied_ms BIGINT NOT NULL,
	PRIMARY KEY (version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Where ids come from. A process reserves a block of ids in a transaction of its own, so gaps are normal.
CREATE TABLE IF NOT EXISTS {prefix}id_blocks (
	name VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	next BIGINT UNSIGNED NOT NULL, -- the first id that is not reserved
	PRIMARY KEY (name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

INSERT IGNORE INTO {prefix}id_blocks (name, next) VALUES
	('account', 1), ('api_key', 1), ('campaign', 1), ('webhook', 1), ('lead', 1), ('history', 1), ('tag', 1), ('action', 1),
	('reward_level', 1), ('bulk_job', 1), ('points_call', 1), ('inbound', 1), ('inbound_call', 1), ('message', 1), ('user', 1), ('audit', 1),
	('operator_job', 1);

-- One row for each committed transaction that writes no event. When the answer to a COMMIT is lost, the event or the token shows that
-- it took effect.
CREATE TABLE IF NOT EXISTS {prefix}commit_tokens (
	token BINARY(16) NOT NULL,
	created_ms BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (token),
	KEY by_time (created_ms) -- sql_delete_old_tokens
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- The results of calls with an Idempotency-Key (docs/manage.md 1.5). A row is written in the transaction that makes the object.
CREATE TABLE IF NOT EXISTS {prefix}request_keys (
	hash BINARY(32) NOT NULL, -- SHA-256 of caller, path and key
	parameters BINARY(32) NOT NULL, -- SHA-256 of the body
	object_id BIGINT UNSIGNED NOT NULL,
	created_ms BIGINT NOT NULL,
	PRIMARY KEY (hash), -- sql_lock_request_key
	KEY by_time (created_ms) -- sql_delete_request_keys
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- One row for each kind of background process, written by the process that reported last (docs/architecture.md 8.2).
CREATE TABLE IF NOT EXISTS {prefix}heartbeats (
	process VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- 'dispatcher', 'mailer', 'texter'
	owner BINARY(16) NOT NULL,
	host VARBINARY(255) NOT NULL,
	pid INT UNSIGNED NOT NULL,
	stays BOOLEAN NOT NULL, -- TRUE: a daemon; FALSE: a run that ends, for example from cron
	ended BOOLEAN NOT NULL, -- it ended normally
	started_ms BIGINT NOT NULL,
	beat_ms BIGINT NOT NULL, -- the last heartbeat
	within_ms BIGINT NOT NULL, -- from then until the next heartbeat or, after the end of a run, until the next run
	PRIMARY KEY (process)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Accounts, keys, users.

CREATE TABLE IF NOT EXISTS {prefix}accounts (
	id BIGINT UNSIGNED NOT NULL,
	name VARCHAR(200) NOT NULL,
	suspended_ms BIGINT NULL, -- since when; NULL: active
	per_minute INT UNSIGNED NULL, -- GET and POST calls with a key, 0: unlimited; NULL: the setting applies
	created_ms BIGINT NOT NULL,
	audit_day INT UNSIGNED NOT NULL DEFAULT 0, -- the day of `audit_bytes`; since 1970, UTC
	audit_bytes BIGINT UNSIGNED NOT NULL DEFAULT 0, -- written to `audit.before_json` and `after_json` on that day
	time_zone VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL, -- for times and days of the dashboard (docs/dashboard.md 2.4); NULL: UTC
	PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Rights: docs/manage.md 2.
CREATE TABLE IF NOT EXISTS {prefix}api_keys (
	id BIGINT UNSIGNED NOT NULL,
	account_id BIGINT UNSIGNED NOT NULL,
	name VARCHAR(200) NOT NULL,
	hash BINARY(32) NOT NULL, -- SHA-256 of the key, which is not stored itself
	created_ms BIGINT NOT NULL,
	last_used_ms BIGINT NULL, -- to the hour
	revoked_ms BIGINT NULL,
	rights INT UNSIGNED NOT NULL DEFAULT 63, -- bits of identity/rights.h; 63: all but `account`
	campaign_ids VARCHAR(1024) CHARACTER SET ascii COLLATE ascii_bin NULL, -- decimal, comma-separated; NULL: all of the account
	expires_ms BIGINT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY by_hash (hash), -- sql_select_key, for every request with a key; a key belongs to one account
	KEY by_account (account_id) -- sql_select_keys
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Users of the dashboard (docs/users.md).
CREATE TABLE IF NOT EXISTS {prefix}users (
	id BIGINT UNSIGNED NOT NULL,
	account_id BIGINT UNSIGNED NULL, -- NULL: an operator
	email VARCHAR(254) NOT NULL, -- the key of the address, as identity/email.h makes it
	name VARCHAR(200) NOT NULL,
	role TINYINT UNSIGNED NOT NULL, -- enum role of identity/rights.h
	campaigns TEXT CHARACTER SET ascii COLLATE ascii_bin NULL, -- ids, decimal, comma-separated; NULL: all of the account
	password VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NULL, -- an argon2id hash; NULL: none until a link is used
	password_ms BIGINT NULL, -- when it was set
	totp_secret VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NULL, -- sealed
	totp_enabled_ms BIGINT NULL, -- NULL: the secret is not confirmed yet
	totp_step BIGINT UNSIGNED NOT NULL DEFAULT 0, -- of the last accepted code
	created_ms BIGINT NOT NULL,
	last_login_ms BIGINT NULL,
	disabled_ms BIGINT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY by_email (email), -- sql_select_login_user
	KEY by_account (account_id, id) -- sql_select_users_of_account, sql_lock_operators, sql_delete_users_of_account
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- One row for each unused code.
CREATE TABLE IF NOT EXISTS {prefix}recovery_codes (
	user_id BIGINT UNSIGNED NOT NULL,
	hash BINARY(32) NOT NULL, -- SHA-256
	PRIMARY KEY (user_id, hash)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS {prefix}sessions (
	hash BINARY(32) NOT NULL, -- SHA-256 of the token, which is not stored itself
	user_id BIGINT UNSIGNED NOT NULL,
	created_ms BIGINT NOT NULL, -- the login
	last_used_ms BIGINT NOT NULL, -- to the minute
	confirmed_ms BIGINT NOT NULL, -- when the password was last entered
	ip VARCHAR(45) CHARACTER SET ascii COLLATE ascii_bin NULL, -- of the last request
	user_agent VARBINARY(255) NULL, -- of the login
	PRIMARY KEY (hash), -- sql_select_session, for every request with a session
	KEY by_user (user_id), -- sql_select_sessions_of_user, sql_delete_sessions_of_user
	KEY by_time (created_ms) -- sql_delete_old_sessions
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Unused links with which users set a password, at most one for each user.
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

-- Failed logins by address, whether or not it belongs to a user.
CREATE TABLE IF NOT EXISTS {prefix}login_attempts (
	hash BINARY(32) NOT NULL, -- an HMAC of the address with the installation's secret
	failures INT UNSIGNED NOT NULL,
	until_ms BIGINT NOT NULL, -- struct login_throttle of identity/login_throttle.h
	PRIMARY KEY (hash), -- sql_lock_attempts
	KEY by_time (until_ms) -- sql_delete_old_attempts
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Changes by users, by keys and on the command line. A row is written before the change.
CREATE TABLE IF NOT EXISTS {prefix}audit (
	id BIGINT UNSIGNED NOT NULL, -- ascending with time
	created_ms BIGINT NOT NULL,
	actor ENUM('user', 'key', 'shell') NOT NULL,
	actor_id BIGINT UNSIGNED NOT NULL DEFAULT 0, -- the user or key; 0: none
	actor_name VARCHAR(254) NULL, -- at the time
	account_id BIGINT UNSIGNED NULL, -- the changed account, or the owner of the changed campaign
	campaign_id BIGINT UNSIGNED NULL,
	operation VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- the words of the command, for example "campaign set"
	target_id BIGINT UNSIGNED NULL, -- the changed object
	state ENUM('begun', 'done', 'failed') NOT NULL, -- begun: not finished, or its process ended before it could note the outcome
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

-- Campaigns and their definitions.

CREATE TABLE IF NOT EXISTS {prefix}campaigns (
	id BIGINT UNSIGNED NOT NULL,
	account_id BIGINT UNSIGNED NOT NULL,
	name VARCHAR(200) NOT NULL,
	created_ms BIGINT NOT NULL,
	ended_ms BIGINT NULL, -- when a command ended it, or ends_ms once that has passed; NULL: not recorded as ended
	ends_ms BIGINT NULL, -- the end time, which takes effect whether or not the end is recorded
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
	waitlist BOOLEAN NOT NULL DEFAULT FALSE, -- new leads start on it
	max_per_ip INT UNSIGNED NOT NULL DEFAULT 0, -- 0: unlimited
	blocked_email_domains TEXT NULL, -- these three are lists, separated by commas or white space
	blocked_referrers TEXT NULL,
	allowed_networks TEXT NULL,
	compat BOOLEAN NOT NULL DEFAULT FALSE, -- docs/compatibility.md
	pages BOOLEAN NOT NULL DEFAULT FALSE, -- hosted pages
	language VARBINARY(16) NULL, -- of pages and messages; NULL: the visitor's
	hosts TEXT NULL, -- where its forms are; a list like blocked_referrers
	hosts_only BOOLEAN NOT NULL DEFAULT FALSE, -- browsers sign up from these hosts only
	form_answer TINYINT UNSIGNED NOT NULL DEFAULT 0, -- enum form_answer of engine/visitors.h
	public_lookup TINYINT UNSIGNED NOT NULL DEFAULT 0, -- enum public_lookup
	public_update TINYINT UNSIGNED NOT NULL DEFAULT 0, -- enum public_update
	mails SMALLINT UNSIGNED NOT NULL DEFAULT 0, -- bits by enum message_kind of engine/message.h
	verify_email BOOLEAN NOT NULL DEFAULT FALSE, -- leads verify their addresses themselves, by a mail
	bots TINYINT UNSIGNED NOT NULL DEFAULT 0, -- enum campaign_bots of engine/visitors.h (docs/api.md 8)
	bot_difficulty TINYINT UNSIGNED NOT NULL DEFAULT 2,
	verify_phone BOOLEAN NOT NULL DEFAULT FALSE, -- leads verify their numbers themselves, by a code
	leaderboard_names TINYINT UNSIGNED NOT NULL DEFAULT 0, -- enum leaderboard_names (docs/api.md 4.1.2)
	PRIMARY KEY (id),
	KEY by_account (account_id) -- sql_select_campaigns_of_account: GET /v2/campaigns
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Every command that changes a lead locks this row before anything else, so numbers are dense and counters exact.
CREATE TABLE IF NOT EXISTS {prefix}campaign_counters (
	campaign_id BIGINT UNSIGNED NOT NULL,
	last_subscription_number INT UNSIGNED NOT NULL DEFAULT 0, -- numbers are never reused
	lead_count INT UNSIGNED NOT NULL DEFAULT 0, -- existing leads; the next six count those of them that are …
	verified INT UNSIGNED NOT NULL DEFAULT 0,
	waitlisted INT UNSIGNED NOT NULL DEFAULT 0,
	removed_from_waitlist INT UNSIGNED NOT NULL DEFAULT 0,
	fraudulent INT UNSIGNED NOT NULL DEFAULT 0,
	opted_out INT UNSIGNED NOT NULL DEFAULT 0,
	referred INT UNSIGNED NOT NULL DEFAULT 0,
	ip_counted_to INT UNSIGNED NOT NULL DEFAULT 0, -- `ip_leads` counts the leads up to this number; 4294967295: all, also future ones
	settings_version BIGINT UNSIGNED NOT NULL DEFAULT 0, -- raised by every change of settings, webhooks or definitions
	leads_version BIGINT UNSIGNED NOT NULL DEFAULT 0, -- raised by every batch that changes leads
	-- `lead_hours` counts the leads from this number on; 0: all. Above 0 during a rebuild (leadhook stats rebuild); 4294967295: while
	-- the rows are being cleared
	hours_counted_from INT UNSIGNED NOT NULL DEFAULT 0,
	referred_verified INT UNSIGNED NOT NULL DEFAULT 0, -- these two are sums of lead_hours
	referrers INT UNSIGNED NOT NULL DEFAULT 0,
	-- `lead_sources` counts the leads up to this number; an import itself counts its leads with lower numbers
	sources_counted_to INT UNSIGNED NOT NULL DEFAULT 0,
	PRIMARY KEY (campaign_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Texts that replace the default ones (docs/pages.md, docs/mail.md).
CREATE TABLE IF NOT EXISTS {prefix}campaign_texts (
	campaign_id BIGINT UNSIGNED NOT NULL,
	name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- for example 'page.title'
	language VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '', -- '': every language
	value MEDIUMTEXT NOT NULL,
	PRIMARY KEY (campaign_id, name, language)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS {prefix}tags (
	id BIGINT UNSIGNED NOT NULL,
	campaign_id BIGINT UNSIGNED NOT NULL,
	name VARCHAR(200) NOT NULL,
	description TEXT NULL,
	points INT NOT NULL DEFAULT 0,
	PRIMARY KEY (id),
	UNIQUE KEY by_name (campaign_id, name) -- sql_select_definitions…; names are unique within a campaign
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS {prefix}actions (
	id BIGINT UNSIGNED NOT NULL,
	campaign_id BIGINT UNSIGNED NOT NULL,
	text VARCHAR(200) NOT NULL,
	points INT NOT NULL DEFAULT 0,
	tag_id BIGINT UNSIGNED NULL, -- the tag that completes it; nothing else does
	public BOOLEAN NOT NULL DEFAULT FALSE, -- can be completed without a key
	link VARCHAR(2048) NULL, -- where people who complete it themselves are sent
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

-- Leads.

CREATE TABLE IF NOT EXISTS {prefix}leads (
	id BIGINT UNSIGNED NOT NULL,
	campaign_id BIGINT UNSIGNED NOT NULL,
	subscription_number INT UNSIGNED NOT NULL, -- order of sign-up in the campaign, from 1
	social_id VARBINARY(16) NOT NULL, -- 10 characters; imported social ids have 4 to 16
	parent_id BIGINT UNSIGNED NULL, -- the referrer, set once
	counter INT UNSIGNED NOT NULL DEFAULT 1, -- create/update calls
	email VARCHAR(1024) NULL, -- as typed
	email_key VARBINARY(512) NULL, -- identity: normalised local part @ lower-case A-label domain
	email_hash BINARY(16) NULL, -- of campaign and email_key
	phone VARBINARY(16) NULL, -- E.164
	phone_hash BINARY(16) NULL, -- of campaign and phone
	verified_email BOOLEAN NOT NULL DEFAULT FALSE,
	verified_phone BOOLEAN NOT NULL DEFAULT FALSE,
	waitlisted BOOLEAN NOT NULL DEFAULT FALSE,
	removed_from_waitlist BOOLEAN NOT NULL DEFAULT FALSE, -- was waitlisted before
	opted_out BOOLEAN NOT NULL DEFAULT FALSE,
	sms_opted_out BOOLEAN NOT NULL DEFAULT FALSE,
	custom_fields TEXT NULL, -- a JSON object; NULL: none
	keyed_fields SMALLINT UNSIGNED NOT NULL DEFAULT 65535, -- how many of them, from the first, were stored with a key (docs/api.md 1.3)
	utm MEDIUMTEXT NULL, -- a JSON object, from the first request that had any
	uid TEXT NULL,
	redirect_url TEXT NULL,
	redirect_by_key BOOLEAN NOT NULL DEFAULT FALSE, -- stored with a key; only then is it shown to callers without one
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
	score_order INT UNSIGNED AS (score ^ 4294967295) PERSISTENT, -- the reverse of score; the server accepts no NOT NULL here
	referrals INT UNSIGNED NOT NULL DEFAULT 0, -- direct referrals that count
	unverified_direct INT UNSIGNED NOT NULL DEFAULT 0, -- these four count referred leads, by referral_links.counted
	unverified_indirect INT UNSIGNED NOT NULL DEFAULT 0,
	verified_direct INT UNSIGNED NOT NULL DEFAULT 0,
	verified_indirect INT UNSIGNED NOT NULL DEFAULT 0,
	tag_ids TEXT CHARACTER SET ascii COLLATE ascii_bin NULL, -- decimal, comma-separated, in the order they were added
	action_ids TEXT CHARACTER SET ascii COLLATE ascii_bin NULL, -- completed actions, likewise
	reward_ids TEXT CHARACTER SET ascii COLLATE ascii_bin NULL, -- levels that it has ever reached, likewise
	created_ms BIGINT NOT NULL,
	updated_ms BIGINT NOT NULL,
	bounced BOOLEAN NOT NULL DEFAULT FALSE, -- the mail server of its address has answered that there is no such person
	source_class TINYINT UNSIGNED NOT NULL DEFAULT 0, -- enum source_class of engine/source.h
	token_epoch INT UNSIGNED NOT NULL DEFAULT 0, -- a new one ends the links to its page (docs/api.md 4.1.11)
	points_due INT UNSIGNED NOT NULL DEFAULT 0, -- points of its sign-up that are booked when it is verified (docs/api.md 4.1.11)
	opt_out_epoch INT UNSIGNED NOT NULL DEFAULT 0, -- a new one ends its opt-out links (docs/api.md 4.1.5)
	claimed TINYINT UNSIGNED NOT NULL DEFAULT 0, -- the address that a stranger added: enum lead_claim of engine/model.h
	-- spent credit for leads that have deleted themselves, set off against later credit (docs/api.md 4.6)
	points_owed INT UNSIGNED NOT NULL DEFAULT 0,
	proven TINYINT UNSIGNED NOT NULL DEFAULT 0, -- addresses that its person has proven (docs/api.md 4.1.11): CHANNEL_BITs of engine/command.h
	shared BOOLEAN NOT NULL DEFAULT TRUE, -- another person may have signed it up as well
	marked_ms BIGINT NOT NULL DEFAULT 0, -- when it was last marked as fraudulent or as genuine; 0: never
	marked_by VARCHAR(255) NULL, -- by whom; NULL: a rule
	language VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NULL, -- docs/pages.md 5
	referral_mail_ms BIGINT UNSIGNED NOT NULL DEFAULT 0, -- when its last mail about referrals was requested, or is due; 0: there was none
	PRIMARY KEY (id),
	UNIQUE KEY by_social_id (social_id), -- sql_load_leads_by_…, sql_look_up_by_… for kid links; sql_select_event_ids_of_lead
	-- sql_select_page, sql_select_number_after, sql_count_addresses; a number is assigned once
	UNIQUE KEY by_number (campaign_id, subscription_number),
	-- sql_load_leads_by_…, sql_look_up_by_…, sql_select_lead_ids; an address belongs to one lead of a campaign, which is part of the hash
	UNIQUE KEY by_email (email_hash),
	UNIQUE KEY by_phone (phone_hash),
	KEY by_score (campaign_id, fraudulent, score_order, subscription_number) -- sql_select_leaders, which reads only the rows that it shows
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- The bookings that make up the scores. The key is the cause: each cause is booked once.
CREATE TABLE IF NOT EXISTS {prefix}score_entries (
	lead_id BIGINT UNSIGNED NOT NULL, -- whose score
	reason ENUM('signup', 'custom', 'tag', 'action', 'referral', 'verified', 'fraud', 'approve') NOT NULL,
	ref BIGINT UNSIGNED NOT NULL, -- the tag, the action, the call (custom), or the referred lead (the last four); 0: none
	round INT UNSIGNED NOT NULL, -- how often the referred lead had been flagged
	delta BIGINT NOT NULL, -- what took effect: a score never falls below 0
	requested BIGINT NOT NULL,
	message TEXT NULL, -- sent with a points call
	created_ms BIGINT NOT NULL,
	PRIMARY KEY (lead_id, reason, ref, round)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Who referred whom, up the chain, and what each ancestor got for it. When the referred lead is deleted, its rows stay, and so does the
-- credit.
CREATE TABLE IF NOT EXISTS {prefix}referral_links (
	lead_id BIGINT UNSIGNED NOT NULL, -- the referred lead
	level TINYINT UNSIGNED NOT NULL, -- 1: direct
	ancestor_id BIGINT UNSIGNED NOT NULL,
	counted ENUM('no', 'unverified', 'verified') NOT NULL DEFAULT 'no', -- which of the ancestor's counts includes it
	counts BOOLEAN NOT NULL DEFAULT FALSE, -- as a referral that earns credit
	settled BOOLEAN NOT NULL DEFAULT FALSE, -- has counted once: its credit is known, and the event `referral` was made
	verified_settled BOOLEAN NOT NULL DEFAULT FALSE, -- as `settled`, for points_verified
	earned INT UNSIGNED NOT NULL DEFAULT 0, -- what the referral earned when it was settled
	credit INT UNSIGNED NOT NULL DEFAULT 0, -- its value for the ancestor now: the sum of its entries in that ledger
	set_off INT UNSIGNED NOT NULL DEFAULT 0, -- how much of the credit was set off (docs/api.md 4.6)
	digest_ms BIGINT UNSIGNED NOT NULL DEFAULT 0, -- when the digest that announces it is due; 0: no digest announces it
	PRIMARY KEY (lead_id, level),
	-- sql_select_referred, sql_select_newest_referred, sql_load_leads_by_…, sql_select_piece_of_leads, sql_count_lead_hours
	KEY by_ancestor (ancestor_id, level, lead_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- The distribution of the scores above 0 of leads that are not fraudulent: a tree of 8 levels with 16 buckets per node, so that a
-- rank costs the same however many leads and scores there are. Node: campaign << 29 | position of the node in the tree.
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

-- Leads per IP address (IPv6: per /64), only for campaigns with max_per_ip: those with a number up to campaign_counters.ip_counted_to.
CREATE TABLE IF NOT EXISTS {prefix}ip_leads (
	campaign_id BIGINT UNSIGNED NOT NULL,
	ip VARBINARY(45) NOT NULL,
	leads INT NOT NULL,
	PRIMARY KEY (campaign_id, ip)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Deleted leads that have rows left in score_entries and other tables; the dispatcher removes them in chunks.
CREATE TABLE IF NOT EXISTS {prefix}deleted_leads (
	lead_id BIGINT UNSIGNED NOT NULL,
	PRIMARY KEY (lead_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Leads by the hour of their sign-up, with the same counts as campaign_counters; including leads that were deleted later
-- (docs/statistics.md).
CREATE TABLE IF NOT EXISTS {prefix}lead_hours (
	campaign_id BIGINT UNSIGNED NOT NULL,
	hour INT UNSIGNED NOT NULL, -- since 1970, UTC
	source_class TINYINT UNSIGNED NOT NULL, -- as in leads
	lead_count INT NOT NULL DEFAULT 0,
	verified INT NOT NULL DEFAULT 0,
	waitlisted INT NOT NULL DEFAULT 0,
	removed_from_waitlist INT NOT NULL DEFAULT 0,
	fraudulent INT NOT NULL DEFAULT 0,
	opted_out INT NOT NULL DEFAULT 0,
	referred INT NOT NULL DEFAULT 0,
	deleted INT NOT NULL DEFAULT 0, -- deleted leads, which cannot be counted again
	referred_verified INT NOT NULL DEFAULT 0, -- both referred and verified
	-- leads that have referred another, even if that one is fraudulent, unverified or deleted: referral_links.ancestor_id at level 1
	referrers INT NOT NULL DEFAULT 0,
	PRIMARY KEY (campaign_id, hour, source_class)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Sign-ups by utm parameter and by referring site (docs/statistics.md 2.1).
CREATE TABLE IF NOT EXISTS {prefix}lead_sources (
	campaign_id BIGINT UNSIGNED NOT NULL,
	day INT UNSIGNED NOT NULL, -- since 1970, UTC
	kind TINYINT UNSIGNED NOT NULL, -- enum source_kind of engine/source.h
	value VARBINARY(100) NOT NULL, -- UTF-8; '': all others
	signups INT UNSIGNED NOT NULL,
	PRIMARY KEY (campaign_id, day, kind, value)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Verification, and protection against bots.

-- Proof that a lead confirmed an address: one row for each confirmation. Removed with the lead.
CREATE TABLE IF NOT EXISTS {prefix}confirmations (
	lead_id BIGINT UNSIGNED NOT NULL,
	confirmed_ms BIGINT NOT NULL,
	channel ENUM('email', 'phone') NOT NULL,
	address VARBINARY(1024) NOT NULL, -- the email address as typed, or the number
	ip VARBINARY(45) NULL,
	user_agent TEXT NULL,
	PRIMARY KEY (lead_id, confirmed_ms, channel)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- One row for each lead that was sent a mail to verify its address, until it is verified or due for deletion.
CREATE TABLE IF NOT EXISTS {prefix}unverified_leads (
	lead_id BIGINT UNSIGNED NOT NULL,
	campaign_id BIGINT UNSIGNED NOT NULL,
	requested_ms BIGINT NOT NULL, -- the first of these mails
	PRIMARY KEY (lead_id),
	KEY by_time (requested_ms) -- sql_select_unverified
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Codes with which leads verify their phone numbers and email addresses (docs/api.md 4.1.9, 4.1.14). A new code replaces the
-- previous one. Both hashes are HMACs with the installation's secret. The rows of a deleted lead are removed with its ledger.
CREATE TABLE IF NOT EXISTS {prefix}lead_codes (
	lead_id BIGINT UNSIGNED NOT NULL,
	channel TINYINT UNSIGNED NOT NULL, -- enum lead_channel of engine/command.h
	address_hash BINARY(32) NOT NULL, -- of the lead and the address or number that the code was made for
	code_hash BINARY(32) NOT NULL, -- of the lead, the address and the code
	expires_ms BIGINT NOT NULL,
	tries TINYINT UNSIGNED NOT NULL DEFAULT 0, -- how many codes were compared with it, including the right one
	PRIMARY KEY (lead_id, channel),
	KEY by_time (expires_ms) -- sql_delete_old_codes
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Challenges whose solution was used by a sign-up, until they expire (docs/api.md 8).
CREATE TABLE IF NOT EXISTS {prefix}used_proofs (
	nonce BINARY(16) NOT NULL,
	expires_ms BIGINT NOT NULL,
	PRIMARY KEY (nonce),
	KEY by_time (expires_ms) -- sql_delete_used_proofs
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Work for the dispatcher.

-- Unfinished bulk work. Progress is committed together with its effects; finished jobs are deleted.
CREATE TABLE IF NOT EXISTS {prefix}bulk_jobs (
	id BIGINT UNSIGNED NOT NULL,
	campaign_id BIGINT UNSIGNED NOT NULL,
	action ENUM('optout', 'sms_optout', 'verify', 'approve', 'block', 'waitlist', 'unwaitlist', 'tag', 'delete', 'points', 'sms_optin',
		'unverify') NOT NULL,
	tag_id BIGINT UNSIGNED NULL, -- for `tag`
	argument VARCHAR(64) NULL, -- reason for `block`, channel for `verify`
	lead_ids TEXT CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- decimal, comma-separated
	total INT UNSIGNED NOT NULL, -- number of lead_ids
	position INT UNSIGNED NOT NULL DEFAULT 0, -- how many of these leads are done
	failures SMALLINT UNSIGNED NOT NULL DEFAULT 0, -- in a row, at this position
	delayed_until_ms BIGINT NOT NULL DEFAULT 0, -- after a failure
	created_ms BIGINT NOT NULL,
	account_id BIGINT UNSIGNED NOT NULL DEFAULT 0, -- the campaign's owner
	points INT NOT NULL DEFAULT 0, -- for `points`
	message TEXT NULL, -- for `points`
	made_by VARCHAR(255) NULL, -- who queued it; NULL: a rule
	PRIMARY KEY (id),
	KEY by_campaign (campaign_id, id, delayed_until_ms), -- sql_select_bulk_jobs, sql_delete_jobs_of_campaign
	KEY by_account (account_id, campaign_id, id, delayed_until_ms) -- sql_select_next_job, sql_count_jobs, from the index alone
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- When each campaign's bulk work was last done or tried. Separate from `campaign_counters`, whose locks it must not wait for.
CREATE TABLE IF NOT EXISTS {prefix}bulk_schedule (
	campaign_id BIGINT UNSIGNED NOT NULL,
	served_ms BIGINT NOT NULL,
	account_id BIGINT UNSIGNED NOT NULL DEFAULT 0,
	PRIMARY KEY (campaign_id),
	KEY by_account (account_id, served_ms) -- sql_select_next_job: when each account was last served
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Operations that the dispatcher carries out for an operator (docs/architecture.md 6.1). Separate from bulk_jobs, which are lists of
-- leads: their items are commands of batches, run in the order of each campaign, and their rows are deleted at the end.
CREATE TABLE IF NOT EXISTS {prefix}operator_jobs (
	id BIGINT UNSIGNED NOT NULL,
	account_id BIGINT UNSIGNED NOT NULL DEFAULT 0, -- 0: the whole installation
	campaign_id BIGINT UNSIGNED NULL,
	kind VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	parameters MEDIUMTEXT NOT NULL, -- a JSON object
	made_by VARCHAR(255) NOT NULL,
	state ENUM('queued', 'running', 'done', 'failed', 'cancelled') NOT NULL DEFAULT 'queued',
	done BIGINT UNSIGNED NOT NULL DEFAULT 0, -- of `total`
	total BIGINT UNSIGNED NULL, -- NULL: unknown
	position BIGINT UNSIGNED NULL, -- where it continues; NULL: at the beginning
	result MEDIUMTEXT NULL, -- a JSON object with the result so far
	error VARCHAR(255) NULL,
	turn_ms BIGINT NULL DEFAULT 0, -- when it was last worked on; NULL: it has ended
	lease_owner BINARY(16) NULL, -- the dispatcher that works on it …
	lease_until_ms BIGINT NOT NULL DEFAULT 0, -- … until then
	created_ms BIGINT NOT NULL,
	started_ms BIGINT NULL,
	ended_ms BIGINT NULL,
	account_turn_ms BIGINT NOT NULL DEFAULT 0, -- when a job of its account was last worked on: accounts take turns (docs/operating.md 4.1)
	PRIMARY KEY (id), -- sql_select_operator_jobs
	KEY by_account (account_id, id), -- sql_select_operator_jobs_of_account, sql_delete_operator_jobs_of_account
	KEY by_campaign (campaign_id, id), -- sql_select_operator_jobs_of_campaign, sql_delete_operator_jobs_of_campaign
	KEY by_turn (turn_ms, id), -- sql_select_next_operator_job, sql_select_clock_and_work, sql_count_rows
	KEY by_end (ended_ms) -- sql_delete_old_operator_jobs
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Webhooks, events and deliveries.

CREATE TABLE IF NOT EXISTS {prefix}webhooks (
	id BIGINT UNSIGNED NOT NULL,
	campaign_id BIGINT UNSIGNED NOT NULL,
	url VARBINARY(3000) NOT NULL, -- this URL and the secrets may be sealed (SECURITY.md, Secrets in the database)
	url_hash BINARY(32) NOT NULL, -- SHA-256 of url
	events SMALLINT UNSIGNED NOT NULL, -- bit i: the i-th event in the order of docs/api.md 4.7
	source TEXT NULL,
	format ENUM('json', 'form') NOT NULL DEFAULT 'json',
	secret VARBINARY(255) NOT NULL, -- whsec_…
	previous_secret VARBINARY(255) NULL, -- also signs, until …
	previous_until_ms BIGINT NULL,
	state ENUM('active', 'disabled', 'gone') NOT NULL DEFAULT 'active', -- gone: the receiver answered 410
	schedule VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NULL, -- waits before each further attempt; NULL: the setting applies
	rate SMALLINT UNSIGNED NOT NULL DEFAULT 0, -- deliveries a second; 0: unlimited
	ca_file VARBINARY(1024) NULL, -- paths on the dispatcher's host: what verifies the receiver's certificate, …
	client_certificate VARBINARY(1024) NULL, -- … and what the dispatcher presents
	client_key VARBINARY(1024) NULL,
	created_ms BIGINT NOT NULL,
	accepts VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NULL, -- statuses besides 2xx that count as success, comma-separated
	PRIMARY KEY (id),
	-- sql_select_subscriptions, sql_select_webhooks, sql_count_webhooks, sql_select_webhook_by_url; a campaign has one webhook for a URL
	UNIQUE KEY by_campaign (campaign_id, url_hash)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- What the dispatcher knows about a webhook. Separate from `webhooks`, so that sign-ups never wait for the dispatcher.
CREATE TABLE IF NOT EXISTS {prefix}webhook_status (
	webhook_id BIGINT UNSIGNED NOT NULL,
	failing_since_ms BIGINT NULL, -- every attempt has failed since; NULL: the last one succeeded
	failures INT UNSIGNED NOT NULL DEFAULT 0, -- attempts since the last success
	probes SMALLINT UNSIGNED NOT NULL DEFAULT 0, -- those of them that the breaker let through
	last_status SMALLINT UNSIGNED NULL, -- HTTP status of the last attempt; NULL: no answer
	last_error VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL, -- why the last attempt got no complete answer
	last_delivery_ms BIGINT NULL, -- the last success
	hold_until_ms BIGINT NOT NULL DEFAULT 0, -- nothing is sent before: the receiver asked for a pause, or the breaker is open
	PRIMARY KEY (webhook_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Attempts by the hour of their start (docs/statistics.md).
CREATE TABLE IF NOT EXISTS {prefix}webhook_hours (
	webhook_id BIGINT UNSIGNED NOT NULL,
	hour INT UNSIGNED NOT NULL, -- since 1970, UTC
	attempts INT UNSIGNED NOT NULL DEFAULT 0,
	delivered INT UNSIGNED NOT NULL DEFAULT 0, -- deliveries that ended with one of these attempts
	failed INT UNSIGNED NOT NULL DEFAULT 0,
	no_answer INT UNSIGNED NOT NULL DEFAULT 0, -- attempts without a complete answer, or …
	answers_3xx INT UNSIGNED NOT NULL DEFAULT 0, -- … with this status
	answers_4xx INT UNSIGNED NOT NULL DEFAULT 0,
	answers_5xx INT UNSIGNED NOT NULL DEFAULT 0,
	t0 INT UNSIGNED NOT NULL DEFAULT 0, -- attempts by their duration: buckets of webhook/latency.h
	t1 INT UNSIGNED NOT NULL DEFAULT 0,
	t2 INT UNSIGNED NOT NULL DEFAULT 0,
	t3 INT UNSIGNED NOT NULL DEFAULT 0,
	t4 INT UNSIGNED NOT NULL DEFAULT 0,
	t5 INT UNSIGNED NOT NULL DEFAULT 0,
	t6 INT UNSIGNED NOT NULL DEFAULT 0,
	t7 INT UNSIGNED NOT NULL DEFAULT 0,
	t8 INT UNSIGNED NOT NULL DEFAULT 0,
	t9 INT UNSIGNED NOT NULL DEFAULT 0,
	PRIMARY KEY (webhook_id, hour)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- The history: `events`, `deliveries` and `attempts`. The high bits of an id (from bit 36) are the UTC day since 1970: an id alone
-- shows its partition, and a day is dropped as a whole. Partitions of days are split off from `later` (src/store/queue/partitions.c).
-- Indexes end with the id, although InnoDB adds it anyway: the server does not use that order in a table with partitions unless the
-- index names it.
CREATE TABLE IF NOT EXISTS {prefix}events (
	id BIGINT UNSIGNED NOT NULL,
	campaign_id BIGINT UNSIGNED NOT NULL,
	lead_id BIGINT UNSIGNED NOT NULL,
	type TINYINT UNSIGNED NOT NULL, -- the bit in webhooks.events
	deliveries SMALLINT UNSIGNED NOT NULL, -- how many were made; their ids follow `id`
	created_ms BIGINT NOT NULL,
	payload MEDIUMBLOB NOT NULL, -- JSON, frozen: every attempt sends these bytes
	form_brackets BOOLEAN NOT NULL DEFAULT FALSE, -- arrays of a form are name[]=a&name[]=b instead of name[0]=a&name[1]=b; frozen too
	PRIMARY KEY (id),
	-- sql_select_timeline, sql_report_events, sql_search_events_of_campaign, sql_select_events_of_campaign, sql_select_event_ids_of_lead. One
	-- index for campaigns and leads: each costs sign-ups 3 % of their throughput.
	KEY by_lead (campaign_id, lead_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin
PARTITION BY RANGE (id) (PARTITION later VALUES LESS THAN MAXVALUE);

-- Ended deliveries, with the ids that they had in `due`. An id that is in both tables is pending: it was queued again. A delivery that
-- succeeds at the first attempt has that attempt in its own row (started_ms, duration_ms, answer), and no row in `attempts`.
CREATE TABLE IF NOT EXISTS {prefix}deliveries (
	id BIGINT UNSIGNED NOT NULL,
	event_id BIGINT UNSIGNED NOT NULL,
	webhook_id BIGINT UNSIGNED NOT NULL,
	format ENUM('json', 'form') NOT NULL, -- as in `due`
	state ENUM('delivered', 'failed') NOT NULL,
	attempts SMALLINT UNSIGNED NOT NULL,
	last_status SMALLINT UNSIGNED NULL, -- HTTP status of the last attempt; NULL: no answer
	last_error VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL, -- why it got no complete answer, or no further attempt
	ended_ms BIGINT NOT NULL,
	started_ms BIGINT NULL, -- these three: the only attempt; NULL: see `attempts`
	duration_ms INT UNSIGNED NULL,
	answer VARBINARY(1024) NULL,
	PRIMARY KEY (id),
	-- sql_select_delivery_ids_of_webhook reads in its order; sql_select_delivery_ids sorts the failed ones, which are few. A second index
	-- would slow down every success.
	KEY by_state_and_webhook (state, webhook_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin
PARTITION BY RANGE (id) (PARTITION later VALUES LESS THAN MAXVALUE);

-- The log of attempts that failed, and of those that followed a failed one. They are numbered as `due.attempts` counts them, and
-- only the next number is recorded, so that no attempt is logged twice. A delivery's attempts are in one partition, side by side.
CREATE TABLE IF NOT EXISTS {prefix}attempts (
	delivery_id BIGINT UNSIGNED NOT NULL,
	attempt SMALLINT UNSIGNED NOT NULL, -- from 1; those whose dispatcher died are missing
	started_ms BIGINT NOT NULL,
	duration_ms INT UNSIGNED NOT NULL,
	status SMALLINT UNSIGNED NULL, -- HTTP status; NULL: no answer
	error VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL, -- the kind of failure
	answer VARBINARY(1024) NULL, -- the beginning of the answer
	PRIMARY KEY (delivery_id, attempt)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin
PARTITION BY RANGE (delivery_id) (PARTITION later VALUES LESS THAN MAXVALUE);

-- Pending deliveries only: one that ends moves to `deliveries` at once, so this table stays small however long the history is. A
-- dispatcher that leases a webhook's shard sends its deliveries without claiming their rows.
CREATE TABLE IF NOT EXISTS {prefix}due (
	id BIGINT UNSIGNED NOT NULL, -- follows the event's id, or that of its previous delivery
	event_id BIGINT UNSIGNED NOT NULL,
	shard TINYINT UNSIGNED NOT NULL, -- of the webhook
	webhook_id BIGINT UNSIGNED NOT NULL,
	format ENUM('json', 'form') NOT NULL, -- frozen with the payload
	due_ms BIGINT NOT NULL,
	attempts SMALLINT UNSIGNED NOT NULL DEFAULT 0, -- recorded ones, and those under way when their dispatcher died
	attempts_before SMALLINT UNSIGNED NOT NULL DEFAULT 0, -- those of them before it was queued again: the schedule starts anew
	last_status SMALLINT UNSIGNED NULL, -- of the last attempt that ended, as in deliveries
	last_error VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL,
	PRIMARY KEY (id),
	-- sql_select_due_webhooks, one probe for each webhook; sql_select_due_positions, in its order, which ends with the
	-- id; sql_lock_due_of_webhook, sql_count_due_of_webhook, sql_select_delivery_ids_of_webhook
	KEY by_webhook (shard, webhook_id, due_ms)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Each of the 64 shards (by webhook) is leased by one dispatcher at a time.
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

-- Inbound webhooks: secret URLs that accept payloads of other systems, and the log of their calls.

CREATE TABLE IF NOT EXISTS {prefix}inbound_webhooks (
	id BIGINT UNSIGNED NOT NULL,
	campaign_id BIGINT UNSIGNED NOT NULL,
	name VARCHAR(200) NOT NULL,
	token_hash BINARY(32) NOT NULL, -- SHA-256 of the token in the URL, which is not stored itself
	previous_hash BINARY(32) NULL, -- of the previous token, which works until …
	previous_until_ms BIGINT NULL,
	tag_id BIGINT UNSIGNED NULL, -- added to its leads
	source TEXT NULL, -- of its leads; NULL: the name
	map TEXT NULL, -- a JSON object: parameters and the paths of their values; NULL: the obvious names
	created_ms BIGINT NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY by_token (token_hash), -- sql_select_inbound_of_token, for every call; a token belongs to one webhook
	-- sql_select_inbound_of_campaign, sql_count_inbound, sql_select_inbound_by_name; names are unique within a campaign
	UNIQUE KEY by_campaign (campaign_id, name),
	UNIQUE KEY by_previous_token (previous_hash) -- as by_token
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Results of the calls. Separate from `inbound_webhooks`, which every call reads: those that write the log lock this row.
CREATE TABLE IF NOT EXISTS {prefix}inbound_status (
	inbound_id BIGINT UNSIGNED NOT NULL,
	calls BIGINT UNSIGNED NOT NULL DEFAULT 0,
	created BIGINT UNSIGNED NOT NULL DEFAULT 0, -- leads created; the next two: leads updated, payloads refused
	updated BIGINT UNSIGNED NOT NULL DEFAULT 0,
	refused BIGINT UNSIGNED NOT NULL DEFAULT 0,
	last_call_ms BIGINT NULL,
	PRIMARY KEY (inbound_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS {prefix}inbound_calls (
	id BIGINT UNSIGNED NOT NULL,
	inbound_id BIGINT UNSIGNED NOT NULL,
	campaign_id BIGINT UNSIGNED NOT NULL,
	refused BOOLEAN NOT NULL, -- TRUE: stored with its whole body until it expires; FALSE: one of the last calls that became leads
	state ENUM('created', 'updated', 'refused') NOT NULL,
	error VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL, -- why it was refused: code …
	message TEXT NULL, -- … and message
	lead_id BIGINT UNSIGNED NULL,
	ip VARBINARY(45) NULL,
	content_type VARBINARY(255) NULL,
	size INT UNSIGNED NOT NULL, -- of the body as received
	body MEDIUMBLOB NOT NULL, -- or its beginning
	body_hash BINARY(16) NULL, -- for refused calls
	times INT UNSIGNED NOT NULL DEFAULT 1, -- how often the refused body was received
	replays INT UNSIGNED NOT NULL DEFAULT 0,
	received_ms BIGINT NOT NULL,
	ended_ms BIGINT NOT NULL, -- when the state was set
	expires_ms BIGINT NOT NULL,
	PRIMARY KEY (id),
	-- sql_select_inbound_calls, sql_select_old_inbound_calls; sql_sum_refused_calls, from the index alone
	KEY by_inbound (inbound_id, refused, ended_ms, size),
	KEY by_body (inbound_id, body_hash), -- sql_lock_same_inbound_call
	KEY by_lead (lead_id), -- sql_select_inbound_calls_of_lead
	KEY by_expiry (expires_ms), -- sql_delete_expired_calls
	KEY by_campaign (campaign_id, id) -- sql_search_calls_of_campaign
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Mails and texts to leads (docs/mail.md).

-- A message is requested, then composed (ready), then sent, failed or dropped. A process that leases a row moves its due_ms to the end
-- of the lease: unless the row changes, it is then due again, for any process.
CREATE TABLE IF NOT EXISTS {prefix}messages (
	id BIGINT UNSIGNED NOT NULL,
	campaign_id BIGINT UNSIGNED NOT NULL,
	lead_id BIGINT UNSIGNED NOT NULL,
	kind TINYINT UNSIGNED NOT NULL, -- enum message_kind
	ref BIGINT UNSIGNED NOT NULL DEFAULT 0, -- its subject, by kind: a reward level, a referred lead; 0: none
	turn TINYINT UNSIGNED NULL, -- 0: mails that precede those with 1; 2: texts to phones; NULL: ended
	state ENUM('requested', 'ready', 'sent', 'failed', 'dropped') NOT NULL,
	created_ms BIGINT NOT NULL,
	due_ms BIGINT NOT NULL,
	attempts SMALLINT UNSIGNED NOT NULL DEFAULT 0,
	first_attempt_ms BIGINT NULL, -- the first attempt since it was requested, or queued again
	crashes TINYINT UNSIGNED NOT NULL DEFAULT 0, -- leases that ended without an outcome
	lease_owner BINARY(16) NULL,
	-- written when it is composed, like the next three; `recipient` and `content` are removed some days after the message has ended
	recipient VARBINARY(1024) NULL,
	recipient_hash BINARY(16) NULL, -- an HMAC with the installation's secret
	message_id VARBINARY(255) NULL,
	content MEDIUMBLOB NULL, -- the bytes to send
	composed_ms BIGINT NULL,
	last_status SMALLINT UNSIGNED NULL, -- of the mail server's last answer; NULL: none
	last_answer VARBINARY(500) NULL,
	reason VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL, -- why it failed, was dropped, or is retried
	sent_ms BIGINT NULL,
	ended_ms BIGINT NULL,
	repeats BIGINT UNSIGNED NULL, -- the mail whose bytes it sends again
	-- hashes of an address that was typed into a page: of its mailbox, or of the number and of the number without its last four digits.
	-- They count for limits whether or not the address belongs to a lead (docs/mail.md 6, 8.3).
	requested_for VARBINARY(32) NULL,
	PRIMARY KEY (id),
	-- sql_select_mail_campaigns and sql_select_text_campaigns make one probe for each campaign with something due.
	-- sql_select_due_messages reads in its order; sql_release_crashed and sql_count_messages read all pending ones.
	KEY by_turn (turn, campaign_id, due_ms),
	KEY by_recipient (recipient_hash, composed_ms), -- sql_count_mails_of_recipient
	KEY by_lead (lead_id), -- sql_select_left_messages
	KEY by_end (ended_ms), -- sql_select_old_contents, sql_delete_old_messages
	KEY by_campaign (campaign_id, id) -- sql_select_mails_of_campaign, sql_select_removed_messages, sql_search_messages_of_campaign
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- What holds all mail, and all texts. Separate from the messages, so that a hold changes none of them.
CREATE TABLE IF NOT EXISTS {prefix}message_channels (
	channel VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	failures INT UNSIGNED NOT NULL DEFAULT 0, -- of the server, in a row; not of single messages
	held_until_ms BIGINT NOT NULL DEFAULT 0,
	held_since_ms BIGINT NULL,
	reason VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL,
	answer VARBINARY(500) NULL,
	contents_removed_ms BIGINT NOT NULL DEFAULT 0, -- contents of messages that ended before this time are removed
	-- the number of codes sent; a write, so that transactions that check a limit conflict, on all nodes of a cluster
	sent BIGINT UNSIGNED NOT NULL DEFAULT 0,
	refused_ms BIGINT NULL, -- the last refusal that an operator should see although it holds nothing (docs/mail.md 5)
	refused_reason VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL,
	refused_answer VARBINARY(500) NULL,
	PRIMARY KEY (channel)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

INSERT IGNORE INTO {prefix}message_channels (channel) VALUES ('mail'), ('text');

-- How many messages are sent in each period of five minutes: by the installation, each account and each campaign (docs/mail.md 6,
-- 8.3). Rows are kept for a day.
CREATE TABLE IF NOT EXISTS {prefix}sendings (
	channel TINYINT UNSIGNED NOT NULL, -- enum message_channel
	scope TINYINT UNSIGNED NOT NULL, -- enum sending_scope
	scope_id BIGINT UNSIGNED NOT NULL, -- the account or campaign; 0: the installation
	slot BIGINT UNSIGNED NOT NULL, -- number of five-minute periods since 1970
	sent INT UNSIGNED NOT NULL,
	PRIMARY KEY (channel, scope, scope_id, slot),
	KEY by_slot (slot) -- sql_delete_old_sendings
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Codes that were texted, or may have been, for their limits (docs/mail.md 8). Hashes are HMACs with the installation's secret. Rows
-- are kept for a day, even if the lead is deleted.
CREATE TABLE IF NOT EXISTS {prefix}sent_codes (
	message_id BIGINT UNSIGNED NOT NULL,
	campaign_id BIGINT UNSIGNED NOT NULL, -- 0: requested for a number that belongs to no lead
	number_hash BINARY(16) NOT NULL,
	prefix_hash BINARY(16) NOT NULL, -- of the number without its last four digits
	sent_ms BIGINT NOT NULL,
	PRIMARY KEY (message_id),
	KEY by_number (number_hash, sent_ms), -- sql_count_codes_of_number
	KEY by_prefix (prefix_hash, sent_ms), -- sql_count_codes_of_prefix
	KEY by_time (sent_ms) -- sql_delete_old_sent_codes
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Erasing people and removing campaigns (docs/operating.md 7.4, 7.5).

-- People whose data are being erased: each has a row until everything is gone. By then no other table contains the address.
CREATE TABLE IF NOT EXISTS {prefix}erasures (
	id BINARY(16) NOT NULL,
	campaign_id BIGINT UNSIGNED NOT NULL, -- 0: every campaign
	channel ENUM('email', 'phone') NOT NULL,
	address VARBINARY(1024) NOT NULL, -- email key or number
	spellings MEDIUMTEXT NOT NULL, -- the ways in which it may be written, one a line
	lead_ids MEDIUMTEXT CHARACTER SET ascii COLLATE ascii_bin NULL, -- the person's leads, including deleted ones; decimal, comma-separated
	social_ids MEDIUMTEXT CHARACTER SET ascii COLLATE ascii_bin NULL, -- the social ids of these leads
	step TINYINT UNSIGNED NOT NULL DEFAULT 0, -- enum erase_step of store/removal/erase.c
	position BIGINT UNSIGNED NOT NULL DEFAULT 0, -- within this step
	position_second BIGINT UNSIGNED NOT NULL DEFAULT 0, -- its second column, if the order of a search has two
	worked_ms BIGINT NOT NULL, -- the last progress
	created_ms BIGINT NOT NULL,
	PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Erased people, whom imports must not bring back.
CREATE TABLE IF NOT EXISTS {prefix}erased_people (
	hash BINARY(16) NOT NULL, -- an HMAC of campaign (or 0), channel and address with the installation's secret
	erased_ms BIGINT NOT NULL,
	PRIMARY KEY (hash) -- sql_select_erased
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Removed campaigns that have rows left in other tables.
CREATE TABLE IF NOT EXISTS {prefix}removed_campaigns (
	campaign_id BIGINT UNSIGNED NOT NULL,
	step TINYINT UNSIGNED NOT NULL DEFAULT 0, -- enum remove_step of store/removal/campaigns.c
	position BIGINT UNSIGNED NOT NULL DEFAULT 0,
	worked_ms BIGINT NOT NULL,
	created_ms BIGINT NOT NULL,
	PRIMARY KEY (campaign_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
