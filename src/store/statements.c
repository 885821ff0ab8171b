/* SPDX-License-Identifier: MIT */
#include "store/statements.h"

/* The database's time in milliseconds; UNIX_TIMESTAMP would end in 2038. */
#define NOW "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000"

#define LEAD_COLUMNS                                                                                                           \
	"l.id, l.campaign_id, l.subscription_number, l.counter, l.social_id, l.parent_id, p.social_id, l.email, l.email_key, " \
	"l.email_hash, l.phone, l.phone_hash, l.verified_email, l.verified_phone, l.waitlisted, l.opted_out, "                 \
	"l.sms_opted_out, "                                                                                                    \
	"l.custom_fields, l.utm, l.uid, l.redirect_url, l.ip, l.user_agent, l.referrer, l.source, l.source_id, l.created_ms, " \
	"l.updated_ms"
#define SELECT_LEAD "SELECT " LEAD_COLUMNS " FROM {prefix}leads l LEFT JOIN {prefix}leads p ON p.id = l.parent_id"

#define SELECT_CAMPAIGN                                                                                                      \
	"SELECT c.id, c.account_id, c.name, c.created_ms, a.suspended_ms IS NOT NULL, c.ended_ms, c.ends_ms, c.jump_start, " \
	"c.privacy, c.require_key, c.landing_url, c.thankyou_url, c.status_url, n.last_subscription_number, "                \
	"n.lead_count, " NOW " FROM {prefix}campaigns c JOIN {prefix}accounts a ON a.id = c.account_id"                      \
	" JOIN {prefix}campaign_counters n ON n.campaign_id = c.id"

#define SELECT_WEBHOOK                                                                                             \
	"SELECT w.id, w.campaign_id, w.url, w.source, w.secret, w.events, w.format, w.state, s.failing_since_ms, " \
	"s.last_delivery_ms, s.last_status FROM {prefix}webhooks w JOIN {prefix}webhook_status s ON s.webhook_id = w.id"

/* The ids bound the partitions, the event's time is exact. */
#define SELECT_DELIVERY                                                                                              \
	"SELECT d.id, d.webhook_id, d.type, l.social_id, d.state, d.attempts, u.due_ms, d.last_status, d.last_error" \
	" FROM {prefix}deliveries d JOIN {prefix}events e ON e.id = d.event_id"                                      \
	" LEFT JOIN {prefix}leads l ON l.id = d.lead_id LEFT JOIN {prefix}due u ON u.id = d.id"                      \
	" WHERE d.id >= ? AND d.id < ? AND e.created_ms >= ? AND e.created_ms < ? AND (? < 0 OR d.type = ?)"         \
	" AND (? IS NULL OR d.state = ?)"

/* What a client sees must not depend on the server's configuration. The lock wait is short because a batch is run again. */
const char *const store_session[] = {
	"SET SESSION time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ENGINE_SUBSTITUTION', "
	"innodb_lock_wait_timeout = 5, lock_wait_timeout = 15, autocommit = 1",
	"SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED", /* the variable has another name since MariaDB 11.1 */
	NULL,
};

#define STATEMENT(id, text) [id] = { #id, text }

