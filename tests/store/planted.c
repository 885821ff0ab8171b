/* SPDX-License-Identifier: MIT */
#include "planted.h"

#include "unit.h"

#include <inttypes.h>

#include "os/clock.h"
#include "private_server.h"
#include "webhook/delivery.h"

enum { FIRST_DAY = 20000 /* of the history */, DAYS = 10, JOBS_OF_CAMPAIGN = 5, FREE_IDS = 1000000000 };

static const struct amounts *there; /* what the tables contain now; NULL: nothing */
static bool analyzed;

static unsigned
lead_count(void)
{
	return there->big + (there->campaigns - 1) * there->small;
}

static unsigned
webhook_count(void)
{
	return there->webhooks + there->campaigns - 1;
}

/* Tables that grow. */
static const char *const tables[] = { "accounts", "actions", "api_keys", "attempts", "audit", "bulk_jobs", "bulk_schedule",
	"campaign_counters", "campaign_texts", "campaigns", "commit_tokens", "confirmations", "deleted_leads", "deliveries",
	"due", "erased_people", "erasures", "events", "inbound_calls", "inbound_status", "inbound_webhooks", "invitations",
	"ip_leads", "lead_codes", "lead_hours", "lead_sources", "leads", "login_attempts", "messages", "operator_jobs",
	"recovery_codes", "referral_links", "removed_campaigns", "request_keys", "reward_levels", "score_entries",
	"score_histogram", "sendings", "sent_codes", "sessions", "tags", "unverified_leads", "used_proofs", "users",
	"webhook_hours", "webhook_status", "webhooks" };
/* Tables that do not grow: kinds, installation records, channels, shards, steps. */
static const char *const fixed_tables[] = { "dispatch_shards", "heartbeats", "id_blocks", "installation", "message_channels",
	"schema_version" };

static void
plant_campaigns(void)
{
	root_run("INSERT INTO t_accounts (id, name, created_ms) SELECT seq, 'Account', 0 FROM seq_1_to_%u", there->accounts);
	root_run("INSERT INTO t_api_keys (id, account_id, name, hash, created_ms) SELECT seq, 1 + seq %% %u, 'Key', "
		 "CONCAT('k', LPAD(seq, 31, '0')), 0 FROM seq_1_to_%u",
	    there->accounts, 3 * there->accounts);
	root_run("INSERT INTO t_campaigns (id, account_id, name, created_ms, ends_ms, max_per_ip, landing_url) "
		 "SELECT seq, 1 + seq %% %u, 'Campaign', 0, IF(seq %% 3 = 0, %" PRId64 ", NULL), seq %% 4 = 0, REPEAT('u', 60) "
		 "FROM seq_1_to_%u",
	    there->accounts, CLOCK_END_MS, there->campaigns);
	root_run("INSERT INTO t_campaign_counters (campaign_id, last_subscription_number, hours_counted_from) SELECT seq, "
		 "IF(seq = 1, %u, %u), 1 FROM seq_1_to_%u",
	    there->big, there->small, there->campaigns);
	root_run(
	    "INSERT INTO t_campaign_texts (campaign_id, name, value) SELECT 1 + seq DIV 4, CONCAT('page.t', seq %% 4), 'text' "
	    "FROM seq_0_to_%u",
	    4 * there->campaigns - 1);
	root_run("INSERT INTO t_tags (id, campaign_id, name) SELECT seq, 1 + seq DIV 4, CONCAT('tag', seq) FROM seq_1_to_%u",
	    3 * there->campaigns);
	root_run("INSERT INTO t_actions (id, campaign_id, text) SELECT seq, 1 + seq DIV 4, 'action' FROM seq_1_to_%u",
	    3 * there->campaigns);
	root_run("INSERT INTO t_reward_levels (id, campaign_id, subject, required_points) SELECT seq, 1 + seq DIV 4, 'mug', 5 "
		 "FROM seq_1_to_%u",
	    3 * there->campaigns);
}

