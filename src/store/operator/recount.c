/* SPDX-License-Identifier: MIT
 * `leadhook check --deep`: recounts all redundant data from the rows that it is derived from.
 *
 * Sign-ups continue and cause no findings: each check is one statement, which compares within one snapshot of all its tables,
 * at any isolation level. So nothing is locked, and no snapshot is open for longer than a statement. */
#include "store/operator/recount.h"

#include <inttypes.h>

#include "store/operator/check_findings.h"
#include "store/queue/partitions.h"
#include "store/state.h"
#include "store/statements.h"

/* The first few differences as text, and how many there are. The server counts and returns only differences. Whole tables are
 * read in the order of their primary keys: another index would cost a random read for each row. */
/* clang-format off */

#define TOTAL " COUNT(*) OVER () "
#define FEW " LIMIT 5"
/* Whether a stored column differs from its count, and the difference as text. */
#define DIFFERS(column) "t." column " <> COALESCE(k." column ", 0)"
#define DIFFERENCE(column) \
	"IF(" DIFFERS(column) ", CONCAT('" column " is ', t." column ", ', counted ', COALESCE(k." column ", 0)), NULL)"

DB_STATEMENT(sql_deep_counters,
	"SELECT CONCAT('campaign ', t.campaign_id, ' (', CONCAT_WS(', ', "
	DIFFERENCE("lead_count") ", " DIFFERENCE("verified") ", " DIFFERENCE("waitlisted") ", " DIFFERENCE("removed_from_waitlist") ", "
	DIFFERENCE("fraudulent") ", " DIFFERENCE("opted_out") ", " DIFFERENCE("referred") ", "
	"IF(t.last_subscription_number < k.last_number, 'last_subscription_number is too low', NULL)), ')')," TOTAL
	"FROM {prefix}campaign_counters t LEFT JOIN (SELECT campaign_id, COUNT(*) AS lead_count, "
	"SUM(verified_email OR verified_phone) AS verified, SUM(waitlisted) AS waitlisted, "
	"SUM(removed_from_waitlist) AS removed_from_waitlist, SUM(fraudulent) AS fraudulent, SUM(opted_out) AS opted_out, "
	"COUNT(parent_id) AS referred, MAX(subscription_number) AS last_number "
	"FROM {prefix}leads USE INDEX () GROUP BY campaign_id) k ON k.campaign_id = t.campaign_id WHERE "
	DIFFERS("lead_count") " OR " DIFFERS("verified") " OR " DIFFERS("waitlisted") " OR "
	DIFFERS("removed_from_waitlist") " OR " DIFFERS("fraudulent") " OR " DIFFERS("opted_out") " OR "
	DIFFERS("referred") " OR t.last_subscription_number < k.last_number ORDER BY t.campaign_id" FEW);

/* During a rebuild: the leads that have been counted so far. Nothing while the rows are being cleared. */
#define COUNTED_BY_HOUR "hours_counted_from < 4294967295"
#define NEGATIVE_COUNTER(type, column, member) ", -h." #column
#define COUNTER_DIFFERS(type, column, member) " OR SUM(p." #column ") <> 0"
DB_STATEMENT(sql_deep_hours,
	"SELECT CONCAT('campaign ', d.campaign_id, ' (', COUNT(*), ' rows)')," TOTAL
	"FROM (SELECT p.campaign_id FROM (SELECT l.campaign_id, l.created_ms DIV 3600000 AS hour, l.source_class AS class"
	COUNTED_LEADS " FROM {prefix}leads l USE INDEX () JOIN {prefix}campaign_counters n ON n.campaign_id = l.campaign_id "
	"WHERE " COUNTED_BY_HOUR " AND l.subscription_number >= n.hours_counted_from GROUP BY " LEAD_HOUR
	" UNION ALL SELECT h.campaign_id, h.hour, h.source_class" CAMPAIGN_COUNTERS(NEGATIVE_COUNTER)
	" FROM {prefix}lead_hours h JOIN {prefix}campaign_counters n ON n.campaign_id = h.campaign_id "
	"WHERE " COUNTED_BY_HOUR ") p GROUP BY p.campaign_id, p.hour, p.class HAVING FALSE" CAMPAIGN_COUNTERS(COUNTER_DIFFERS) ") d "
	"GROUP BY d.campaign_id ORDER BY d.campaign_id" FEW);