const struct db_statement store_statements[SQL_COUNT] = {
	STATEMENT(SQL_LOCK_ID_BLOCK, "SELECT next FROM {prefix}id_blocks WHERE name = ? FOR UPDATE"),
	STATEMENT(SQL_MOVE_ID_BLOCK, "UPDATE {prefix}id_blocks SET next = next + ? WHERE name = ?"),
	STATEMENT(SQL_SELECT_META, "SELECT value FROM {prefix}meta WHERE name = ?"),
	STATEMENT(SQL_INSERT_META, "INSERT IGNORE INTO {prefix}meta (name, value) VALUES (?, ?)"),
	STATEMENT(SQL_SELECT_KEY, "SELECT k.id, k.account_id, a.suspended_ms IS NOT NULL, k.last_used_ms, " NOW
				  " FROM {prefix}api_keys k JOIN {prefix}accounts a ON a.id = k.account_id WHERE k.hash = ? "
				  "AND k.revoked_ms IS NULL"),
	STATEMENT(SQL_TOUCH_KEY,
	    "UPDATE {prefix}api_keys SET last_used_ms = ? WHERE id = ? AND (last_used_ms IS NULL OR last_used_ms < ?)"),

	STATEMENT(SQL_INSERT_TOKEN, "INSERT INTO {prefix}commits (token) VALUES (?)"),
	STATEMENT(SQL_LOCK_COUNTERS,
	    "SELECT campaign_id FROM {prefix}campaign_counters WHERE campaign_id IN ({list}) ORDER BY campaign_id FOR UPDATE"),
	STATEMENT(SQL_SELECT_CAMPAIGNS, SELECT_CAMPAIGN " WHERE c.id IN ({list})"),
	STATEMENT(SQL_SELECT_SUBSCRIPTIONS, "SELECT id, campaign_id, events, state, format, url FROM {prefix}webhooks WHERE "
					    "campaign_id IN ({list}) ORDER BY id"),
	STATEMENT(SQL_SELECT_LEADS,
	    SELECT_LEAD " WHERE l.email_hash IN ({list}) UNION ALL " SELECT_LEAD
			" WHERE l.phone_hash IN ({list}) UNION ALL " SELECT_LEAD " WHERE l.social_id IN ({list})"),

	STATEMENT(SQL_UPDATE_LEAD,
	    "UPDATE {prefix}leads SET counter = ?, email = ?, email_key = ?, email_hash = ?, phone = ?, phone_hash = ?, "
	    "verified_email = ?, verified_phone = ?, opted_out = ?, custom_fields = ?, utm = ?, uid = ?, redirect_url = ?, ip "
	    "= ?, "
	    "user_agent = ?, updated_ms = ? WHERE id = ?"),
	STATEMENT(SQL_INSERT_LEAD,
	    "INSERT INTO {prefix}leads (id, campaign_id, subscription_number, social_id, parent_id, counter, email, email_key, "
	    "email_hash, phone, phone_hash, opted_out, custom_fields, utm, uid, redirect_url, ip, user_agent, referrer, "
	    "source, "
	    "source_id, signup_url, session_id, request_id, created_ms, updated_ms) "
	    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	STATEMENT(SQL_UPDATE_COUNTERS,
	    "UPDATE {prefix}campaign_counters SET last_subscription_number = ?, lead_count = ? WHERE campaign_id = ?"),
	STATEMENT(SQL_INSERT_EVENT,
	    "INSERT INTO {prefix}events (id, campaign_id, lead_id, type, created_ms, payload) VALUES (?, ?, ?, ?, ?, ?)"),
	STATEMENT(SQL_INSERT_DELIVERY,
	    "INSERT INTO {prefix}deliveries (id, event_id, webhook_id, lead_id, type, format) VALUES (?, ?, ?, ?, ?, ?)"),
	STATEMENT(SQL_INSERT_DUE, "INSERT INTO {prefix}due (id, shard, webhook_id, due_ms) VALUES (?, ?, ?, ?)"),

	STATEMENT(SQL_SELECT_CAMPAIGN, SELECT_CAMPAIGN " WHERE c.id = ?"),
	STATEMENT(SQL_SELECT_CAMPAIGNS_OF_ACCOUNT, SELECT_CAMPAIGN " WHERE c.account_id = ? ORDER BY c.id"),
	STATEMENT(SQL_SELECT_ALL_CAMPAIGNS, SELECT_CAMPAIGN " ORDER BY c.id"),
	STATEMENT(SQL_SELECT_LEAD_BY_EMAIL, SELECT_LEAD " WHERE l.email_hash = ? AND l.campaign_id = ?"),
	STATEMENT(SQL_SELECT_LEAD_BY_PHONE, SELECT_LEAD " WHERE l.phone_hash = ? AND l.campaign_id = ?"),
	STATEMENT(SQL_SELECT_LEAD_BY_SOCIAL_ID, SELECT_LEAD " WHERE l.social_id = ? AND l.campaign_id = ?"),

	STATEMENT(SQL_LOCK_CAMPAIGN, "SELECT id FROM {prefix}campaigns WHERE id = ? FOR UPDATE"),
	STATEMENT(SQL_SELECT_WEBHOOK_BY_URL, "SELECT id, secret FROM {prefix}webhooks WHERE campaign_id = ? AND url_hash = ?"),
	STATEMENT(SQL_COUNT_WEBHOOKS, "SELECT COUNT(*) FROM {prefix}webhooks WHERE campaign_id = ?"),
	STATEMENT(SQL_INSERT_WEBHOOK,
	    "INSERT INTO {prefix}webhooks (id, campaign_id, url, url_hash, events, source, format, secret, created_ms) "
	    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, " NOW ")"),
	STATEMENT(SQL_INSERT_WEBHOOK_STATUS, "INSERT INTO {prefix}webhook_status (webhook_id) VALUES (?)"),
	STATEMENT(SQL_UPDATE_WEBHOOK,
	    "UPDATE {prefix}webhooks SET events = ?, source = COALESCE(?, source), format = COALESCE(?, format) WHERE id = ?"),
	STATEMENT(SQL_DELETE_WEBHOOK, "DELETE FROM {prefix}webhooks WHERE id = ?"),
	STATEMENT(SQL_DELETE_WEBHOOK_STATUS, "DELETE FROM {prefix}webhook_status WHERE webhook_id = ?"),
	STATEMENT(SQL_SELECT_WEBHOOKS, SELECT_WEBHOOK " WHERE w.campaign_id = ? ORDER BY w.id"),

	STATEMENT(SQL_LEASE_SHARDS, "UPDATE {prefix}dispatch_shards SET owner = ?, lease_until_ms = " NOW " + ?"
				    " WHERE owner IS NULL OR owner = ? OR lease_until_ms <= " NOW),
	STATEMENT(SQL_SELECT_LEASED_SHARDS, "SELECT shard FROM {prefix}dispatch_shards WHERE owner = ?"),
	STATEMENT(SQL_RELEASE_SHARDS, "UPDATE {prefix}dispatch_shards SET owner = NULL, lease_until_ms = 0 WHERE owner = ?"),
	STATEMENT(SQL_RELEASE_CLAIMS,
	    "UPDATE {prefix}due SET due_ms = LEAST(due_ms, " NOW "), token = NULL WHERE token >= ? AND token <= ?"),
	STATEMENT(SQL_SELECT_NOW, "SELECT " NOW),
	/* (shard, webhook_id, due_ms) makes this one probe for each shard and webhook, however many rows are due; the second
	 * probe is made only for those that have ended */
	STATEMENT(SQL_SELECT_DUE_WEBHOOKS,
	    "SELECT d.webhook_id, (w.state IS NULL OR w.state = 'gone') AND (SELECT u.id FROM {prefix}due u"
	    " WHERE u.shard = d.shard AND u.webhook_id = d.webhook_id AND u.token IS NULL LIMIT 1) IS NOT NULL,"
	    " GREATEST(d.first_ms, CASE WHEN w.state = 'active' THEN COALESCE(s.hold_until_ms, 0) ELSE 0 END), " NOW
	    " FROM (SELECT shard, webhook_id, MIN(due_ms) AS first_ms FROM {prefix}due WHERE shard IN ({list})"
	    " GROUP BY shard, webhook_id) d LEFT JOIN {prefix}webhook_status s ON s.webhook_id = d.webhook_id"
	    " LEFT JOIN {prefix}webhooks w ON w.id = d.webhook_id WHERE w.state IS NULL OR w.state <> 'disabled'"
	    " ORDER BY 2 DESC, 3"),
	STATEMENT(SQL_SELECT_DUE_ROWS,
	    "SELECT id FROM {prefix}due WHERE shard = ? AND webhook_id = ? AND due_ms <= " NOW " ORDER BY due_ms LIMIT ?"),
	STATEMENT(SQL_CLAIM_DUE, "UPDATE {prefix}due SET token = ?, due_ms = " NOW
				 " + ?, attempts = attempts + 1 WHERE due_ms <= " NOW " AND id IN ({list})"),
	STATEMENT(SQL_SELECT_CLAIMED,
	    "SELECT u.id, u.webhook_id, u.attempts, d.type, d.format, e.payload, w.url, w.secret, w.state"
	    " FROM {prefix}due u LEFT JOIN {prefix}deliveries d ON d.id = u.id LEFT JOIN {prefix}events e ON e.id = d.event_id"
	    " LEFT JOIN {prefix}webhooks w ON w.id = u.webhook_id WHERE u.token = ? AND u.id IN ({list})"),
	STATEMENT(SQL_LOCK_CLAIMED, "SELECT id, token, " NOW " FROM {prefix}due WHERE id IN ({list}) FOR UPDATE"),
	STATEMENT(SQL_INSERT_ATTEMPT,
	    "INSERT INTO {prefix}attempts (id, delivery_id, attempt, started_ms, duration_ms, status, error, answer) "
	    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
	STATEMENT(SQL_FINISH_DELIVERY, "UPDATE {prefix}deliveries SET state = ?, attempts = ?, last_status = ?, last_error = ? "
				       "WHERE id = ? AND state = 'pending'"),
	STATEMENT(SQL_DELETE_DUE, "DELETE FROM {prefix}due WHERE id = ? AND token = ?"),
	STATEMENT(SQL_RESCHEDULE_DUE, "UPDATE {prefix}due SET due_ms = ?, token = NULL WHERE id = ? AND token = ?"),
	STATEMENT(SQL_UNCLAIM_DUE,
	    "UPDATE {prefix}due SET due_ms = " NOW ", token = NULL, attempts = attempts - 1 WHERE id = ? AND token = ?"),
	STATEMENT(SQL_UPDATE_WEBHOOK_STATUS,
	    "UPDATE {prefix}webhook_status SET last_status = ?, last_delivery_ms = COALESCE(?, last_delivery_ms), "
	    "failing_since_ms = CASE WHEN ? THEN NULL ELSE COALESCE(failing_since_ms, ?) END WHERE webhook_id = ?"),
	STATEMENT(SQL_HOLD_WEBHOOK,
	    "UPDATE {prefix}webhook_status SET hold_until_ms = GREATEST(hold_until_ms, ?) WHERE webhook_id = ?"),
	STATEMENT(SQL_MARK_WEBHOOK_GONE, "UPDATE {prefix}webhooks SET state = 'gone' WHERE id = ? AND state = 'active'"),
	STATEMENT(SQL_SELECT_DUE_OF_WEBHOOK, "SELECT id FROM {prefix}due WHERE shard = ? AND webhook_id = ? AND token IS NULL"
					     " ORDER BY due_ms LIMIT ? FOR UPDATE"),
	STATEMENT(SQL_FAIL_DELIVERY,
	    "UPDATE {prefix}deliveries SET state = 'failed', last_error = 'webhook_gone' WHERE id = ? AND state = 'pending'"),
	STATEMENT(SQL_DELETE_DUE_ROWS, "DELETE FROM {prefix}due WHERE id IN ({list})"),
	STATEMENT(SQL_NOTE_ENDED_CAMPAIGNS,
	    "UPDATE {prefix}campaigns SET ended_ms = ends_ms WHERE ended_ms IS NULL AND ends_ms <= " NOW),
	STATEMENT(SQL_DELETE_OLD_TOKENS, "DELETE FROM {prefix}commits WHERE token < ? LIMIT ?"),

	STATEMENT(SQL_COUNT_VERSION_TABLE, "SELECT COUNT(*) FROM information_schema.TABLES"
					   " WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '{prefix}schema_version'"),
	STATEMENT(SQL_SELECT_SCHEMA_VERSION, "SELECT MAX(version) FROM {prefix}schema_version"),
	STATEMENT(
	    SQL_INSERT_SCHEMA_VERSION, "INSERT IGNORE INTO {prefix}schema_version (version, applied_ms) VALUES (?, " NOW ")"),
	STATEMENT(SQL_SELECT_SERVER_VERSION, "SELECT VERSION(), @@innodb_flush_log_at_trx_commit"),
	STATEMENT(SQL_INSERT_ACCOUNT, "INSERT INTO {prefix}accounts (id, name, created_ms) VALUES (?, ?, " NOW ")"),
	STATEMENT(SQL_SELECT_ACCOUNTS, "SELECT id, name, suspended_ms, created_ms FROM {prefix}accounts ORDER BY id"),
	STATEMENT(SQL_SELECT_ACCOUNT, "SELECT id FROM {prefix}accounts WHERE id = ?"),
	STATEMENT(SQL_LOCK_ACCOUNT, "SELECT id FROM {prefix}accounts WHERE id = ? FOR UPDATE"),
	STATEMENT(SQL_INSERT_KEY,
	    "INSERT INTO {prefix}api_keys (id, account_id, name, hash, created_ms) VALUES (?, ?, ?, ?, " NOW ")"),
	STATEMENT(SQL_SELECT_KEYS,
	    "SELECT id, account_id, name, created_ms, last_used_ms, revoked_ms FROM {prefix}api_keys WHERE account_id = ? "
	    "ORDER BY id"),
	STATEMENT(SQL_REVOKE_KEY, "UPDATE {prefix}api_keys SET revoked_ms = COALESCE(revoked_ms, " NOW ") WHERE id = ?"),
	STATEMENT(SQL_INSERT_CAMPAIGN,
	    "INSERT INTO {prefix}campaigns (name, ends_ms, jump_start, privacy, require_key, landing_url, thankyou_url, "
	    "status_url, id, account_id, created_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, " NOW ")"),
	STATEMENT(SQL_INSERT_COUNTERS, "INSERT INTO {prefix}campaign_counters (campaign_id) VALUES (?)"),
	STATEMENT(SQL_UPDATE_CAMPAIGN, "UPDATE {prefix}campaigns SET name = ?, ends_ms = ?, jump_start = ?, privacy = ?, "
				       "require_key = ?, landing_url = ?, "
				       "thankyou_url = ?, status_url = ?, ended_ms = ? WHERE id = ?"),
	/* what was noted is not by command yet */
	STATEMENT(SQL_END_CAMPAIGN, "UPDATE {prefix}campaigns SET ended_ms = CASE WHEN ended_ms IS NULL OR ended_ms = ends_ms"
				    " THEN " NOW " ELSE ended_ms END WHERE id = ?"),
	STATEMENT(SQL_REOPEN_CAMPAIGN, "UPDATE {prefix}campaigns SET ended_ms = NULL, ends_ms = CASE WHEN ends_ms <= " NOW
				       " THEN NULL ELSE ends_ms END WHERE id = ?"),
	STATEMENT(SQL_SELECT_DELIVERIES, SELECT_DELIVERY " ORDER BY d.id DESC LIMIT ?"),
	STATEMENT(SQL_SELECT_DELIVERIES_OF_WEBHOOK, SELECT_DELIVERY " AND d.webhook_id = ? ORDER BY d.id DESC LIMIT ?"),
	STATEMENT(SQL_SELECT_DELIVERIES_OF_LEAD,
	    SELECT_DELIVERY " AND d.lead_id = (SELECT id FROM {prefix}leads WHERE social_id = ?)"
			    " AND (? = 0 OR d.webhook_id = ?) ORDER BY d.id DESC LIMIT ?"),
	STATEMENT(SQL_COUNT_ROWS, "SELECT (SELECT COUNT(*) FROM {prefix}accounts), (SELECT COUNT(*) FROM {prefix}campaigns), "
				  "(SELECT CAST(COALESCE(SUM(lead_count), 0) AS UNSIGNED) FROM {prefix}campaign_counters), "
				  "(SELECT COUNT(*) FROM {prefix}webhooks), " NOW),
	/* ready_ms: since when, or from when on, a dispatcher may take it; NULL: nobody knows */
	STATEMENT(SQL_COUNT_DUE,
	    "SELECT COUNT(CASE WHEN ready_ms <= ? THEN 1 END), COUNT(CASE WHEN ready_ms <= ? THEN NULL ELSE 1 END),"
	    " MIN(ready_ms) FROM (SELECT CASE"
	    " WHEN w.state = 'active' THEN GREATEST(u.due_ms, COALESCE(s.hold_until_ms, 0))"
	    " WHEN w.state = 'disabled' THEN NULL"
	    " WHEN u.token IS NULL THEN LEAST(u.due_ms, CAST(? AS SIGNED)) ELSE u.due_ms END AS ready_ms"
	    " FROM {prefix}due u LEFT JOIN {prefix}webhooks w ON w.id = u.webhook_id"
	    " LEFT JOIN {prefix}webhook_status s ON s.webhook_id = u.webhook_id) r"),
};