static void
plant_webhooks(void)
{
	root_run("INSERT INTO t_webhooks (id, campaign_id, url, url_hash, events, secret, created_ms) SELECT seq, "
		 "IF(seq <= %u, 1, seq - %u), REPEAT('u', 60), CONCAT('h', LPAD(seq, 31, '0')), 4095, REPEAT('s', 38), 0 "
		 "FROM seq_1_to_%u",
	    there->webhooks, there->webhooks - 1, webhook_count());
	root_run("INSERT INTO t_webhook_hours (webhook_id, hour, attempts) SELECT id, seq, 1 FROM t_webhooks JOIN seq_1_to_10");
	root_run("INSERT INTO t_webhook_status (webhook_id, failing_since_ms) SELECT id, 1 FROM t_webhooks");
	root_run(
	    "INSERT INTO t_inbound_webhooks (id, campaign_id, name, token_hash, previous_hash, previous_until_ms, created_ms) "
	    "SELECT seq, IF(seq <= 20, 1, seq - 19), CONCAT('k', LPAD(seq, 31, '0')), CONCAT('k', LPAD(seq, 31, '0')), "
	    "CONCAT('h', LPAD(seq, 31, '0')), %" PRId64 ", 0 FROM seq_1_to_%u",
	    CLOCK_END_MS, there->campaigns);
	root_run("INSERT INTO t_inbound_status (inbound_id) SELECT id FROM t_inbound_webhooks");
	root_run("INSERT INTO t_inbound_calls (id, inbound_id, campaign_id, refused, state, lead_id, size, body, body_hash, "
		 "received_ms, "
		 "ended_ms, expires_ms) SELECT seq, 1 + seq DIV 12, 1, seq %% 2, IF(seq %% 2, 'refused', 'created'), seq, 100, "
		 "REPEAT('b', 100), IF(seq %% 2, CONCAT('e', LPAD(seq, 15, '0')), NULL), seq, seq, %" PRId64
		 " + seq FROM seq_1_to_%u",
	    CLOCK_END_MS, 12 * there->campaigns - 1);
	root_run("INSERT INTO t_bulk_jobs (id, account_id, campaign_id, action, lead_ids, total, delayed_until_ms, created_ms) "
		 "SELECT seq, 1 + seq DIV %d, 1 + seq DIV %d, 'optout', REPEAT('12345,', 100), 100, IF(seq %% 10 = 0, %" PRId64
		 ", 0), 0 FROM seq_1_to_%u",
	    JOBS_OF_CAMPAIGN, JOBS_OF_CAMPAIGN, CLOCK_END_MS, there->jobs);
	root_run(
	    "INSERT INTO t_bulk_schedule (campaign_id, account_id, served_ms) SELECT DISTINCT campaign_id, account_id, 0 FROM "
	    "t_bulk_jobs");
	/* every tenth has not ended */
	root_run("INSERT INTO t_operator_jobs (id, account_id, campaign_id, kind, parameters, made_by, state, turn_ms, "
		 "lease_owner, lease_until_ms, created_ms, ended_ms) SELECT seq, 1 + seq DIV %d, 1 + seq DIV %d, 'mail', "
		 "REPEAT('p', 100), 'x', IF(seq %% 10 = 1, 'running', 'done'), IF(seq %% 10 = 1, seq, NULL), "
		 "IF(seq %% 10 = 1, CONCAT('owner', LPAD(1, 11, '0')), NULL), IF(seq %% 20 = 1, %" PRId64
		 ", 0), seq, IF(seq %% 10 = 1, NULL, IF(seq %% 100 = 0, seq, %" PRId64 "))"
		 " FROM seq_1_to_%u",
	    JOBS_OF_CAMPAIGN, JOBS_OF_CAMPAIGN, CLOCK_END_MS, CLOCK_END_MS, there->jobs);
}

