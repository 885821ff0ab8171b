/* SPDX-License-Identifier: MIT */
#include "store/operator/installation_check.h"

#include <inttypes.h>

#include "os/clock.h"
#include "store/operator/check_findings.h"
#include "store/operator/cluster_numbers.h"
#include "store/operator/database_nodes.h"
#include "store/operator/operator_status.h"
#include "store/operator/recount.h"
#include "store/operator/sealing.h"
#include "store/operator/upgrade.h"
#include "store/query.h"
#include "store/queue/partitions.h"
#include "store/schema.h"
#include "store/state.h"
#include "store/statements.h"

/* The account, whose name may contain a "@". */
#define OWN_HOST "SUBSTRING_INDEX(CURRENT_USER(), '@', -1)"
#define OWN_NAME "LEFT(CURRENT_USER(), CHAR_LENGTH(CURRENT_USER()) - CHAR_LENGTH(" OWN_HOST ") - 1)"
/* "name"@"host", as statements write it. */
#define ACCOUNT "CONCAT('\"', " OWN_NAME ", '\"@\"', " OWN_HOST ", '\"')"

DB_STATEMENT(sql_select_server_version,
    "SELECT VERSION(), @@innodb_flush_log_at_trx_commit, @@max_allowed_packet, CAST(@@max_connections AS SIGNED),"
    " CAST(@@max_user_connections AS SIGNED), CAST(@@log_bin AS SIGNED), CAST(@@sync_binlog AS SIGNED), @@datadir, " NOW
    ", " ACCOUNT ", @@socket");
/* The rights of the account itself. The rights of a role are not listed for every account. */
DB_STATEMENT(sql_select_rights, "SELECT CURRENT_ROLE(), GROUP_CONCAT(DISTINCT r.PRIVILEGE_TYPE), " ACCOUNT
				" FROM (SELECT GRANTEE, PRIVILEGE_TYPE FROM information_schema.USER_PRIVILEGES"
				"   UNION ALL SELECT GRANTEE, PRIVILEGE_TYPE FROM information_schema.SCHEMA_PRIVILEGES"
				"     WHERE DATABASE() LIKE TABLE_SCHEMA) r"
				" WHERE r.GRANTEE = CONCAT('''', " OWN_NAME ", '''@''', " OWN_HOST ", '''')");
DB_STATEMENT(sql_select_uncounted_addresses, "SELECT c.id, c.max_per_ip, n.ip_counted_to, n.last_subscription_number"
					     " FROM {prefix}campaigns c"
					     " JOIN {prefix}campaign_counters n ON n.campaign_id = c.id"
					     " WHERE c.max_per_ip > 0 AND n.ip_counted_to < 4294967295"
					     " ORDER BY c.id");

/* MariaDB 10.6 is the oldest version with the features used. */
static bool
version_is_enough(struct slice version)
{
	struct slice rest = version, major, minor;
	uint64_t a = 0, b = 0;
	return slice_next(&rest, '.', &major) && slice_next(&rest, '.', &minor) && slice_to_u64(major, 1000, &a) &&
	       slice_to_u64(minor, 1000, &b) && (a > 10 || (a == 10 && b >= 6));
}

/* Over TCP without a verified certificate, another program could pose as the server and receive all leads. On this host,
 * database.tls = off accepts that. */
static void
check_peer(struct store *store, struct check_findings *check)
{
	const char *tls = store->options.tls;
	enum db_peer peer = db_peer(store->db);
	if (peer == DB_PEER_REMOTE)
		check_add(check, "database_tls", SLICE("the connection to another host is not verified by TLS"),
		    "set database.tls to verify: otherwise leads can be read and changed on the way");
	else if (peer == DB_PEER_LOOPBACK && (tls == NULL || *tls == '\0'))
		check_add(check, "database_tls",
		    SLICE("TCP to this host without TLS: while the server is down, any local account can listen on its port"),
		    "use database.socket, or set database.tls to verify; to off where there are no other accounts");
}

/* Columns of sql_select_server_version. */
enum {
	SERVER_VERSION,
	FLUSH,
	PACKET,
	CONNECTIONS,
	USER_CONNECTIONS,
	HAS_BINLOG,
	SYNC_BINLOG,
	DATA,
	NOW_MS,
	OWN_ACCOUNT,
	SOCKET
};
enum { SKEW_MAX_MS = 1000 };
enum { PACKET_MIN = 1024 * 1024 /* twice the maximum of a statement in batch_write.c */ };

