/* SPDX-License-Identifier: MIT */
#include "store/statements.h"

#include "store/deep_statements.h"

/* The database's time in milliseconds; UNIX_TIMESTAMP would end in 2038. */
#define NOW "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000"

#define LEAD_COLUMNS                                                                                              \
	"l.id, l.campaign_id, l.subscription_number, l.counter, l.social_id, l.parent_id, p.social_id, l.email, " \
	"l.email_key, l.email_hash, l.phone, l.phone_hash, l.verified_email, l.verified_phone, l.waitlisted, "    \
	"l.removed_from_waitlist, l.opted_out, l.sms_opted_out, l.custom_fields, l.utm, l.uid, l.redirect_url, "  \
	"l.redirect_by_key, l.ip, l.user_agent, l.referrer, l.source, l.source_id, l.fraudulent, l.fraud_flags, " \
	"l.times_flagged, l.announced, l.score, l.referrals, l.unverified_direct, l.unverified_indirect, "        \
	"l.verified_direct, l.verified_indirect, l.tag_ids, l.action_ids, l.reward_ids, l.created_ms, l.updated_ms"
#define SELECT_LEAD "SELECT " LEAD_COLUMNS " FROM {prefix}leads l LEFT JOIN {prefix}leads p ON p.id = l.parent_id"

/* What payloads show. */
#define SHOWN_COLUMNS                                                                                                     \
	"l.id, l.subscription_number, l.counter, l.social_id, p.social_id, l.email, l.email_key, l.phone, "               \
	"l.verified_email, l.verified_phone, l.waitlisted, l.opted_out, l.sms_opted_out, l.custom_fields, l.utm, l.uid, " \
	"l.redirect_url, l.redirect_by_key, l.ip, l.referrer, l.fraudulent, l.score, l.referrals, l.unverified_direct, "  \
	"l.unverified_indirect, l.verified_direct, l.verified_indirect, l.tag_ids, l.action_ids, l.created_ms"
/* the index is forced: a wrong guess would cost as much as the campaign is large */
#define SELECT_PAGE                                                                                                  \
	"SELECT " SHOWN_COLUMNS " FROM {prefix}leads l FORCE INDEX (by_number) LEFT JOIN {prefix}leads p ON p.id = " \
	"l.parent_id"
#define LEADER_COLUMNS "l.id, l.subscription_number, l.social_id, l.email, l.phone, l.custom_fields, l.score"
#define STATE_COLUMNS "n.lead_count, n.settings_version, n.leads_version"
/* leads, and with them what their campaigns have come to; in this order, from the leads' keys on */
#define LOOK_UP(identity, index)                                                                                        \
	"SELECT " SHOWN_COLUMNS ", l.campaign_id, " STATE_COLUMNS " FROM {prefix}leads l FORCE INDEX (" index           \
	") STRAIGHT_JOIN"                                                                                               \
	" {prefix}campaign_counters n ON n.campaign_id = l.campaign_id LEFT JOIN {prefix}leads p ON p.id = l.parent_id" \
	" WHERE l." identity " IN ({list})"

/* In this order: a few accounts may have very many campaigns. */
#define SELECT_CAMPAIGN_USING(index)                                                                                         \
	"SELECT c.id, c.account_id, c.name, c.created_ms, a.suspended_ms IS NOT NULL, c.ended_ms, c.ends_ms, c.jump_start, " \
	"c.privacy, c.require_key, c.landing_url, c.thankyou_url, c.status_url, c.points_signup, c.points_direct, "          \
	"c.points_indirect, c.points_verified, c.require_verification, c.waitlist, c.max_per_ip, c.blocked_email_domains, "  \
	"c.blocked_referrers, c.allowed_networks, n.last_subscription_number, n.ip_counted_to, n.lead_count, n.verified, "   \
	"n.waitlisted, n.removed_from_waitlist, n.fraudulent, n.opted_out, n.referred, " NOW                                 \
	" FROM {prefix}campaigns c " index " STRAIGHT_JOIN {prefix}accounts a ON a.id = c.account_id"                        \
	" STRAIGHT_JOIN {prefix}campaign_counters n ON n.campaign_id = c.id"
#define SELECT_CAMPAIGN SELECT_CAMPAIGN_USING("")

/* All kinds at once, told apart by a number; what a kind lacks is 0 of the right type. The rules need no descriptions. */
#define SELECT_DEFINITIONS(description, campaigns)                                                                           \
	"SELECT 1, id, campaign_id, name, CAST(points AS SIGNED), CAST(0 AS UNSIGNED), FALSE, " description                  \
	" FROM {prefix}tags WHERE campaign_id " campaigns                                                                    \
	" UNION ALL SELECT 2, id, campaign_id, text, CAST(points AS SIGNED),"                                                \
	" COALESCE(tag_id, CAST(0 AS UNSIGNED)), FALSE, NULL FROM {prefix}actions WHERE campaign_id " campaigns              \
	" UNION ALL SELECT 3, id, campaign_id, subject, CAST(required_points AS SIGNED), CAST(0 AS UNSIGNED), emailed, NULL" \
	" FROM {prefix}reward_levels WHERE campaign_id " campaigns

#define WEBHOOK_COLUMNS                                                                                     \
	"w.id, w.campaign_id, w.url, w.source, w.secret, w.events, w.format, w.state, s.failing_since_ms, " \
	"s.last_delivery_ms, s.last_status"
#define FROM_WEBHOOKS " FROM {prefix}webhooks w JOIN {prefix}webhook_status s ON s.webhook_id = w.id"

/* The newest deliveries that ended so, by their ids alone. LIMIT 0: none of them. */
#define IDS_OF_ENDED(index, state)                                                                          \
	"(SELECT id FROM {prefix}deliveries FORCE INDEX (" index ") WHERE " state " AND id >= ? AND id < ?" \
	" ORDER BY id DESC LIMIT ?)"
#define IDS_OF_DUE(index, condition) \
	"(SELECT id FROM {prefix}due FORCE INDEX (" index ") WHERE " condition "id >= ? AND id < ? ORDER BY id DESC LIMIT ?)"

/* For a row that is there already: the delivery was sent again. */
#define ENDED_AGAIN                                                                                   \
	" ON DUPLICATE KEY UPDATE state = VALUES(state), attempts = VALUES(attempts), last_status = " \
	"VALUES(last_status), last_error = VALUES(last_error), ended_ms = VALUES(ended_ms)"

/* The limits of a table's days, NULL while it has none. */
#define HISTORY_DAYS_OF(number, table)                                                             \
	"SELECT " number ", MIN(CAST(PARTITION_DESCRIPTION AS UNSIGNED)), "                        \
	"MAX(CAST(PARTITION_DESCRIPTION AS UNSIGNED)), " NOW " FROM information_schema.PARTITIONS" \
	" WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '{prefix}" table "' AND PARTITION_NAME <> 'later'"