/* Every third lead was referred by the previous one, which was referred, too; every twelfth was deleted. */
static void
plant_leads(void)
{
	root_run(
	    "INSERT INTO t_leads (id, campaign_id, subscription_number, social_id, parent_id, email, email_key, email_hash, "
	    "phone, phone_hash, fraudulent, score, ip, user_agent, custom_fields, created_ms, updated_ms, marked_ms) SELECT "
	    "seq, "
	    "IF(seq <= %u, 1, 2 + (seq - %u - 1) DIV %u), IF(seq <= %u, seq, 1 + (seq - %u - 1) %% %u), "
	    "CONCAT('s', LPAD(seq, 9, '0')), IF(seq %% 3 = 0, seq - 1, NULL), CONCAT('lead', seq, '@example.org'), "
	    "CONCAT('lead', seq, '@example.org'), CONCAT('e', LPAD(seq, 15, '0')), '+14155552671', "
	    "CONCAT('p', LPAD(seq, 15, '0')), seq %% 20 = 0, seq %% 100, CONCAT('10.0.', seq DIV 250, '.', seq %% 250), "
	    "REPEAT('a', 100), REPEAT('f', 100), seq, seq, seq FROM seq_1_to_%u",
	    there->big, there->big, there->small, there->big, there->big, there->small, lead_count());
	root_run("INSERT INTO t_referral_links (lead_id, level, ancestor_id) SELECT id, 1 + n, id - 1 - n FROM t_leads "
		 "JOIN (SELECT 0 AS n UNION SELECT 1) levels WHERE id %% 3 = 0");
	root_run(
	    "INSERT INTO t_score_entries (lead_id, reason, ref, round, delta, requested, created_ms) SELECT id, reason, 0, 0, "
	    "5, 5, 0 FROM t_leads JOIN (SELECT 'signup' AS reason UNION SELECT 'custom') reasons");
	root_run("INSERT INTO t_lead_codes (lead_id, channel, address_hash, code_hash, expires_ms) SELECT id, channel, '', "
		 "CONCAT('k', LPAD(1, 31, '0')), IF(channel = 0 AND id BETWEEN 4 AND 33, id, %" PRId64 ") FROM t_leads "
		 "JOIN (SELECT 0 AS channel UNION SELECT 1) channels",
	    CLOCK_END_MS);
	root_run(
	    "INSERT INTO t_sendings (channel, scope, scope_id, slot, sent) SELECT channel, scope, id, IF(id BETWEEN 4 AND 33, "
	    "id, "
	    "%" PRId64
	    " DIV 300000), 1 FROM t_leads JOIN (SELECT 0 AS channel UNION SELECT 1) channels JOIN (SELECT 1 AS scope UNION "
	    "SELECT 2) scopes",
	    CLOCK_END_MS);
	root_run(
	    "INSERT INTO t_sent_codes (message_id, campaign_id, number_hash, prefix_hash, sent_ms) SELECT id, campaign_id, "
	    "email_hash, email_hash, IF(id %% 500 = 0, %" PRId64 ", id) FROM t_leads",
	    CLOCK_END_MS);
	root_run("INSERT INTO t_unverified_leads (lead_id, campaign_id, requested_ms) SELECT id, campaign_id, IF(id BETWEEN 4 "
		 "AND 33, id, %" PRId64 ") FROM t_leads",
	    CLOCK_END_MS);
	root_run(
	    "INSERT INTO t_confirmations (lead_id, confirmed_ms, channel, address) SELECT id, 1, 'email', 'a' FROM t_leads "
	    "WHERE id %% 3 = 0");
	root_run("INSERT INTO t_used_proofs (nonce, expires_ms) SELECT CONCAT('token', LPAD(id, 11, '0')), "
		 "IF(id BETWEEN 4 AND 33, id, %" PRId64 ") FROM t_leads",
	    CLOCK_END_MS);
	root_run("INSERT INTO t_erased_people (hash, erased_ms) SELECT CONCAT('token', LPAD(id, 11, '0')), 0 FROM t_leads");
	root_run("INSERT INTO t_erasures (id, campaign_id, channel, address, spellings, worked_ms, created_ms) SELECT "
		 "CONCAT('token', LPAD(id, 11, '0')), 1, 'email', 'a', 'a', 0, 0 FROM t_leads WHERE id < 50");
	root_run("INSERT INTO t_removed_campaigns (campaign_id, worked_ms, created_ms) SELECT id, 0, 0 FROM t_campaigns WHERE "
		 "id <= 50");
	root_run("INSERT INTO t_deleted_leads (lead_id) SELECT id FROM t_leads WHERE id %% 12 = 3");
	root_run("INSERT INTO t_ip_leads (campaign_id, ip, leads) SELECT campaign_id, ip, COUNT(*) FROM t_leads GROUP BY 1, 2");
	root_run("INSERT INTO t_lead_hours (campaign_id, hour, source_class, lead_count) SELECT campaign_id, "
		 "subscription_number, 1, 1 FROM t_leads");
	root_run("INSERT INTO t_lead_sources (campaign_id, day, kind, value, signups) SELECT campaign_id, "
		 "subscription_number, seq, CONCAT('v', id %% 7), 1 FROM t_leads JOIN seq_0_to_3");
	root_run("INSERT INTO t_score_histogram (node) SELECT (id << 29) + seq FROM t_campaigns JOIN seq_0_to_15");
	root_run("INSERT INTO t_commit_tokens (token, created_ms) SELECT CONCAT('token', LPAD(id, 11, '0')), IF(id <= 30, id, "
		 "%" PRId64 ") FROM t_leads",
	    CLOCK_END_MS);
}