/* What to change: the server's setting, or the number of workers. */
static const char *
connections_hint(
    struct check_findings *check, const struct connection_needs *needs, const char *variable, int64_t allowed, unsigned all)
{
	const int64_t left = allowed - (all - needs->workers * needs->per_worker), workers = left / needs->per_worker;
	if (needs->workers == 0 || workers < 1)
		return pool_printf(check->pool, "raise %s to %u", variable, all).data;
	return pool_printf(check->pool, "raise %s to %u, or set server.workers to %" PRId64, variable, all, workers).data;
}

/* max_user_connections is the limit of this account, or the server's limit for each account; 0: none. */
static void
check_connections(struct check_findings *check, const struct db_rows *server, const struct connection_needs *needs)
{
	const int64_t connections = db_get_i64(server, 0, CONNECTIONS);
	const int64_t of_user = db_get_i64(server, 0, USER_CONNECTIONS);
	const bool user_decides = of_user > 0 && of_user < connections;
	const char *variable = user_decides ? "max_user_connections" : "max_connections";
	const int64_t allowed = user_decides ? of_user : connections;
	const unsigned workers = needs->workers == 0 ? 1 : needs->workers * needs->per_worker;
	const unsigned all = workers + needs->committer + needs->dispatcher + needs->mailer + needs->texter + needs->command;
	if (allowed >= all)
		return;
	check_add(check, "connection_limit",
	    pool_printf(check->pool,
		"the programs need up to %u connections (workers %u, committer %u, dispatcher %u, mailer %u, texter %u,"
		" leadhook %u), %s is %" PRId64,
		all, workers, needs->committer, needs->dispatcher, needs->mailer, needs->texter, needs->command, variable,
		allowed),
	    connections_hint(check, needs, variable, allowed, all));
}

/* Leases and due times use the server's clock: with another clock, shards are taken too early or too late. */
static void
check_clock(struct check_findings *check, int64_t server_ms, int64_t before_ms, int64_t after_ms)
{
	int64_t skew_ms = server_ms < before_ms ? server_ms - before_ms : server_ms > after_ms ? server_ms - after_ms : 0;
	if (skew_ms > SKEW_MAX_MS || skew_ms < -SKEW_MAX_MS)
		check_add(check, "clock",
		    pool_printf(check->pool, "the time of the database is %" PRId64 " ms %s than that of this host",
			skew_ms < 0 ? -skew_ms : skew_ms, skew_ms < 0 ? "earlier" : "later"),
		    "run NTP on all nodes and hosts: leases of dispatchers are times of the database's clock");
}

/* With a binary log, a commit is on disk as soon as that log is: the storage engine relies on it for recovery. */
static void
check_durability(struct check_findings *check, const struct db_rows *server)
{
	if (db_get_i64(server, 0, FLUSH) != 1)
		check_add(check, "durability",
		    pool_printf(check->pool, "innodb_flush_log_at_trx_commit is %" PRId64, db_get_i64(server, 0, FLUSH)),
		    "set it to 1: otherwise a power failure loses sign-ups that were answered");
	if (db_get_i64(server, 0, HAS_BINLOG) != 0 && db_get_i64(server, 0, SYNC_BINLOG) != 1)
		check_add(check, "binlog_durability",
		    pool_printf(check->pool, "sync_binlog is %" PRId64 ", and the binary log is on",
			db_get_i64(server, 0, SYNC_BINLOG)),
		    "set it to 1: otherwise a power failure loses sign-ups that were answered");
}

static void
check_server(struct store *store, struct check_findings *check, const struct connection_needs *needs)
{
	struct db_rows rows;
	const int64_t before_ms = clock_wall_ms();
	if (store_query(store, check->pool, &rows, &sql_select_server_version) != RESULT_OK) {
		check_add(check, "server_version", slice_of(store_error_text(store)), "see the server's log");
		return;
	}
	check_clock(check, db_get_i64(&rows, 0, NOW_MS), before_ms, clock_wall_ms());
	struct slice version = db_get_bytes(&rows, 0, SERVER_VERSION);
	if (!version_is_enough(version))
		check_add(check, "server_version", version, "MariaDB 10.6 or newer is needed");
	check_durability(check, &rows);
	if (db_get_u64(&rows, 0, PACKET) < PACKET_MIN)
		check_add(check, "packet_size",
		    pool_printf(check->pool, "max_allowed_packet is %" PRIu64, db_get_u64(&rows, 0, PACKET)),
		    "set it to 1M or more: otherwise large statements fail");
	if (needs != NULL)
		check_connections(check, &rows, needs);
}