/* Whole deliveries, of either table; an attempt that is under way is not counted yet. */
#define SELECT_DELIVERIES(columns)                                                                                     \
	"SELECT d.id, d.webhook_id, e.type, l.social_id, d.state, d.attempts, d.due_ms, d.last_status, d.last_error, " \
	"e.created_ms, d.token IS NOT NULL, w.state, CAST(COALESCE(s.failures, 0) AS UNSIGNED), "                      \
	"COALESCE(s.hold_until_ms, 0), " NOW columns                                                                   \
	" FROM (SELECT id, event_id, webhook_id, 'pending' AS state, CAST(CASE WHEN token IS NULL "                    \
	"OR attempts = 0 THEN attempts ELSE attempts - 1 END AS UNSIGNED) AS attempts, due_ms, token, last_status, "   \
	"last_error FROM {prefix}due FORCE INDEX (PRIMARY) WHERE id IN ({list}) UNION ALL SELECT t.id, t.event_id, "   \
	"t.webhook_id, t.state, t.attempts, NULL, NULL, t.last_status, t.last_error FROM {prefix}deliveries t "        \
	"FORCE INDEX (PRIMARY) LEFT JOIN {prefix}due u ON u.id = t.id WHERE t.id IN ({list}) AND u.id IS NULL) d "     \
	"JOIN {prefix}events e ON e.id = d.event_id LEFT JOIN {prefix}leads l ON l.id = e.lead_id "                    \
	"LEFT JOIN {prefix}webhooks w ON w.id = d.webhook_id "                                                         \
	"LEFT JOIN {prefix}webhook_status s ON s.webhook_id = d.webhook_id ORDER BY d.id DESC"

/* Whether a delivery has what it takes to be sent, its webhook and its event; and whether the webhook gets nothing now. */
#define SENDABLE                                                                                                   \
	"(SELECT w.id FROM {prefix}webhooks w WHERE w.id = t.webhook_id AND w.state <> 'gone') IS NOT NULL, "      \
	"(SELECT e.id FROM {prefix}events e WHERE e.id = t.event_id) IS NOT NULL, "                                \
	"COALESCE((SELECT w.state = 'disabled' OR COALESCE(s.hold_until_ms, 0) > " NOW " FROM {prefix}webhooks w " \
	"LEFT JOIN {prefix}webhook_status s ON s.webhook_id = w.id WHERE w.id = t.webhook_id), FALSE)"

#define LOCK_COUNTERS                                                                                                          \
	"SELECT campaign_id, settings_version, leads_version, last_subscription_number, ip_counted_to, lead_count, verified, " \
	"waitlisted, removed_from_waitlist, fraudulent, opted_out, referred, " NOW " FROM {prefix}campaign_counters "          \
	"WHERE campaign_id IN ({list}) ORDER BY campaign_id FOR UPDATE"

/* A slot of a node of the histogram, in what comes to a row that is there. */
#define ADD(slot) #slot " = " #slot " + VALUES(" #slot ")"

/* A column of an INSERT whose row is there. */
#define TO(column) #column " = VALUES(" #column ")"

#define INSERT_LEAD                                                                                                        \
	"INSERT INTO {prefix}leads (counter, email, email_key, email_hash, phone, phone_hash, verified_email, "            \
	"verified_phone, waitlisted, removed_from_waitlist, opted_out, sms_opted_out, custom_fields, utm, uid, "           \
	"redirect_url, redirect_by_key, ip, user_agent, fraudulent, fraud_flags, times_flagged, announced, score, "        \
	"referrals, unverified_direct, unverified_indirect, verified_direct, verified_indirect, tag_ids, action_ids, "     \
	"reward_ids, updated_ms, id, campaign_id, subscription_number, social_id, parent_id, referrer, source, "           \
	"source_id, signup_url, session_id, request_id, created_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, " \
	"?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

/* What a client sees must not depend on the server's configuration. The lock wait is short because a batch is run again. A
 * transaction whose connection is lost may stay open on the server, locks and all, until it misses the next statement: that it
 * is to do soon. Ours pause for as long as a batch is decided. */
const char *const store_session[] = {
	"SET SESSION time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ENGINE_SUBSTITUTION', "
	"innodb_lock_wait_timeout = 5, lock_wait_timeout = 15, idle_transaction_timeout = 10, autocommit = 1",
	/* by its own statement: the variable has another name since MariaDB 11.1 */
	"SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
	NULL,
};

#define STATEMENT(id, text) [id] = { #id, text, false }
#define STATEMENT_ANEW(id, text) [id] = { #id, text, true }

/* clang-format off */