/* One message for each lead, with its id; every twelfth is pending and leased, as are those of VALUE_LEAD. */
static void
plant_messages(void)
{
	root_run(
	    "INSERT INTO t_messages (id, campaign_id, lead_id, kind, turn, state, created_ms, due_ms, lease_owner, recipient, "
	    "recipient_hash, message_id, content, composed_ms, sent_ms, ended_ms) SELECT id, campaign_id, id, 1, "
	    "IF(id %% 12 = 3, id %% 2, NULL), IF(id %% 12 = 3, 'ready', 'sent'), id, IF(id %% 24 = 3, 0, id), "
	    "IF(id %% 12 = 3, CONCAT('owner', LPAD(1, 11, '0')), NULL), email, email_hash, 'id', REPEAT('c', 100), %" PRId64
	    ", IF(id %% 12 = 3, NULL, IF(id %% 500 = 0, %" PRId64 ", id)), IF(id %% 12 = 3, NULL, id) FROM t_leads",
	    CLOCK_END_MS, CLOCK_END_MS);
}

/* Three users for each account, and three operators; each has two sessions, a link and ten recovery codes. */
static void
plant_users(void)
{
	const unsigned users = 3 * there->accounts;
	root_run(
	    "INSERT INTO t_users (id, account_id, email, name, role, totp_secret, created_ms) SELECT seq, IF(seq BETWEEN 4 AND "
	    "6, NULL, 1 + seq %% %u), CONCAT('k', LPAD(seq, 31, '0')), 'User', IF(seq BETWEEN 4 AND 6, 0, 1), 's', 0 "
	    "FROM seq_1_to_%u",
	    there->accounts, users);
	root_run(
	    "INSERT INTO t_sessions (hash, user_id, created_ms, last_used_ms, confirmed_ms) SELECT CONCAT('k', LPAD(seq, 31, "
	    "'0')), 1 + (seq - 1) DIV 2, IF(seq BETWEEN 4 AND 5, seq, %" PRId64 "), %" PRId64 ", 0 FROM seq_1_to_%u",
	    CLOCK_END_MS, CLOCK_END_MS, 2 * users);
	root_run("INSERT INTO t_invitations (hash, user_id, purpose, created_ms, expires_ms) SELECT CONCAT('k', LPAD(seq, 31, "
		 "'0')), "
		 "seq, 'welcome', 0, IF(seq BETWEEN 4 AND 5, seq, %" PRId64 ") FROM seq_1_to_%u",
	    CLOCK_END_MS, users);
	root_run("INSERT INTO t_recovery_codes (user_id, hash) SELECT 1 + (seq - 1) DIV 10, CONCAT('k', LPAD(seq, 31, '0')) "
		 "FROM seq_1_to_%u",
	    10 * users);
	root_run("INSERT INTO t_login_attempts (hash, failures, until_ms) SELECT CONCAT('k', LPAD(id, 31, '0')), 1, "
		 "IF(id BETWEEN 4 AND 33, id, %" PRId64 ") FROM t_leads",
	    CLOCK_END_MS);
	root_run("INSERT INTO t_request_keys (hash, parameters, object_id, created_ms) SELECT CONCAT('k', LPAD(id, 31, '0')), "
		 "'', id, "
		 "IF(id <= 30, id, %" PRId64 ") FROM t_leads",
	    CLOCK_END_MS);
	root_run("INSERT INTO t_audit (id, created_ms, actor, actor_id, account_id, campaign_id, operation, state) SELECT id, "
		 "IF(id <= 30, id, %" PRId64 "), 'user', 1 + id DIV 40, 1 + id DIV 60, 1 + id DIV 20, 'campaign set', 'begun' "
		 "FROM t_leads",
	    CLOCK_END_MS);
}

