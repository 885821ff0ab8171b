/* SPDX-License-Identifier: MIT
 * SQL: each file of the store has its own statements, listed at its top. Shared parts are here. */
#pragma once

#include "db/db.h"
#include "engine/rank.h"
#include "engine/source.h"
#include "store/fields.h"

/* ip_caller_network of the column `ip`. */
#define CALLER_NETWORK "IF(INSTR(ip, ':'), CONCAT(INET6_NTOA(CONCAT(LEFT(INET6_ATON(ip), 8), REPEAT(X'00', 8))), '/64'), ip)"

/* lead_counts_for_ip */
#define COUNTS_FOR_IP "ip IS NOT NULL AND INSTR(COALESCE(fraud_flags, ''), '\"duplicate_ip\"') = 0"

extern const struct db_statement sql_lock_account, sql_lock_counters;

/* clang-format off */

/* The database's time in milliseconds; UNIX_TIMESTAMP would end in 2038. */
#define NOW "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000"

/* A limit as a macro, because both SQL and code need it. */
#define LIMIT_OF(number) " LIMIT " TEXT_OF(number)
#define TEXT_OF(number) #number

/* Rows after a place that consists of two columns. Bind the first value twice, then the second; the second column is "0" if the
 * first alone is the place. */
#define AFTER(first, second) "(" first " > ? OR (" first " = ? AND " second " > ?))"

/* The events of the lead whose id is bound. Their index begins with the campaign. */
#define EVENTS_OF_LEAD                                                                                  \
	"(SELECT campaign_id AS of_campaign, id AS of_lead FROM {prefix}leads WHERE id = ?) l"          \
	" STRAIGHT_JOIN {prefix}events FORCE INDEX (by_lead)"                                           \
	" ON campaign_id = of_campaign AND lead_id = of_lead"

/* Joined in this order because a few accounts may have very many campaigns. */
#define CAMPAIGN_COLUMN(type, member) "c." #member ", "
#define CAMPAIGN_PROGRESS_COLUMN(type, member) "n." #member ", "
#define CAMPAIGN_COUNTER_COLUMN(type, column, member) "n." #column ", "
#define SELECT_CAMPAIGN_USING(index) \
	"SELECT " CAMPAIGN_FIELDS(CAMPAIGN_COLUMN) CAMPAIGN_SETTINGS(CAMPAIGN_COLUMN) \
	CAMPAIGN_PROGRESS(CAMPAIGN_PROGRESS_COLUMN) CAMPAIGN_COUNTERS(CAMPAIGN_COUNTER_COLUMN) \
	"a.suspended_ms IS NOT NULL, " NOW \
	" FROM {prefix}campaigns c " index \
	" STRAIGHT_JOIN {prefix}accounts a ON a.id = c.account_id" \
	" STRAIGHT_JOIN {prefix}campaign_counters n ON n.campaign_id = c.id"

#define FROM_WEBHOOKS " FROM {prefix}webhooks w JOIN {prefix}webhook_status s ON s.webhook_id = w.id"

#define LOCK_COUNTERS \
	"SELECT n.campaign_id, n.settings_version, n.leads_version, " \
	CAMPAIGN_PROGRESS(CAMPAIGN_PROGRESS_COLUMN) CAMPAIGN_COUNTERS(CAMPAIGN_COUNTER_COLUMN) NOW \
	" FROM {prefix}campaign_counters n" \
	" WHERE n.campaign_id IN ({list})" \
	" ORDER BY n.campaign_id" \
	" FOR UPDATE"

/* Columns of leads `l` and of their referrers `p`: those that batches need, and those that payloads show (a third fewer). */
#define LEAD_COLUMN(type, column, read_for, written, in_payload) FIELD_IF_BATCH_READS_##read_for(FIELD_COLUMN_##written(column))
#define LEAD_COLUMNS "l.id" LEAD_FIELDS(LEAD_COLUMN)
#define SHOWN_COLUMN(type, column, read_for, written, in_payload) \
	FIELD_IF_PAYLOAD_READS_##read_for(FIELD_COLUMN_##written(column))
#define SHOWN_COLUMNS "l.id" LEAD_FIELDS(SHOWN_COLUMN)

#define RANK_BUCKET_COLUMNS "s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15"

/* The counts of leads in a row of campaign_counters or lead_hours, and how differences are added to the counts of
 * lead_hours. */
#define COUNTER_COLUMN(type, column, member) ", " #column
#define COUNTER_COLUMN_LIST CAMPAIGN_COUNTERS(COUNTER_COLUMN)
#define ADDED_COUNTER(type, column, member) ", " #column " = {prefix}lead_hours." #column " + VALUES(" #column ")"
#define ADD_TO_LEAD_HOURS \
	" ON DUPLICATE KEY UPDATE deleted = {prefix}lead_hours.deleted + VALUES(deleted)" CAMPAIGN_COUNTERS(ADDED_COUNTER)

/* Leads `l` as rows of lead_hours: columns from `hour` on, in the order of COUNTER_COLUMN_LIST, for GROUP BY LEAD_HOUR. */
#define LEAD_HOUR "l.campaign_id, l.created_ms DIV 3600000, l.source_class"
#define LEAD_IS_REFERRED_VERIFIED "l.parent_id IS NOT NULL AND (l.verified_email OR l.verified_phone)"
#define COUNTED_LEADS \
	", COUNT(*) AS lead_count, SUM(l.verified_email OR l.verified_phone) AS verified, SUM(l.waitlisted) AS waitlisted," \
	" SUM(l.removed_from_waitlist) AS removed_from_waitlist, SUM(l.fraudulent) AS fraudulent, SUM(l.opted_out) AS opted_out," \
	" COUNT(l.parent_id) AS referred, SUM(" LEAD_IS_REFERRED_VERIFIED ") AS referred_verified," \
	" SUM(" LEAD_HAS_REFERRED ") AS referrers"

/* clang-format on */