/* The sums over all hours, as campaign_counters contains them. */
DB_STATEMENT(sql_deep_referral_sums,
	"SELECT CONCAT('campaign ', t.campaign_id, ' (', CONCAT_WS(', ', "
	DIFFERENCE("referred_verified") ", " DIFFERENCE("referrers") "), ')')," TOTAL
	"FROM {prefix}campaign_counters t LEFT JOIN (SELECT campaign_id, SUM(referred_verified) AS referred_verified, "
	"SUM(referrers) AS referrers FROM {prefix}lead_hours GROUP BY campaign_id) k ON k.campaign_id = t.campaign_id "
	"WHERE " COUNTED_BY_HOUR " AND ("
	DIFFERS("referred_verified") " OR " DIFFERS("referrers") ") ORDER BY t.campaign_id" FEW);

/* The rows of a removed campaign are deleted piece by piece (store/removal): until then they are inconsistent, which is not a
 * defect. */
#define IS_NOT_REMOVED(campaign) "NOT EXISTS (SELECT * FROM {prefix}removed_campaigns z WHERE z.campaign_id = " campaign ")"

DB_STATEMENT(sql_deep_scores,
	"SELECT CONCAT('lead ', s.id, ' (score is ', s.score, ', entries make ', s.booked, ')')," TOTAL
	"FROM (SELECT l.id, l.score, (SELECT COALESCE(SUM(e.delta), 0) FROM {prefix}score_entries e "
	"WHERE e.lead_id = l.id) AS booked FROM {prefix}leads l USE INDEX () WHERE " IS_NOT_REMOVED("l.campaign_id") ") s WHERE s.score <> s.booked ORDER BY s.id" FEW);

/* The layout of engine/rank.c: the first node of each level, and the bits by which scores are shifted for node and bucket. */
#define RANK_TREE \
	"(SELECT 0 AS first_node, 32 AS above, 28 AS below UNION ALL SELECT 1, 28, 24 UNION ALL SELECT 17, 24, 20 " \
	"UNION ALL SELECT 273, 20, 16 UNION ALL SELECT 4369, 16, 12 UNION ALL SELECT 69905, 12, 8 " \
	"UNION ALL SELECT 1118481, 8, 4 UNION ALL SELECT 17895697, 4, 0)"
#define RANK_BUCKET_NUMBERS \
	"(SELECT 0 AS bucket UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 " \
	"UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9 UNION ALL SELECT 10 UNION ALL SELECT 11 " \
	"UNION ALL SELECT 12 UNION ALL SELECT 13 UNION ALL SELECT 14 UNION ALL SELECT 15)"
DB_STATEMENT(sql_deep_histogram,
	"SELECT CONCAT('campaign ', d.campaign_id, ' (', COUNT(*), ' places)')," TOTAL
	"FROM (SELECT p.node >> 29 AS campaign_id FROM "
	"(SELECT (s.campaign_id << 29) + k.first_node + (s.score >> k.above) AS node, "
	"(s.score >> k.below) & 15 AS bucket, s.leads FROM "
	"(SELECT campaign_id, score_order ^ 4294967295 AS score, COUNT(*) AS leads FROM {prefix}leads "
	"WHERE fraudulent = 0 AND score_order < 4294967295 GROUP BY campaign_id, fraudulent, score_order) s JOIN " RANK_TREE " k "
	"UNION ALL SELECT h.node, n.bucket, -ELT(n.bucket + 1, " RANK_BUCKET_COLUMNS ") FROM {prefix}score_histogram h JOIN "
	RANK_BUCKET_NUMBERS " n) p "
	"GROUP BY p.node, p.bucket HAVING SUM(p.leads) <> 0) d WHERE " IS_NOT_REMOVED("d.campaign_id") " GROUP BY d.campaign_id ORDER BY d.campaign_id" FEW);

DB_STATEMENT(sql_deep_referrals,
	"SELECT CONCAT('lead ', t.id, ' (', CONCAT_WS(', ', "
	DIFFERENCE("referrals") ", " DIFFERENCE("unverified_direct") ", " DIFFERENCE("unverified_indirect") ", "
	DIFFERENCE("verified_direct") ", " DIFFERENCE("verified_indirect") "), ')')," TOTAL
	"FROM {prefix}leads t USE INDEX () LEFT JOIN (SELECT ancestor_id, SUM(level = 1 AND counts) AS referrals, "
	"SUM(level = 1 AND counted = 'unverified') AS unverified_direct, "
	"SUM(level > 1 AND counted = 'unverified') AS unverified_indirect, "
	"SUM(level = 1 AND counted = 'verified') AS verified_direct, "
	"SUM(level > 1 AND counted = 'verified') AS verified_indirect "
	"FROM {prefix}referral_links GROUP BY ancestor_id) k ON k.ancestor_id = t.id WHERE ("
	DIFFERS("referrals") " OR " DIFFERS("unverified_direct") " OR " DIFFERS("unverified_indirect") " OR "
	DIFFERS("verified_direct") " OR " DIFFERS("verified_indirect") ") AND " IS_NOT_REMOVED("t.campaign_id") " ORDER BY t.id" FEW);