static bool
list_has(struct slice list, struct slice wanted)
{
	struct slice item;
	while (slice_next(&list, ',', &item))
		if (slice_equal(item, wanted))
			return true;
	return false;
}

/* docs/operating.md 2.1. Returns whether the statements can be checked. */
static bool
check_rights(struct store *store, struct check_findings *check)
{
	enum { ROLE, LIST, GRANTEE };
	static const struct slice wanted[] = { SLICE("SELECT"), SLICE("INSERT"), SLICE("UPDATE"), SLICE("DELETE"),
		SLICE("CREATE"), SLICE("ALTER"), SLICE("INDEX"), SLICE("DROP") };
	struct db_rows rows;
	struct slice missing = SLICE_NONE;
	if (store_query(store, check->pool, &rows, &sql_select_rights) != RESULT_OK) {
		check_add(check, "rights", slice_of(store_error_text(store)), "see the server's log");
		return false;
	}
	if (slice_present(db_get_bytes(&rows, 0, ROLE)))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		if (!list_has(db_get_bytes(&rows, 0, LIST), wanted[i]))
			missing = pool_printf(check->pool, "%.*s%s%.*s", SLICE_ARGS(missing), missing.size > 0 ? ", " : "",
			    SLICE_ARGS(wanted[i]));
	if (missing.size > 0)
		check_add(check, "rights", pool_printf(check->pool, "the account lacks %.*s", SLICE_ARGS(missing)),
		    pool_printf(check->pool, "GRANT %.*s ON `%s`.* TO %.*s", SLICE_ARGS(missing), store->options.database,
			SLICE_ARGS(db_get_bytes(&rows, 0, GRANTEE)))
			.data);
	return missing.size == 0;
}

/* Returns whether the other checks can run. */
static bool
check_schema(struct store *store, struct check_findings *check)
{
	uint32_t found;
	const char *failed;
	enum result result = store_ready(store, &found);
	if (result == RESULT_WRONG_SCHEMA)
		check_add(check, "schema_version",
		    pool_printf(check->pool, "the database has version %" PRIu32 ", this program needs %" PRIu32, found,
			store_schema_wanted()),
		    store_schema_hint(found));
	else if (result != RESULT_OK)
		check_add(check, "schema_version", slice_of(store_error_text(store)), "see the server's log");
	else if (!check_rights(store, check))
		return false;
	else if (store_check_statements(store, &failed) != RESULT_OK)
		check_add(check, "statements", pool_printf(check->pool, "%s: %s", failed, store_error_text(store)),
		    "grant the rights that the manual lists");
	else
		return true;
	return false;
}

/* Campaigns for which a `campaign set` was killed or is under way. */
static enum result
check_addresses(struct store *store, struct check_findings *check)
{
	enum { ID, MAX_PER_IP, COUNTED_TO, LAST_NUMBER };
	struct db_rows rows;
	const enum result result = store_query(store, check->pool, &rows, &sql_select_uncounted_addresses);
	for (size_t i = 0; result == RESULT_OK && i < rows.count; i++) {
		uint64_t id = db_get_u64(&rows, i, ID);
		check_add(check, "addresses_counted",
		    pool_printf(check->pool,
			"campaign %" PRIu64 " is counted up to lead %" PRIu64 " of %" PRIu64 ": max_per_ip is not applied yet",
			id, db_get_u64(&rows, i, COUNTED_TO), db_get_u64(&rows, i, LAST_NUMBER)),
		    pool_printf(check->pool,
			"run leadhook campaign set %" PRIu64 " max_per_ip=%" PRIu64 ", unless that is under way", id,
			db_get_u64(&rows, i, MAX_PER_IP))
			.data);
	}
	return result;
}

enum { LATE_DAYS = 2 /* extra days before a finding: deliveries may be under way, or a reader may delay the drop */ };