/* The ids of the seq-th event and of its only delivery, which has the next id. */
#define DAY "(%d + seq %% %d)"
#define EVENT_ID "(" DAY " << 36) + 2 * seq"
#define HISTORY_ID EVENT_ID " + 1"
#define WEBHOOK "IF(seq <= %u, %u - seq %% %u, 1 + seq %% %u)"
#define WEBHOOK_ARGUMENTS there->due, webhook_count(), there->due_webhooks, webhook_count()

/* The first deliveries are due. Of the others, every hundredth has failed, after an attempt that is in the log. The shards are
 * not those of webhook_shard, but there are as many. */
static void
plant_history(void)
{
	root_run("INSERT INTO t_events (id, campaign_id, lead_id, type, deliveries, created_ms, payload) SELECT " EVENT_ID
		 ", 1, 1 + seq %% %u, 0, 1, " DAY " * 86400000, REPEAT('p', 300) FROM seq_1_to_%u",
	    FIRST_DAY, DAYS, lead_count(), FIRST_DAY, DAYS, there->deliveries);
	root_run(
	    "INSERT INTO t_deliveries (id, event_id, webhook_id, format, state, attempts, last_status, ended_ms, started_ms, "
	    "duration_ms) "
	    "SELECT " HISTORY_ID ", " EVENT_ID ", " WEBHOOK
	    ", 'json', IF(seq %% 100 = 0, 'failed', 'delivered'), 1, 200, 0, IF(seq %% 100 = 0, NULL, 0), 5 FROM seq_%u_to_%u",
	    FIRST_DAY, DAYS, FIRST_DAY, DAYS, WEBHOOK_ARGUMENTS, there->due + 1, there->deliveries);
	root_run("INSERT INTO t_attempts (delivery_id, attempt, started_ms, duration_ms, status) SELECT id, 1, 0, 5, 200 FROM "
		 "t_deliveries WHERE started_ms IS NULL");
	root_run("INSERT INTO t_due (id, event_id, shard, webhook_id, format, due_ms) SELECT " HISTORY_ID ", " EVENT_ID
		 ", " WEBHOOK " %% %d, " WEBHOOK ", 'json', seq FROM seq_1_to_%u",
	    FIRST_DAY, DAYS, FIRST_DAY, DAYS, WEBHOOK_ARGUMENTS, DELIVERY_SHARDS, WEBHOOK_ARGUMENTS, there->due);
	root_run("REPLACE INTO t_installation (name, value) VALUES ('history_rests_until_ms', '0')");
	root_run("REPLACE INTO t_heartbeats (process, owner, host, pid, stays, ended, started_ms, beat_ms, within_ms) "
		 "VALUES ('mail', 'owner00000000001', 'host', 1, FALSE, TRUE, 0, 0, 0)");
	root_run("UPDATE t_dispatch_shards SET owner = 'owner00000000001', lease_until_ms = 1 << 62 WHERE shard %% 3 > 0");
}

static void
analyze(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		root_run("ANALYZE TABLE t_%s", tables[i]);
}