/* Each reason separately, so that the whole key is used: a lead may have referred a hundred thousand. */
#define BOOKED(reason) \
	"(SELECT COALESCE(SUM(e.delta), 0) FROM {prefix}score_entries e WHERE e.lead_id = k.ancestor_id " \
	"AND e.reason = '" reason "' AND e.ref = k.lead_id)"
DB_STATEMENT(sql_deep_credit,
	"SELECT CONCAT('lead ', c.ancestor_id, ' by lead ', c.lead_id, ' (credit is ', c.credit, ', entries make ', "
	"c.booked, ')')," TOTAL "FROM (SELECT k.ancestor_id, k.lead_id, k.credit, " BOOKED("referral") " + "
	BOOKED("verified") " + " BOOKED("fraud") " + " BOOKED("approve") " AS booked FROM {prefix}referral_links k "
	"STRAIGHT_JOIN {prefix}leads a ON a.id = k.ancestor_id WHERE " IS_NOT_REMOVED("a.campaign_id") ") c WHERE c.credit <> c.booked "
	"ORDER BY c.ancestor_id, c.lead_id" FEW);

/* Only for existing direct referrers: further up, a deleted lead may have cut the chain. */
DB_STATEMENT(sql_deep_links,
	"SELECT CONCAT('lead ', l.id, IF(k.lead_id IS NULL, ' (is not linked to its referrer)', ' (is not counted as it is)')),"
	TOTAL "FROM {prefix}leads l USE INDEX () LEFT JOIN {prefix}referral_links k ON k.lead_id = l.id AND k.level = 1 "
	"LEFT JOIN {prefix}leads p ON p.id = k.ancestor_id WHERE l.parent_id IS NOT NULL AND (k.lead_id IS NULL OR "
	"(p.id IS NOT NULL AND k.counted <> CASE WHEN l.fraudulent THEN 'no' WHEN l.verified_email OR l.verified_phone "
	"THEN 'verified' ELSE 'unverified' END)) AND " IS_NOT_REMOVED("l.campaign_id") " ORDER BY l.id" FEW);

DB_STATEMENT(sql_deep_addresses,
	"SELECT CONCAT('campaign ', d.campaign_id, ' (', COUNT(*), ' addresses)')," TOTAL
	"FROM (SELECT p.campaign_id FROM (SELECT l.campaign_id, " CALLER_NETWORK " AS ip, COUNT(*) AS leads FROM {prefix}leads l "
	"JOIN {prefix}campaign_counters n ON n.campaign_id = l.campaign_id "
	"WHERE l.subscription_number <= n.ip_counted_to AND " COUNTS_FOR_IP " "
	"GROUP BY 1, 2 UNION ALL SELECT campaign_id, ip, -leads FROM {prefix}ip_leads) p "
	"GROUP BY p.campaign_id, p.ip HAVING SUM(p.leads) <> 0) d WHERE " IS_NOT_REMOVED("d.campaign_id") " GROUP BY d.campaign_id ORDER BY d.campaign_id" FEW);

/* Whether a row of `deliveries` or `due` is outside its event's range of ids, which follows the event's id. */
#define OUT_OF_PLACE(row) "(" row ".id <= e.id OR " row ".id > e.id + e.deliveries)"

/* A delivery that was sent again continues the count of its attempts. */
#define GOES_ON "u.webhook_id = d.webhook_id AND u.event_id = d.event_id AND u.attempts_before >= d.attempts"
DB_STATEMENT(sql_deep_due,
	"SELECT CONCAT('delivery ', u.id, IF(e.id IS NULL, ' (has no event)', IF(" OUT_OF_PLACE("u") ", ' (is not of its event)', "
	"IF(u.attempts_before > u.attempts, ' (has fewer attempts than before it was sent again)', "
	"' (does not go on from where it ended)'))))," TOTAL "FROM {prefix}due u LEFT JOIN {prefix}events e ON e.id = u.event_id "
	"LEFT JOIN {prefix}deliveries d ON d.id = u.id "
	"WHERE e.id IS NULL OR " OUT_OF_PLACE("u") " OR u.attempts_before > u.attempts OR (d.id IS NOT NULL AND NOT (" GOES_ON ")) "
	"ORDER BY u.id" FEW);