static enum result
check_days(struct store *store, struct check_findings *check)
{
	static const char hint[] = "run leadhook-dispatch; when it runs, look for history_days_failed in its log";
	struct history_days days;
	uint64_t first = HISTORY_NO_DAY, last = HISTORY_NO_DAY;
	const enum result result = store_read_days(store, check->pool, &days);
	if (result != RESULT_OK)
		return result;
	for (size_t i = 0; i < HISTORY_TABLES; i++) {
		uint64_t made_to = days.last[i] == HISTORY_NO_DAY ? 0 : days.last[i];
		last = made_to < last ? made_to : last;
		first = days.first[i] < first ? days.first[i] : first;
	}
	/* partitions of a new day are made within minutes, or with the next run */
	if (last < days.today + HISTORY_AHEAD_DAYS - 1)
		check_add(check, "partitions",
		    pool_printf(check->pool, "the history has no partitions for the days from %s on",
			store_day_text(check->pool, last < days.today ? days.today : last + 1)),
		    "run leadhook-dispatch, or leadhook upgrade: days without a partition cannot be dropped separately");
	if (first != HISTORY_NO_DAY && first + LATE_DAYS < days.retained_from)
		check_add(check, "retention",
		    pool_printf(check->pool, "the history still has %s; dispatch.retention begins at %s",
			store_day_text(check->pool, first), store_day_text(check->pool, days.retained_from)),
		    hint);
	return RESULT_OK;
}

/* The dispatcher takes over what a command has left within minutes. */
static enum result
check_removals(struct store *store, struct check_findings *check)
{
	struct unfinished_removals unfinished;
	const enum result result = store_count_removals(store, check->pool, &unfinished);
	if (unfinished.late > 0)
		check_add(check, "removals",
		    pool_printf(check->pool,
			"%" PRIu64 " erasures of people or removals of campaigns are unfinished for an hour", unfinished.late),
		    "run leadhook-dispatch; when it runs, look for erasure_failed and removal_failed in its log");
	return result;
}

static enum result
check_secrets(struct store *store, struct check_findings *check)
{
	struct secret_counts counts;
	const enum result result = store_count_secrets(store, check->pool, &counts);
	if (result == RESULT_OK && counts.unreadable > 0)
		check_add(check, "secrets_key",
		    pool_printf(check->pool, "%" PRIu64 " secrets cannot be opened; the first: %.*s", counts.unreadable,
			SLICE_ARGS(counts.first_unreadable)),
		    "add the key that they were sealed with to server.secrets_key");
	return result;
}

/* Checks of a schema that fits. A check that cannot be carried out is a finding. */
static const struct {
	const char *what;
	enum result (*run)(struct store *store, struct check_findings *check);
} checks[] = {
	{ "cluster_number", check_number },
	{ "addresses_counted", check_addresses },
	{ "partitions", check_days },
	{ "removals", check_removals },
	{ "secrets_key", check_secrets },
};

void
store_check(struct store *store, struct pool *pool, const struct connection_needs *needs, enum check_depth depth,
    struct finding **findings, size_t *count)
{
	struct check_findings check = { .pool = pool };
	if (db_connect(store->db) != RESULT_OK) {
		const char *hint = db_error_hint(store->db);
		check_add(&check, "connection", slice_of(store_error_text(store)),
		    hint == NULL ? "check the [database] section and that the server runs" : hint);
	} else {
		check_peer(store, &check);
		check_server(store, &check, needs);
		check_cluster(store, &check);
		bool fits = check_schema(store, &check);
		for (size_t i = 0; i < ARRAY_SIZE(checks) && fits; i++)
			if (checks[i].run(store, &check) != RESULT_OK)
				check_add(&check, checks[i].what, slice_of(store_error_text(store)), "see the server's log");
		if (fits && depth == CHECK_DEEP)
			check_deep(store, &check);
	}
	*findings = check.findings;
	*count = check.count;
}

enum result
store_read_server(struct store *store, struct pool *pool, struct server_facts *facts)
{
	struct db_rows rows;
	*facts = (struct server_facts){ .data_folder = SLICE_NONE };
	const enum result result = store_query(store, pool, &rows, &sql_select_server_version);
	if (result != RESULT_OK)
		return result;
	if (db_peer(store->db) == DB_PEER_SOCKET)
		facts->data_folder = db_get_bytes(&rows, 0, DATA);
	if (db_peer(store->db) == DB_PEER_LOOPBACK)
		facts->socket = db_get_bytes(&rows, 0, SOCKET);
	facts->now_ms = db_get_i64(&rows, 0, NOW_MS);
	facts->account = db_get_bytes(&rows, 0, OWN_ACCOUNT);
	return RESULT_OK;
}