static void
unplant(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		root_run("ALTER TABLE t_%s STATS_AUTO_RECALC = 0", tables[i]);
		root_run("TRUNCATE TABLE t_%s", tables[i]);
	}
	analyze();
	root_run("UPDATE t_id_blocks SET next = %d", FREE_IDS); /* ids for rows that a test adds */
}

void
plant(const struct amounts *amounts, bool with_statistics)
{
	if (there != amounts || (analyzed && !with_statistics)) {
		there = amounts;
		analyzed = false;
		unplant();
		plant_campaigns();
		plant_webhooks();
		plant_leads();
		plant_messages();
		plant_users();
		plant_history();
	}
	if (with_statistics && !analyzed)
		analyze();
	analyzed = with_statistics;
}

static uint64_t
event_id(uint64_t seq)
{
	return ((FIRST_DAY + seq % DAYS) << 36) + 2 * seq;
}

static struct db_value
delivery_value(uint64_t seq)
{
	return DB_U64(event_id(seq) + 1);
}

struct db_value
planted_value(struct pool *pool, enum value_kind kind, size_t i)
{
	const uint64_t lead = 3 + 12 * i, delivery = 1 + i, webhook = webhook_count() - delivery % there->due_webhooks;
	switch (kind) {
	case VALUE_ID:
		return DB_U64(1 + i);
	case VALUE_KEY_HASH:
		return db_bytes(pool_printf(pool, "k%031zu", 1 + i));
	case VALUE_LEAD:
		return DB_U64(lead);
	case VALUE_REFERRER:
		return DB_U64(lead - 1);
	case VALUE_EMAIL:
		return db_bytes(pool_printf(pool, "e%015" PRIu64, lead));
	case VALUE_PHONE:
		return db_bytes(pool_printf(pool, "p%015" PRIu64, lead));
	case VALUE_SOCIAL_ID:
		return db_bytes(pool_printf(pool, "s%09" PRIu64, lead));
	case VALUE_IP:
		return db_bytes(pool_printf(pool, "10.0.%" PRIu64 ".%" PRIu64, lead / 250, lead % 250));
	case VALUE_NODE:
		return DB_U64(((1 + i / 16) << 29) + i % 16);
	case VALUE_DELIVERY:
		return delivery_value(delivery);
	case VALUE_ENDED:
		return delivery_value(there->due + delivery);
	case VALUE_OWNER:
		return db_bytes(pool_printf(pool, "owner%011d", 1));
	case VALUE_COMMIT:
		return db_bytes(pool_printf(pool, "token%011" PRIu64, lead));
	case VALUE_EVENT:
		return DB_U64(event_id(delivery));
	case VALUE_WEBHOOK:
		return DB_U64(webhook);
	case VALUE_SHARD:
		return DB_U64(webhook % DELIVERY_SHARDS);
	case VALUE_URL_HASH:
		return db_bytes(pool_printf(pool, "h%031zu", 1 + i));
	case VALUE_BLOCK:
		return db_bytes(SLICE("lead"));
	case VALUE_INSTALLATION:
		return db_bytes(SLICE("server_secret"));
	case VALUE_TEXT_PREFIX:
		return db_bytes(SLICE("page.%"));
	case VALUE_TEXT:
		return db_bytes(SLICE("page.t1"));
	case VALUE_CHANNEL:
		return db_bytes(SLICE("mail"));
	case VALUE_LANGUAGE:
		return db_bytes(SLICE(""));
	case VALUE_ANY:
		return DB_I64(-1);
	case VALUE_NONE:
		return db_bytes(SLICE_NONE);
	case VALUE_LOWEST:
		return DB_U64(0);
	case VALUE_HIGHEST:
		return DB_U64(UINT64_C(1) << 60);
	case VALUE_TWENTY:
		return DB_U64(20);
	}
	fail_msg("there is no value of the kind %c", (char)kind);
	return DB_NONE;
}

unsigned
planted_tables(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(fixed_tables); i++)
		root_number("SELECT COUNT(*) FROM t_%s", fixed_tables[i]);
	return ARRAY_SIZE(tables) + ARRAY_SIZE(fixed_tables);
}