/* This and the next statement check events from an id on. For earlier days, some tables may already be dropped. */
DB_STATEMENT(sql_deep_deliveries,
	"SELECT CONCAT('delivery ', d.id, IF(e.id IS NULL, ' (has no event)', ' (is not of its event)'))," TOTAL
	"FROM {prefix}deliveries d LEFT JOIN {prefix}events e ON e.id = d.event_id "
	"WHERE d.event_id >= ? AND (e.id IS NULL OR " OUT_OF_PLACE("d") ") ORDER BY d.id" FEW);

/* Sorted as a whole (SQL_BIG_RESULT): a temporary table with a key takes ten times as long. */
DB_STATEMENT(sql_deep_events,
	"SELECT CONCAT('event ', k.event_id, ' (deliveries is ', k.stored, ', counted ', k.counted, ')')," TOTAL
	"FROM (SELECT SQL_BIG_RESULT p.event_id, SUM(p.stored) AS stored, SUM(p.counted) AS counted FROM "
	"(SELECT id AS event_id, deliveries AS stored, 0 AS counted FROM {prefix}events USE INDEX () WHERE id >= ? "
	"UNION ALL SELECT event_id, 0, 1 FROM {prefix}deliveries UNION ALL SELECT u.event_id, 0, 1 FROM {prefix}due u "
	"LEFT JOIN {prefix}deliveries d ON d.id = u.id WHERE d.id IS NULL) p "
	"GROUP BY p.event_id HAVING stored > 0 AND stored <> counted) k ORDER BY k.event_id" FEW);

DB_STATEMENT(sql_deep_entries,
	"SELECT r.what," TOTAL "FROM (SELECT CONCAT('lead ', e.lead_id, ' (does not exist)') AS what FROM "
	"(SELECT DISTINCT lead_id FROM {prefix}score_entries) e LEFT JOIN {prefix}leads l ON l.id = e.lead_id "
	"LEFT JOIN {prefix}deleted_leads d ON d.lead_id = e.lead_id WHERE l.id IS NULL AND d.lead_id IS NULL "
	"UNION ALL SELECT CONCAT('lead ', e.lead_id, ' (did not refer lead ', e.ref, ')') FROM {prefix}score_entries e "
	"LEFT JOIN {prefix}referral_links k ON k.lead_id = e.ref AND k.ancestor_id = e.lead_id "
	"JOIN {prefix}leads a ON a.id = e.lead_id "
	"WHERE e.reason IN ('referral', 'verified', 'fraud', 'approve') AND k.lead_id IS NULL AND "
	IS_NOT_REMOVED("a.campaign_id") ") r" FEW);

DB_STATEMENT(sql_deep_deleted,
	"SELECT CONCAT('lead ', l.id)," TOTAL "FROM {prefix}deleted_leads d JOIN {prefix}leads l ON l.id = d.lead_id "
	"ORDER BY l.id" FEW);

#define ROWS_OF(table) \
	"SELECT '" table "' AS kind, campaign_id, COUNT(*) AS rows_left FROM {prefix}" table " GROUP BY campaign_id"
#define WITHOUT(what, table, missing, other, condition) \
	" UNION ALL SELECT CONCAT('" what " ', t.id, ' (has no " missing ")') FROM {prefix}" table " t " \
	"WHERE NOT EXISTS (SELECT * FROM {prefix}" other " o WHERE " condition ")"
DB_STATEMENT(sql_deep_missing_parents,
	"SELECT o.what," TOTAL "FROM (SELECT CONCAT(r.kind, ' of campaign ', r.campaign_id, ' (', r.rows_left, ')') AS what FROM ("
	ROWS_OF("leads") " UNION ALL " ROWS_OF("campaign_counters") " UNION ALL " ROWS_OF("webhooks") " UNION ALL "
	ROWS_OF("tags") " UNION ALL " ROWS_OF("actions") " UNION ALL " ROWS_OF("reward_levels") " UNION ALL "
	ROWS_OF("lead_hours") " UNION ALL " ROWS_OF("lead_sources") " UNION ALL " ROWS_OF("bulk_jobs") " UNION ALL " ROWS_OF("bulk_schedule") ") r LEFT JOIN {prefix}campaigns c ON c.id = r.campaign_id "
	"WHERE c.id IS NULL AND " IS_NOT_REMOVED("r.campaign_id")
	WITHOUT("campaign", "campaigns", "counters", "campaign_counters", "o.campaign_id = t.id")
	WITHOUT("campaign", "campaigns", "account", "accounts", "o.id = t.account_id")
	WITHOUT("key", "api_keys", "account", "accounts", "o.id = t.account_id")
	WITHOUT("webhook", "webhooks", "status", "webhook_status", "o.webhook_id = t.id") ") o" FEW);