const struct db_statement store_statements[SQL_COUNT] = {
	STATEMENT(SQL_LOCK_ID_BLOCK, "SELECT next FROM {prefix}id_blocks WHERE name = ? FOR UPDATE"),
	STATEMENT(SQL_MOVE_ID_BLOCK, "UPDATE {prefix}id_blocks SET next = next + ? WHERE name = ?"),
	STATEMENT(SQL_SELECT_INSTALLATION, "SELECT value FROM {prefix}installation WHERE name = ?"),
	STATEMENT(SQL_INSERT_INSTALLATION, "INSERT IGNORE INTO {prefix}installation (name, value) VALUES (?, ?)"),
	STATEMENT(SQL_SELECT_KEY,
		"SELECT k.id, k.account_id, a.suspended_ms IS NOT NULL, a.per_minute, k.last_used_ms, " NOW
		" FROM {prefix}api_keys k JOIN {prefix}accounts a ON a.id = k.account_id WHERE k.hash = ? "
		"AND k.revoked_ms IS NULL"),
	STATEMENT(SQL_TOUCH_KEY, "UPDATE {prefix}api_keys SET last_used_ms = ? WHERE id = ? AND (last_used_ms IS "
				     "NULL OR last_used_ms < ?)"),

	STATEMENT(SQL_INSERT_TOKEN, "INSERT INTO {prefix}commit_tokens (token, created_ms) VALUES (?, " NOW ")"),
	STATEMENT(SQL_SELECT_TOKEN, "SELECT token FROM {prefix}commit_tokens WHERE token = ?"),
	STATEMENT(SQL_SELECT_MARK_EVENT, "SELECT id FROM {prefix}events WHERE id = ?"),
	STATEMENT(SQL_LOCK_COUNTERS, LOCK_COUNTERS),
	STATEMENT(SQL_LOCK_FREE_COUNTERS, LOCK_COUNTERS " SKIP LOCKED"),
	STATEMENT(
		SQL_SELECT_COUNTERS, "SELECT campaign_id FROM {prefix}campaign_counters WHERE campaign_id IN ({list})"),
	STATEMENT(SQL_SELECT_CAMPAIGNS, SELECT_CAMPAIGN_USING("FORCE INDEX (PRIMARY)") " WHERE c.id IN ({list})"),
	STATEMENT(SQL_SELECT_SUBSCRIPTIONS, "SELECT id, campaign_id, events, state, format, url FROM "
						"{prefix}webhooks FORCE INDEX (by_campaign) WHERE "
						"campaign_id IN ({list})"),
	STATEMENT(SQL_SELECT_DEFINITIONS, SELECT_DEFINITIONS("NULL", "IN ({list})")),
	STATEMENT(SQL_LOCK_JOBS,
		"SELECT id, position, total FROM {prefix}bulk_jobs WHERE id IN ({list}) ORDER BY id FOR UPDATE"),
	STATEMENT(SQL_LOAD_LEADS_BY_EMAIL, SELECT_LEAD " WHERE l.email_hash IN ({list})"),
	STATEMENT(SQL_LOAD_LEADS_BY_PHONE, SELECT_LEAD " WHERE l.phone_hash IN ({list})"),
	STATEMENT(SQL_LOAD_LEADS_BY_SOCIAL_ID, SELECT_LEAD " WHERE l.social_id IN ({list})"),
	STATEMENT(SQL_LOAD_LEADS_BY_ID, SELECT_LEAD " WHERE l.id IN ({list})"),
	STATEMENT(SQL_SELECT_LINKS,
		"SELECT lead_id, level, ancestor_id, counted, counts, settled, verified_settled, earned, credit"
		" FROM {prefix}referral_links WHERE lead_id IN ({list})"),
	STATEMENT(SQL_SELECT_IP_LEADS,
		"SELECT campaign_id, ip, leads FROM {prefix}ip_leads WHERE campaign_id IN ({list}) AND ip IN ({list})"),
	STATEMENT(SQL_SELECT_HISTOGRAM,
		"SELECT node, " RANK_SLOT_COLUMNS " FROM {prefix}score_histogram WHERE node IN ({list})"),
	STATEMENT(SQL_SELECT_HISTOGRAM_AND_VERSION,
		"SELECT h.node, " RANK_SLOT_COLUMNS ", n.leads_version"
		" FROM (SELECT leads_version FROM {prefix}campaign_counters WHERE campaign_id = ?) n"
		" LEFT JOIN {prefix}score_histogram h ON h.node IN ({list})"),

	STATEMENT(SQL_DELETE_LEAD, "DELETE FROM {prefix}leads WHERE id = ?"),
	STATEMENT(SQL_INSERT_DELETED_LEAD, "INSERT INTO {prefix}deleted_leads (lead_id) VALUES (?)"),
	STATEMENT(
		SQL_FREE_IDENTITIES, "UPDATE {prefix}leads SET email_hash = NULL, phone_hash = NULL WHERE id = ?"),
	/* as above: the row is there and locked */
	STATEMENT(SQL_UPDATE_LEAD, INSERT_LEAD
		" ON DUPLICATE KEY UPDATE " TO(counter) ", " TO(email) ", " TO(email_key) ", " TO(email_hash) ", " TO(phone) ", " TO(phone_hash) ", " TO(
		    verified_email) ", " TO(verified_phone) ", " TO(waitlisted) ", " TO(removed_from_waitlist) ", " TO(opted_out) ", " TO(sms_opted_out) ", " TO(custom_fields) ", " TO(utm) ", " TO(uid) ", " TO(redirect_url) ", " TO(redirect_by_key) ", " TO(ip) ", " TO(user_agent) ", " TO(fraudulent) ", " TO(fraud_flags) ", " TO(times_flagged) ", " TO(announced) ", " TO(score) ", " TO(referrals) ", " TO(unverified_direct) ", " TO(unverified_indirect) ", " TO(verified_direct) ", " TO(verified_indirect) ", " TO(tag_ids) ", " TO(action_ids) ", " TO(reward_ids) ", " TO(updated_ms)),
	STATEMENT(SQL_INSERT_LEAD, INSERT_LEAD),
	STATEMENT(SQL_UPDATE_COUNTERS,
		"INSERT INTO {prefix}campaign_counters (last_subscription_number, lead_count, verified, waitlisted, "
		"removed_from_waitlist, fraudulent, opted_out, referred, campaign_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, "
		"?) "
		"ON DUPLICATE KEY UPDATE leads_version = leads_version + 1, " TO(last_subscription_number) ", " TO(lead_count) ", " TO(
		    verified) ", " TO(waitlisted) ", " TO(removed_from_waitlist) ", " TO(fraudulent) ", " TO(opted_out) ","
															" " TO(
															    referred)),
	STATEMENT(SQL_CHANGE_HISTOGRAM,
		"INSERT INTO {prefix}score_histogram (node, " RANK_SLOT_COLUMNS
		") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
		"?, ?, ?) ON DUPLICATE KEY UPDATE " ADD(s0) ", " ADD(s1) ", " ADD(s2) ", " ADD(s3) ", " ADD(
		    s4) ", " ADD(s5) ", " ADD(s6) ", " ADD(s7) ", " ADD(s8) ", " ADD(s9) ", " ADD(s10) ", " ADD(s11) ","
														     " " ADD(s12) ", " ADD(s13) ", " ADD(
															 s14) ","
															      " " ADD(
																  s15)),
	STATEMENT(SQL_CHANGE_IP_LEADS, "INSERT INTO {prefix}ip_leads (campaign_id, ip, leads) VALUES (?, ?, ?)"
					   " ON DUPLICATE KEY UPDATE leads = leads + VALUES(leads)"),
	STATEMENT(SQL_INSERT_SCORE_ENTRY,
		"INSERT INTO {prefix}score_entries (lead_id, reason, ref, round, delta, requested, message, created_ms) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
	STATEMENT(SQL_UPDATE_LINK, "UPDATE {prefix}referral_links SET counted = ?, counts = ?, settled = ?, "
				       "verified_settled = ?, earned = ?, "
				       "credit = ? WHERE lead_id = ? AND level = ?"),
	STATEMENT(SQL_INSERT_LINK,
		"INSERT INTO {prefix}referral_links (counted, counts, settled, verified_settled, earned, "
		"credit, lead_id, level, ancestor_id) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	STATEMENT(SQL_NOTE_JOB_SERVED,
		"INSERT INTO {prefix}bulk_schedule (campaign_id, served_ms) SELECT campaign_id, " NOW
		" FROM {prefix}bulk_jobs WHERE id = ? ON DUPLICATE KEY UPDATE served_ms = VALUES(served_ms)"),
	STATEMENT(SQL_MOVE_JOB, "UPDATE {prefix}bulk_jobs SET position = ?, failures = 0, delayed_until_ms = 0"
				    " WHERE id = ? AND position = ?"),
	STATEMENT(SQL_DELETE_JOB, "DELETE FROM {prefix}bulk_jobs WHERE id = ? AND position = ?"),
	STATEMENT(SQL_INSERT_EVENT,
		"INSERT INTO {prefix}events (id, campaign_id, lead_id, type, deliveries, created_ms, payload) "
		"VALUES (?, ?, ?, ?, ?, ?, ?)"),
	STATEMENT(SQL_INSERT_DUE, "INSERT INTO {prefix}due (id, event_id, shard, webhook_id, format, due_ms) "
				      "VALUES (?, ?, ?, ?, ?, ?)"),

	STATEMENT(SQL_SELECT_CAMPAIGN, SELECT_CAMPAIGN " WHERE c.id = ?"),
	STATEMENT(SQL_SELECT_CAMPAIGNS_OF_ACCOUNT, SELECT_CAMPAIGN " WHERE c.account_id = ? ORDER BY c.id"),
	STATEMENT(SQL_SELECT_ALL_CAMPAIGNS, SELECT_CAMPAIGN " ORDER BY c.id"),
	STATEMENT(SQL_LOOK_UP_BY_EMAIL, LOOK_UP("email_hash", "by_email")),
	STATEMENT(SQL_LOOK_UP_BY_PHONE, LOOK_UP("phone_hash", "by_phone")),
	STATEMENT(SQL_LOOK_UP_BY_SOCIAL_ID, LOOK_UP("social_id", "by_social_id")),
	STATEMENT(SQL_LOOK_UP_BY_ID, LOOK_UP("id", "PRIMARY")),
	STATEMENT(
		SQL_SELECT_STATE, "SELECT " STATE_COLUMNS " FROM {prefix}campaign_counters n WHERE n.campaign_id = ?"),
	STATEMENT(SQL_SELECT_LEADS_BY_NUMBER, SELECT_PAGE
		" WHERE l.campaign_id = ? AND l.subscription_number > ? ORDER BY l.subscription_number LIMIT ?"),
	STATEMENT(SQL_SELECT_NUMBER_BEHIND,
		"SELECT subscription_number FROM {prefix}leads FORCE INDEX (by_number) WHERE campaign_id = ?"
		" AND subscription_number > ? ORDER BY subscription_number LIMIT 1 OFFSET ?"),
	STATEMENT(SQL_SELECT_FILTERED_LEADS,
		SELECT_PAGE " WHERE l.campaign_id = ? AND l.subscription_number > ? AND l.subscription_number < ?"
			    " AND (? < 0 OR (l.verified_email OR l.verified_phone) = ?) AND (? < 0 OR l.waitlisted = ?)"
			    " AND (? < 0 OR l.fraudulent = ?) AND (? < 0 OR l.opted_out = ?) AND (? = 0 OR "
			    "FIND_IN_SET(?, l.tag_ids))"
			    " AND l.created_ms >= ? ORDER BY l.subscription_number LIMIT ?"),
	STATEMENT(SQL_SELECT_LEADERS,
		"SELECT " LEADER_COLUMNS
		" FROM {prefix}leads l FORCE INDEX (by_score) WHERE l.campaign_id = ? AND l.fraudulent = FALSE"
		" ORDER BY l.score_order, l.subscription_number LIMIT ?"),
	STATEMENT(SQL_SELECT_DEFINITIONS_OF_CAMPAIGN, SELECT_DEFINITIONS("description", "= ?")),

	STATEMENT(SQL_SELECT_LEAD_IDS,
		"SELECT id, campaign_id FROM {prefix}leads WHERE email_hash IN ({list})"
		" UNION SELECT id, campaign_id FROM {prefix}leads WHERE phone_hash IN ({list})"
		" UNION SELECT id, campaign_id FROM {prefix}leads WHERE social_id IN ({list})"
		" UNION SELECT id, campaign_id FROM {prefix}leads WHERE id IN ({list}) ORDER BY id"),
	STATEMENT(SQL_INSERT_JOB,
		"INSERT INTO {prefix}bulk_jobs (id, campaign_id, action, tag_id, argument, lead_ids, total, created_ms) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, " NOW ")"),
	/* by_campaign makes this two probes for each campaign, and one for each job that is delayed */
	STATEMENT_ANEW(SQL_SELECT_NEXT_JOB,
		"SELECT j.id, j.campaign_id, j.action, j.tag_id, j.argument, j.lead_ids, j.position, j.total, j.failures"
		" FROM (SELECT (SELECT w.id FROM {prefix}bulk_jobs w FORCE INDEX (by_campaign) WHERE w.campaign_id = "
		"c.campaign_id"
		" AND w.delayed_until_ms <= " NOW " ORDER BY w.id LIMIT 1) AS id"
		" FROM (SELECT campaign_id FROM {prefix}bulk_jobs FORCE INDEX (by_campaign) GROUP BY campaign_id) c"
		" LEFT JOIN {prefix}bulk_schedule t ON t.campaign_id = c.campaign_id HAVING id IS NOT NULL"
		" ORDER BY COALESCE(t.served_ms, 0), id LIMIT 1) n JOIN {prefix}bulk_jobs j ON j.id = n.id"),
	STATEMENT(SQL_DELAY_JOB, "UPDATE {prefix}bulk_jobs SET failures = failures + 1, delayed_until_ms = " NOW
				     " + ? WHERE id = ? AND position = ? AND failures = ?"),
	STATEMENT(SQL_SKIP_JOB_ITEM,
		"UPDATE {prefix}bulk_jobs SET position = position + 1, failures = 0, delayed_until_ms = 0"
		" WHERE id = ? AND position = ?"),
	STATEMENT(SQL_DELETE_JOB_AT_END, "DELETE FROM {prefix}bulk_jobs WHERE id = ? AND position >= total"),

	STATEMENT(SQL_LOCK_CAMPAIGN, "SELECT id FROM {prefix}campaigns WHERE id = ? FOR UPDATE"),
	STATEMENT(SQL_LOCK_SETTINGS,
		"UPDATE {prefix}campaign_counters SET settings_version = settings_version + 1 WHERE campaign_id = ?"),
	STATEMENT(SQL_SELECT_CAMPAIGN_OF_WEBHOOK, "SELECT campaign_id FROM {prefix}webhooks WHERE id = ?"),
	STATEMENT(SQL_SELECT_WEBHOOK_BY_URL,
		"SELECT id, secret, state FROM {prefix}webhooks WHERE campaign_id = ? AND url_hash = ?"),
	STATEMENT(SQL_COUNT_WEBHOOKS, "SELECT COUNT(*) FROM {prefix}webhooks WHERE campaign_id = ?"),
	STATEMENT(SQL_INSERT_WEBHOOK, "INSERT INTO {prefix}webhooks (id, campaign_id, url, url_hash, events, "
					  "source, format, secret, created_ms) "
					  "VALUES (?, ?, ?, ?, ?, ?, ?, ?, " NOW ")"),
	STATEMENT(SQL_INSERT_WEBHOOK_STATUS, "INSERT INTO {prefix}webhook_status (webhook_id) VALUES (?)"),
	STATEMENT(SQL_UPDATE_WEBHOOK,
		"UPDATE {prefix}webhooks SET events = ?, source = COALESCE(?, source), format = "
		"COALESCE(?, format) WHERE id = ?"),
	STATEMENT(SQL_DELETE_WEBHOOK, "DELETE FROM {prefix}webhooks WHERE id = ?"),
	STATEMENT(SQL_DELETE_WEBHOOK_STATUS, "DELETE FROM {prefix}webhook_status WHERE webhook_id = ?"),
	STATEMENT(SQL_SELECT_WEBHOOKS,
		"SELECT " WEBHOOK_COLUMNS FROM_WEBHOOKS " WHERE w.campaign_id = ? ORDER BY w.id"),
	STATEMENT(SQL_SELECT_WEBHOOK,
		"SELECT " WEBHOOK_COLUMNS ", s.last_error, s.failures, CASE WHEN s.hold_until_ms > " NOW
		" THEN s.hold_until_ms END, CASE WHEN w.previous_until_ms > " NOW
		" THEN w.previous_until_ms END, w.schedule, w.rate, w.ca_file, w.client_certificate, w.client_key"
		FROM_WEBHOOKS " WHERE w.id = ?"),
	/* from the index alone */
	STATEMENT(SQL_COUNT_DUE_OF_WEBHOOK, "SELECT COUNT(*), MIN(due_ms) FROM {prefix}due FORCE INDEX (by_webhook)"
						" WHERE shard = ? AND webhook_id = ?"),
	STATEMENT(SQL_SET_WEBHOOK,
		"UPDATE {prefix}webhooks SET events = ?, source = ?, format = ?, schedule = ?, rate = ?, ca_file = ?, "
		"client_certificate = ?, client_key = ? WHERE id = ?"),
	STATEMENT(SQL_ENABLE_WEBHOOK,
		"UPDATE {prefix}webhooks SET state = 'active' WHERE id = ? AND state IN ('disabled', 'gone')"),
	STATEMENT(SQL_CLEAR_WEBHOOK_STATUS,
		"UPDATE {prefix}webhook_status SET failing_since_ms = NULL, failures = 0, probes = 0, hold_until_ms = 0"
		" WHERE webhook_id = ?"),
	/* columns are assigned from the left: the secret that it had is kept */
	STATEMENT(SQL_ROTATE_SECRET,
		"UPDATE {prefix}webhooks SET previous_secret = CASE WHEN ? > 0 THEN secret END, previous_until_ms = "
		"CASE WHEN ? > 0 THEN " NOW " + ? END, secret = ? WHERE id = ? AND secret <> ?"),

	STATEMENT(SQL_LEASE_SHARDS, "UPDATE {prefix}dispatch_shards SET owner = ?, lease_until_ms = " NOW " + ?"
					" WHERE owner IS NULL OR owner = ? OR lease_until_ms <= " NOW),
	STATEMENT(SQL_SELECT_LEASED_SHARDS, "SELECT shard FROM {prefix}dispatch_shards WHERE owner = ?"),
	STATEMENT(SQL_RELEASE_SHARDS,
		"UPDATE {prefix}dispatch_shards SET owner = NULL, lease_until_ms = 0 WHERE owner = ?"),
	/* one probe for each webhook, and then only what comes due within a lease: neither what is due already, nor later */
	STATEMENT(SQL_SELECT_CLAIMED_WEBHOOKS,
		"SELECT shard, webhook_id, MIN(due_ms) FROM {prefix}due WHERE due_ms > " NOW " AND due_ms <= " NOW " + ?"
		" AND shard IN ({list}) GROUP BY shard, webhook_id"),
	STATEMENT(SQL_SELECT_CLAIMS,
		"SELECT id FROM {prefix}due FORCE INDEX (by_webhook) WHERE shard = ? AND webhook_id = ? AND due_ms > " NOW
		" AND due_ms <= " NOW " + ? AND token >= ? AND token <= ?"),
	STATEMENT(SQL_RELEASE_CLAIMS, "UPDATE {prefix}due FORCE INDEX (PRIMARY) SET due_ms = LEAST(due_ms, " NOW
					  "), token = NULL WHERE token >= ? AND token <= ? AND id IN ({list})"),
	STATEMENT(SQL_SELECT_WORK,
		"SELECT " NOW ", EXISTS (SELECT 1 FROM {prefix}bulk_jobs WHERE delayed_until_ms <= " NOW ")"),
	/* (shard, webhook_id, due_ms) makes this one probe for each shard and webhook, however many rows are due;
	 * the second probe is made only for those that have ended. The limit is above what anybody asks for (struct due_query) */
	STATEMENT_ANEW(SQL_SELECT_DUE_WEBHOOKS,
		"SELECT d.webhook_id, (w.state IS NULL OR w.state = 'gone') AND (SELECT u.id FROM {prefix}due u"
		" WHERE u.shard = d.shard AND u.webhook_id = d.webhook_id AND u.token IS NULL LIMIT 1) IS NOT NULL,"
		" GREATEST(d.first_ms, CASE WHEN w.state = 'active' THEN COALESCE(s.hold_until_ms, 0) ELSE 0 END),"
		" d.first_ms, CAST(COALESCE(s.failures, 0) AS UNSIGNED), CAST(COALESCE(s.probes, 0) AS UNSIGNED), s.failing_since_ms,"
		" s.last_delivery_ms IS NOT NULL, CAST(COALESCE(w.rate, 0) AS UNSIGNED)"
		" FROM (SELECT shard, webhook_id, MIN(due_ms) AS first_ms FROM {prefix}due WHERE shard IN ({list})"
		" GROUP BY shard, webhook_id) d LEFT JOIN {prefix}webhook_status s ON s.webhook_id = d.webhook_id"
		" LEFT JOIN {prefix}webhooks w ON w.id = d.webhook_id WHERE w.state IS NULL OR w.state <> 'disabled'"
		" ORDER BY 2 DESC, 3 LIMIT 20000"),
	/* The same for the newest rows alone. One that is removed stays in the indexes for as long as somebody reads in a
	 * snapshot from before, a dump for instance: the statement above walks over all of them, webhook by webhook, this one
	 * over those whose ids have been given just now. Ids are given in blocks, the largest of nearly a hundred thousand, so a
	 * row that is made now may have an older one; what this misses, right after midnight for instance, the next look at all
	 * finds */
	STATEMENT(SQL_SELECT_NEWEST_DUE,
		"SELECT d.webhook_id, FALSE, GREATEST(d.first_ms, s.hold_until_ms), d.first_ms, CAST(s.failures AS UNSIGNED),"
		" CAST(s.probes AS UNSIGNED), s.failing_since_ms, s.last_delivery_ms IS NOT NULL, CAST(w.rate AS UNSIGNED)"
		" FROM (SELECT webhook_id, MIN(due_ms) AS first_ms FROM {prefix}due FORCE INDEX (PRIMARY) WHERE id >= (SELECT "
		NOW " DIV 86400000 * 68719476736 + GREATEST(next, 200000) - 200000 FROM {prefix}id_blocks WHERE name = 'history')"
		" AND shard IN ({list}) GROUP BY webhook_id) d STRAIGHT_JOIN {prefix}webhooks w ON w.id = d.webhook_id"
		" STRAIGHT_JOIN {prefix}webhook_status s ON s.webhook_id = d.webhook_id WHERE w.state = 'active' ORDER BY 3"),
	STATEMENT(SQL_SELECT_DUE_ROWS,
		"SELECT id, due_ms FROM {prefix}due FORCE INDEX (by_webhook) WHERE shard = ? AND webhook_id = ? AND due_ms >= ?"
		" AND due_ms <= " NOW " ORDER BY due_ms LIMIT ?"),
	/* the index is forced here and in SQL_LOCK_CLAIMED: of a small table the server would rather read all rows,
	 * and lock them, and wait for those of batches that are not committed yet */
	STATEMENT(SQL_CLAIM_DUE, "UPDATE {prefix}due FORCE INDEX (PRIMARY) SET token = ?, due_ms = " NOW
				     " + ?, attempts = attempts + 1 WHERE due_ms <= " NOW " AND id IN ({list})"),
	STATEMENT(SQL_SELECT_CLAIMED,
		"SELECT u.id, u.webhook_id, u.attempts, u.attempts_before, e.type, u.format, e.payload"
		" FROM {prefix}due u LEFT JOIN {prefix}events e ON e.id = u.event_id WHERE u.token = ? AND u.id IN ({list})"),
	STATEMENT(SQL_SELECT_DESTINATIONS,
		"SELECT id, state, url, secret, CASE WHEN previous_until_ms > " NOW " THEN previous_secret END, schedule, ca_file,"
		" client_certificate, client_key FROM {prefix}webhooks FORCE INDEX (PRIMARY) WHERE id IN ({list})"),
	STATEMENT(SQL_LOCK_CLAIMED,
		"SELECT u.id, u.token, u.event_id, u.format, s.webhook_id, s.failing_since_ms IS NOT NULL, " NOW
		" FROM {prefix}due u FORCE INDEX (PRIMARY)"
		" LEFT JOIN {prefix}webhook_status s ON s.webhook_id = u.webhook_id WHERE u.id IN ({list}) ORDER BY "
		"u.id FOR UPDATE WAIT 1"), /* while it waits nobody's outcome is recorded */
	STATEMENT(SQL_INSERT_ATTEMPT,
		"INSERT INTO {prefix}attempts (delivery_id, attempt, started_ms, duration_ms, status, error, answer) "
		"VALUES (?, ?, ?, ?, ?, ?, ?)"),
	STATEMENT(SQL_INSERT_DELIVERY, "INSERT INTO {prefix}deliveries (id, event_id, webhook_id, format, state, attempts, "
					   "last_status, last_error, ended_ms)"
					   " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)" ENDED_AGAIN),
	/* no list, because in a DELETE no index can be forced */
	STATEMENT(SQL_DELETE_DUE, "DELETE FROM {prefix}due WHERE id = ?"),
	/* an INSERT, because an UPDATE of many rows is run once for each. The rows are there, and locked: the zeros
	 * are never stored */
	STATEMENT(SQL_RESCHEDULE_DUE,
		"INSERT INTO {prefix}due (id, event_id, shard, webhook_id, format, due_ms, last_status, last_error)"
		" VALUES (?, 0, 0, 0, 'json', ?, ?, ?) ON DUPLICATE KEY UPDATE due_ms = VALUES(due_ms), token = NULL, "
		"last_status = VALUES(last_status), last_error = VALUES(last_error)"),
	STATEMENT(SQL_UNCLAIM_DUE, "UPDATE {prefix}due SET due_ms = " NOW
				       ", token = NULL, attempts = attempts - 1 WHERE id = ? AND token = ?"),
	/* of rows that are there, as above. Who failed before goes on failing, but for a success in between */
	STATEMENT(SQL_CHANGE_WEBHOOK_STATUS,
		"INSERT INTO {prefix}webhook_status (webhook_id, last_status, last_error, last_delivery_ms, "
		"failing_since_ms, failures, probes, hold_until_ms)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE " TO(last_status) ", " TO(last_error) ", "
		"failing_since_ms = CASE WHEN VALUES(last_delivery_ms) IS NULL THEN COALESCE(failing_since_ms, "
		"VALUES(failing_since_ms)) ELSE VALUES(failing_since_ms) END, "
		"last_delivery_ms = COALESCE(VALUES(last_delivery_ms), last_delivery_ms), "
		TO(failures) ", " TO(probes) ", " TO(hold_until_ms)),
	STATEMENT(
		SQL_DISABLE_WEBHOOK, "UPDATE {prefix}webhooks SET state = 'disabled' WHERE id = ? AND state = 'active'"),
	/* not when its operator has enabled it since: then it fails anew */
	STATEMENT(SQL_CLOSE_WEBHOOK,
		"UPDATE {prefix}webhooks w JOIN {prefix}webhook_status s ON s.webhook_id = w.id SET w.state = ?"
		" WHERE w.id = ? AND w.state = 'active' AND s.failing_since_ms IS NOT NULL"),
	STATEMENT(SQL_SELECT_DUE_OF_WEBHOOK,
		"SELECT d.id FROM {prefix}due d FORCE INDEX (by_webhook) WHERE d.shard = ? AND d.webhook_id = ? AND d.token IS NULL"
		" AND NOT EXISTS (SELECT 1 FROM {prefix}webhooks w WHERE w.id = d.webhook_id AND w.state <> 'gone'"
		" LOCK IN SHARE MODE) ORDER BY d.due_ms LIMIT ? FOR UPDATE"),
	/* not those that are claimed, unless nobody holds the claim any more: the row of a disabled webhook is never claimed
	 * anew. An event's deliveries have ids behind its own, so the few at the end of a day may be of the next */
	STATEMENT(SQL_SELECT_DUE_OF_OLD_DAYS,
		"SELECT id FROM {prefix}due FORCE INDEX (PRIMARY) WHERE id < ? AND event_id < ?"
		" AND (token IS NULL OR due_ms <= " NOW ") ORDER BY id LIMIT ? FOR UPDATE"),
	STATEMENT(SQL_FIND_DUE_OF_OLD_DAYS,
		"SELECT id FROM {prefix}due FORCE INDEX (PRIMARY) WHERE id < ? AND event_id < ? LIMIT 1"),
	STATEMENT(SQL_LOCK_DUE, "SELECT id FROM {prefix}due WHERE id = ? FOR UPDATE"),
	STATEMENT(SQL_HOLD_WEBHOOK_OF,
		"UPDATE {prefix}webhook_status s JOIN {prefix}due d ON d.webhook_id = s.webhook_id"
		" SET s.hold_until_ms = GREATEST(s.hold_until_ms, " NOW " + ?) WHERE d.id = ?"),
	STATEMENT(SQL_FAIL_DUE,
		"INSERT INTO {prefix}deliveries (id, event_id, webhook_id, format, state, attempts, last_status, last_error, "
		"ended_ms)"
		" SELECT id, event_id, webhook_id, format, 'failed', attempts, last_status, ?, " NOW
		" FROM {prefix}due FORCE INDEX (PRIMARY) WHERE id IN ({list})" ENDED_AGAIN),
	STATEMENT(SQL_NOTE_ENDED_CAMPAIGNS,
		"UPDATE {prefix}campaigns SET ended_ms = ends_ms WHERE ended_ms IS NULL AND ends_ms <= " NOW),
	STATEMENT(SQL_DELETE_OLD_TOKENS, "DELETE FROM {prefix}commit_tokens WHERE created_ms < " NOW " - ? LIMIT ?"),
	STATEMENT(SQL_SELECT_DELETED_LEADS, "SELECT lead_id FROM {prefix}deleted_leads ORDER BY lead_id LIMIT ?"),
	/* found first, because a DELETE with a list may lock the entries of all leads */
	STATEMENT(SQL_SELECT_SCORE_ENTRIES,
		"SELECT lead_id, CAST(reason AS UNSIGNED), ref, round FROM {prefix}score_entries FORCE INDEX (PRIMARY)"
		" WHERE lead_id IN ({list}) LIMIT 1000"),
	STATEMENT(SQL_DELETE_SCORE_ENTRY,
		"DELETE FROM {prefix}score_entries WHERE lead_id = ? AND reason = ? AND ref = ? AND round = ?"),
	STATEMENT(SQL_DELETE_DELETED_LEAD, "DELETE FROM {prefix}deleted_leads WHERE lead_id = ?"),
	/* a rest that is longer than any was written while the clock was wrong */
	STATEMENT(SQL_SELECT_HISTORY_REST,
		"SELECT CAST(value AS SIGNED) > " NOW " AND CAST(value AS SIGNED) <= " NOW " + ? FROM {prefix}installation"
		" WHERE name = 'history_rests_until_ms'"),
	STATEMENT(SQL_SET_HISTORY_REST,
		"INSERT INTO {prefix}installation (name, value) VALUES ('history_rests_until_ms', " NOW " + ?)"
		" ON DUPLICATE KEY UPDATE " TO(value)),
	STATEMENT(SQL_SELECT_HISTORY_DAYS,
		HISTORY_DAYS_OF("0", "deliveries") " UNION ALL " HISTORY_DAYS_OF("1", "attempts") " UNION ALL " HISTORY_DAYS_OF(
		    "2", "events")),
	STATEMENT(SQL_SELECT_FIRST_EVENT, "SELECT MIN(id) FROM {prefix}events WHERE id >= ?"),

	STATEMENT(SQL_COUNT_VERSION_TABLE,
		"SELECT COUNT(*) FROM information_schema.TABLES"
		" WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '{prefix}schema_version'"),
	STATEMENT(SQL_SELECT_SCHEMA_VERSION, "SELECT MAX(version) FROM {prefix}schema_version"),
	STATEMENT(SQL_INSERT_SCHEMA_VERSION,
		"INSERT IGNORE INTO {prefix}schema_version (version, applied_ms) VALUES (?, " NOW ")"),
	STATEMENT(
		SQL_SELECT_SERVER_VERSION, "SELECT VERSION(), @@innodb_flush_log_at_trx_commit, @@max_allowed_packet"),
	STATEMENT(SQL_INSERT_ACCOUNT, "INSERT INTO {prefix}accounts (id, name, created_ms) VALUES (?, ?, " NOW ")"),
	STATEMENT(
		SQL_SELECT_ACCOUNTS, "SELECT id, name, suspended_ms, per_minute, created_ms FROM {prefix}accounts ORDER BY id"),
	STATEMENT(SQL_SELECT_ACCOUNT, "SELECT id FROM {prefix}accounts WHERE id = ?"),
	STATEMENT(SQL_LOCK_ACCOUNT, "SELECT id FROM {prefix}accounts WHERE id = ? FOR UPDATE"),
	STATEMENT(SQL_LOCK_SETTINGS_OF_ACCOUNT,
		"UPDATE {prefix}campaigns c JOIN {prefix}campaign_counters n ON n.campaign_id = c.id"
		" SET n.settings_version = n.settings_version + 1 WHERE c.account_id = ?"),
	STATEMENT(SQL_SUSPEND_ACCOUNT,
		"UPDATE {prefix}accounts SET suspended_ms = IF(?, COALESCE(suspended_ms, " NOW "), NULL) WHERE id = ?"),
	STATEMENT(SQL_LIMIT_ACCOUNT, "UPDATE {prefix}accounts SET per_minute = ? WHERE id = ?"),
	STATEMENT(SQL_INSERT_KEY,
		"INSERT INTO {prefix}api_keys (id, account_id, name, hash, created_ms) VALUES (?, ?, ?, ?, " NOW ")"),
	STATEMENT(SQL_SELECT_KEYS, "SELECT id, account_id, name, created_ms, last_used_ms, revoked_ms FROM "
				       "{prefix}api_keys WHERE account_id = ? "
				       "ORDER BY id"),
	STATEMENT(
		SQL_REVOKE_KEY, "UPDATE {prefix}api_keys SET revoked_ms = COALESCE(revoked_ms, " NOW ") WHERE id = ?"),
	STATEMENT(SQL_INSERT_CAMPAIGN,
		"INSERT INTO {prefix}campaigns (name, ends_ms, jump_start, privacy, require_key, landing_url, "
		"thankyou_url, "
		"status_url, points_signup, points_direct, points_indirect, points_verified, require_verification, "
		"waitlist, "
		"max_per_ip, blocked_email_domains, blocked_referrers, allowed_networks, id, account_id, created_ms) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, " NOW ")"),
	STATEMENT(SQL_INSERT_COUNTERS,
		"INSERT INTO {prefix}campaign_counters (campaign_id, ip_counted_to) VALUES (?, ?)"),
	STATEMENT(SQL_UPDATE_CAMPAIGN,
		"UPDATE {prefix}campaigns SET name = ?, ends_ms = ?, jump_start = ?, privacy = ?, require_key = ?, "
		"landing_url = ?, thankyou_url = ?, status_url = ?, points_signup = ?, points_direct = ?, "
		"points_indirect "
		"= ?, "
		"points_verified = ?, require_verification = ?, waitlist = ?, max_per_ip = ?, blocked_email_domains = "
		"?, "
		"blocked_referrers = ?, allowed_networks = ?, ended_ms = ? WHERE id = ?"),
	/* what was noted is not by command yet */
	STATEMENT(SQL_END_CAMPAIGN,
		"UPDATE {prefix}campaigns SET ended_ms = CASE WHEN ended_ms IS NULL OR ended_ms = ends_ms"
		" THEN " NOW " ELSE ended_ms END WHERE id = ?"),
	STATEMENT(SQL_REOPEN_CAMPAIGN,
		"UPDATE {prefix}campaigns SET ended_ms = NULL, ends_ms = CASE WHEN ends_ms <= " NOW
		" THEN NULL ELSE ends_ms END WHERE id = ?"),
	STATEMENT(SQL_COUNT_ADDRESSES,
		"INSERT INTO {prefix}ip_leads (campaign_id, ip, leads) SELECT campaign_id, ip, COUNT(*)"
		" FROM {prefix}leads FORCE INDEX (by_number) WHERE campaign_id = ? AND subscription_number > ?"
		" AND subscription_number <= ? AND ip IS NOT NULL GROUP BY ip"
		" ON DUPLICATE KEY UPDATE leads = leads + VALUES(leads)"),
	STATEMENT(SQL_DELETE_ADDRESSES, "DELETE FROM {prefix}ip_leads WHERE campaign_id = ? LIMIT ?"),
	STATEMENT(SQL_MOVE_COUNTED_ADDRESSES,
		"UPDATE {prefix}campaign_counters SET ip_counted_to = ? WHERE campaign_id = ? AND ip_counted_to = ?"),
	STATEMENT(SQL_SELECT_UNCOUNTED_ADDRESSES,
		"SELECT c.id, c.max_per_ip, n.ip_counted_to, n.last_subscription_number FROM {prefix}campaigns c"
		" JOIN {prefix}campaign_counters n ON n.campaign_id = c.id WHERE c.max_per_ip > 0"
		" AND n.ip_counted_to < 4294967295 ORDER BY c.id"),
	STATEMENT(SQL_INSERT_TAG,
		"INSERT INTO {prefix}tags (name, description, points, id, campaign_id) VALUES (?, ?, ?, ?, ?)"),
	STATEMENT(SQL_INSERT_ACTION,
		"INSERT INTO {prefix}actions (text, points, tag_id, id, campaign_id) VALUES (?, ?, ?, ?, ?)"),
	STATEMENT(SQL_INSERT_REWARD,
		"INSERT INTO {prefix}reward_levels (subject, required_points, emailed, id, campaign_id)"
		" VALUES (?, ?, ?, ?, ?)"),
	STATEMENT(SQL_UPDATE_TAG, "UPDATE {prefix}tags SET name = ?, description = ?, points = ? WHERE id = ?"),
	STATEMENT(SQL_UPDATE_ACTION, "UPDATE {prefix}actions SET text = ?, points = ?, tag_id = ? WHERE id = ?"),
	STATEMENT(SQL_UPDATE_REWARD,
		"UPDATE {prefix}reward_levels SET subject = ?, required_points = ?, emailed = ? WHERE id = ?"),
	STATEMENT(SQL_DELETE_TAG, "DELETE FROM {prefix}tags WHERE id = ?"),
	STATEMENT(SQL_DELETE_ACTION, "DELETE FROM {prefix}actions WHERE id = ?"),
	STATEMENT(SQL_DELETE_REWARD, "DELETE FROM {prefix}reward_levels WHERE id = ?"),
	STATEMENT(SQL_SELECT_CAMPAIGN_OF_TAG, "SELECT campaign_id FROM {prefix}tags WHERE id = ?"),
	STATEMENT(SQL_SELECT_CAMPAIGN_OF_ACTION, "SELECT campaign_id FROM {prefix}actions WHERE id = ?"),
	STATEMENT(SQL_SELECT_CAMPAIGN_OF_REWARD, "SELECT campaign_id FROM {prefix}reward_levels WHERE id = ?"),
	/* each part in the order of its index, so that it reads no more than its limit */
	STATEMENT(SQL_SELECT_DELIVERY_IDS,
		IDS_OF_ENDED("by_state", "state = 'delivered'") " UNION " IDS_OF_ENDED(
		    "by_state", "state = 'failed'") " UNION " IDS_OF_DUE("PRIMARY", "") " ORDER BY id DESC LIMIT ?"),
	/* what one webhook has pending is read as a whole, from the index alone */
	STATEMENT(SQL_SELECT_DELIVERY_IDS_OF_WEBHOOK,
		IDS_OF_ENDED("by_webhook", "webhook_id = ? AND state = 'delivered'") " UNION " IDS_OF_ENDED(
		    "by_webhook", "webhook_id = ? AND state = 'failed'") " UNION " IDS_OF_DUE("by_webhook",
		    "shard = ? AND webhook_id = ? AND ") " ORDER BY id DESC LIMIT ?"),
	STATEMENT(SQL_SELECT_EVENT_IDS_OF_LEAD,
		"SELECT id, deliveries FROM {prefix}events FORCE INDEX (by_lead) WHERE lead_id = (SELECT id FROM "
		"{prefix}leads"
		" WHERE social_id = ?) AND id >= ? AND id < ? ORDER BY id DESC LIMIT ?"),
	STATEMENT(SQL_SELECT_DELIVERIES, SELECT_DELIVERIES("")),
	STATEMENT(SQL_SELECT_DELIVERY,
		SELECT_DELIVERIES(", e.campaign_id, e.payload, w.url")),
	STATEMENT(SQL_SELECT_ATTEMPTS,
		"SELECT attempt, started_ms, duration_ms, status, error, answer FROM {prefix}attempts WHERE delivery_id = ?"
		" ORDER BY attempt"),
	/* here too the primary key is forced, and nothing but these rows is locked */
	STATEMENT(SQL_LOCK_PENDING, "SELECT t.id, " SENDABLE ", t.token IS NOT NULL AND t.due_ms > " NOW " FROM {prefix}due t FORCE INDEX (PRIMARY)"
					" WHERE t.id IN ({list}) ORDER BY t.id FOR UPDATE"),
	STATEMENT(SQL_LOCK_ENDED, "SELECT t.id, " SENDABLE ", t.event_id, t.webhook_id, t.format, t.attempts, t.last_status, "
				      "t.last_error, " NOW " FROM {prefix}deliveries t FORCE INDEX (PRIMARY)"
				      " WHERE t.id IN ({list}) ORDER BY t.id FOR UPDATE"),
	STATEMENT(SQL_HURRY_DUE, "UPDATE {prefix}due FORCE INDEX (PRIMARY) SET due_ms = LEAST(due_ms, " NOW
				     "), attempts_before = attempts, token = NULL WHERE (token IS NULL OR due_ms <= " NOW ") AND id IN ({list})"),
	STATEMENT(SQL_SEND_AGAIN,
		"INSERT INTO {prefix}due (id, event_id, shard, webhook_id, format, due_ms, attempts, attempts_before, "
		"last_status, last_error) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	STATEMENT(SQL_COUNT_ROWS,
		"SELECT (SELECT COUNT(*) FROM {prefix}accounts), (SELECT COUNT(*) FROM {prefix}campaigns), "
		"(SELECT CAST(COALESCE(SUM(lead_count), 0) AS UNSIGNED) FROM {prefix}campaign_counters), "
		"(SELECT COUNT(*) FROM {prefix}webhooks), (SELECT COUNT(*) FROM {prefix}bulk_jobs), "
		"(SELECT MIN(created_ms) FROM {prefix}bulk_jobs), " NOW ", "
		"(SELECT COUNT(s.failing_since_ms)" FROM_WEBHOOKS " WHERE w.state = 'active'), "
		"(SELECT COUNT(*) FROM {prefix}webhooks WHERE state <> 'active'), "
		"(SELECT MAX(lease_until_ms) FROM {prefix}dispatch_shards WHERE owner IS NOT NULL AND lease_until_ms > " NOW
		")"),
	/* ready_ms: since when, or from when on, a dispatcher may take it; NULL: nobody knows */
	STATEMENT(SQL_COUNT_DUE,
		"SELECT COUNT(CASE WHEN ready_ms <= ? THEN 1 END), COUNT(CASE WHEN ready_ms <= ? THEN NULL ELSE 1 END),"
		" MIN(ready_ms) FROM (SELECT CASE"
		" WHEN w.state = 'active' THEN GREATEST(u.due_ms, COALESCE(s.hold_until_ms, 0))"
		" WHEN w.state = 'disabled' THEN NULL"
		" WHEN u.token IS NULL THEN LEAST(u.due_ms, CAST(? AS SIGNED)) ELSE u.due_ms END AS ready_ms"
		" FROM {prefix}due u LEFT JOIN {prefix}webhooks w ON w.id = u.webhook_id"
		" LEFT JOIN {prefix}webhook_status s ON s.webhook_id = u.webhook_id) r"),
	STATEMENT(SQL_DEEP_COUNTERS, DEEP_COUNTERS),
	STATEMENT(SQL_DEEP_SCORES, DEEP_SCORES),
	STATEMENT(SQL_DEEP_HISTOGRAM, DEEP_HISTOGRAM),
	STATEMENT(SQL_DEEP_REFERRALS, DEEP_REFERRALS),
	STATEMENT(SQL_DEEP_CREDIT, DEEP_CREDIT),
	STATEMENT(SQL_DEEP_LINKS, DEEP_LINKS),
	STATEMENT(SQL_DEEP_ADDRESSES, DEEP_ADDRESSES),
	STATEMENT(SQL_DEEP_DUE, DEEP_DUE),
	STATEMENT(SQL_DEEP_DELIVERIES, DEEP_DELIVERIES),
	STATEMENT(SQL_DEEP_EVENTS, DEEP_EVENTS),
	STATEMENT(SQL_DEEP_ENTRIES, DEEP_ENTRIES),
	STATEMENT(SQL_DEEP_DELETED, DEEP_DELETED),
	STATEMENT(SQL_DEEP_ORPHANS, DEEP_ORPHANS),
};