/* clang-format on */

enum { DETAIL_MAX_BYTES = 4096 };

#define HINT_COUNT "stop the programs and write the counted values into "
#define HINT_REPORT "; then report it: it is a defect, or a backup was not taken at one moment"
#define HINT_REBUILD "run leadhook stats rebuild with the campaign; then report it: it is a defect"
#define HINT_ROWS "stop the programs and remove these rows" HINT_REPORT

static const struct {
	const struct db_statement *statement;
	const char *what, *hint;
	bool from_event; /* takes the id of the first event to be counted */
} queries[] = {
	{ &sql_deep_counters, "campaign_counters", HINT_COUNT "campaign_counters" HINT_REPORT, false },
	{ &sql_deep_hours, "lead_hours", HINT_REBUILD, false },
	{ &sql_deep_referral_sums, "referral_sums", HINT_REBUILD, false },
	{ &sql_deep_scores, "scores", HINT_COUNT "leads.score, and the score histogram after it" HINT_REPORT, false },
	{ &sql_deep_histogram, "score_histogram", HINT_COUNT "score_histogram" HINT_REPORT, false },
	{ &sql_deep_referrals, "referral_counts", HINT_COUNT "these columns of leads" HINT_REPORT, false },
	{ &sql_deep_credit, "referral_credit", HINT_COUNT "referral_links.credit" HINT_REPORT, false },
	{ &sql_deep_links, "referral_links", HINT_COUNT "the referrer's counts, and these links" HINT_REPORT, false },
	{ &sql_deep_addresses, "ip_leads",
	    "set max_per_ip of the campaign to 0, again if it is 0 already, then back: this counts them again", false },
	{ &sql_deep_due, "due", HINT_ROWS, false },
	{ &sql_deep_deliveries, "deliveries", HINT_ROWS, true },
	{ &sql_deep_events, "events", HINT_COUNT "events.deliveries" HINT_REPORT, true },
	{ &sql_deep_entries, "score_entries", HINT_ROWS, false },
	{ &sql_deep_deleted, "deleted_leads", HINT_ROWS, false },
	{ &sql_deep_missing_parents, "missing_parents", HINT_ROWS, false },
};

static enum result
run_query(struct store *store, struct check_findings *check, size_t query, uint64_t first_event)
{
	const struct db_value from = DB_U64(first_event);
	const struct db_arguments arguments = { .values = &from, .count = queries[query].from_event ? 1 : 0 };
	struct db_rows rows;
	struct buffer detail;
	enum result result = db_query(store->db, check->pool, queries[query].statement, &arguments, &rows);
	if (result != RESULT_OK || rows.count == 0)
		return result;
	buffer_init(&detail, DETAIL_MAX_BYTES);
	buffer_printf(&detail, "%" PRIu64 " found: ", db_get_u64(&rows, 0, 1));
	for (size_t i = 0; i < rows.count; i++)
		buffer_printf(&detail, "%s%.*s", i == 0 ? "" : ", ", SLICE_ARGS(db_get_bytes(&rows, i, 0)));
	if (db_get_u64(&rows, 0, 1) > rows.count)
		buffer_add_text(&detail, ", …");
	check_add(check, queries[query].what, buffer_slice(&detail), queries[query].hint);
	buffer_free(&detail);
	return RESULT_OK;
}

/* A day is dropped table by table, possibly during the check: days older than the retention, or already dropped from one table,
 * are excluded. */
static enum result
find_first_event(struct store *store, struct check_findings *check, uint64_t *first_event)
{
	struct history_days days;
	enum result result = store_read_days(store, check->pool, &days);
	uint64_t day = days.retained_from;
	for (size_t i = 0; i < HISTORY_TABLES; i++)
		if (days.first[i] != HISTORY_NO_DAY && days.first[i] > day)
			day = days.first[i];
	*first_event = history_id_floor(history_day_ms(day));
	return result;
}

void
check_deep(struct store *store, struct check_findings *check)
{
	const unsigned ordinary_timeout_s = store_set_answer_timeout(store, STORE_LONG_TIMEOUT_S);
	uint64_t first_event = 0;
	enum result result = find_first_event(store, check, &first_event);
	for (size_t i = 0; result == RESULT_OK && i < ARRAY_SIZE(queries); i++)
		result = run_query(store, check, i, first_event);
	if (result != RESULT_OK)
		check_add(check, "deep", slice_of(store_error_text(store)),
		    "correct this and run the check again: the other checks did not run");
	store_set_answer_timeout(store, ordinary_timeout_s);
}
