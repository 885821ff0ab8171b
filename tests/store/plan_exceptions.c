/* SPDX-License-Identifier: MIT */
#include "plan_exceptions.h"

#include <string.h>

#include "base/attributes.h"

#define ENDS_AT_LIMIT "reads an index in the order of the answer, up to the limit"
#define PAGE_END "it ends at its limit, or at the number that sql_select_number_… has answered"
#define PIECE "a removal reads the table in pieces of a fixed size"
#define UNFINISHED_JOBS "jobs of operators that have not ended: few"
#define UNFINISHED "erasures and removals that are not finished: few"
#define AS_REQUESTED "as many as requested"
#define SORTS_WEBHOOKS "as many as the campaigns have webhooks, of which there is a maximum"
#define SHARDS "there are 64 shards"
#define OPERATOR "an operator's query about all rows"
#define DEEP "recounts all rows"
#define SHORT_LISTS "for 100 leads at most: only for longer lists does the server guess from statistics"
#define COMMITTED_ONLY "an UPDATE skips locked rows that do not match"

/* Known exceptions, with reasons. */
static const struct {
	const char *statement;
	const char *table; /* as the plan names it; NULL: any */
	unsigned faults;
	const char *why;
} exceptions[] = {
	{ "sql_insert_confirmation", "<derived2>", TEMPORARY, "as many rows as the batch has confirmations" },
	{ "sql_select_subscriptions", "t_webhooks", SORT, SORTS_WEBHOOKS },
	{ "sql_select_left_calls", "t_inbound_calls", SCAN, SHORT_LISTS },
	{ "sql_select_left_messages", "t_messages", SCAN, SHORT_LISTS },
	{ "sql_select_webhooks", "w", SORT, SORTS_WEBHOOKS },
	{ "sql_select_inbound_of_campaign", "i", SORT, SORTS_WEBHOOKS },
	{ "sql_select_inbound_calls", "<union1,2>", SORT, AS_REQUESTED },
	{ "sql_select_ip_leads", NULL, READS, "known: it looks for all pairs, or for all addresses if these are too many" },
	{ "sql_select_campaign_ids", NULL, MANY | SORT, ENDS_AT_LIMIT },
	{ "sql_select_number_after", "t_leads", MANY, ENDS_AT_LIMIT },
	{ "sql_select_number_before", "t_leads", MANY, ENDS_AT_LIMIT },
	{ "sql_select_page", "l", MANY, PAGE_END },
	{ "sql_select_newest_page", "l", MANY, PAGE_END },
	{ "sql_select_exported", "l", MANY, PAGE_END },
	{ "sql_select_exported_newest", "l", MANY, PAGE_END },
	{ "sql_select_exported_names", "l", MANY, PAGE_END },
	{ "sql_select_leaders", "l", MANY, ENDS_AT_LIMIT },
	{ "sql_select_ids_by_score", "t_leads", MANY, ENDS_AT_LIMIT },
	{ "sql_select_ids_by_score", "<union1,2>", SORT, AS_REQUESTED },
	{ "sql_select_lead_ids", "<union1,2,3,4>", SORT, AS_REQUESTED },
	{ "sql_select_next_job", NULL, GATHERS | MANY, "one row for each campaign with jobs" },
	{ "sql_select_clock_and_work", "t_accounts", SCAN | MANY, "it ends at the second one" },
	{ "sql_select_clock_and_work", "t_bulk_jobs", SCAN | MANY, "it ends at the first job that is not delayed" },
	{ "sql_select_clock_and_work", "t_operator_jobs", SCAN | MANY, UNFINISHED_JOBS },
	{ "sql_count_operator_jobs_of_account", NULL, MANY | READS, UNFINISHED_JOBS },
	{ "sql_select_next_operator_job", NULL, MANY | READS | SORT, UNFINISHED_JOBS },
	{ "sql_insert_operator_job", NULL, MANY | READS | TEMPORARY, UNFINISHED_JOBS },
	{ "sql_count_other_accounts", NULL, MANY | READS, UNFINISHED_JOBS },
	{ "sql_note_turn_of_account", NULL, MANY | READS, UNFINISHED_JOBS },
	{ "sql_note_turn_in_newest", NULL, MANY, ENDS_AT_LIMIT },
	{ "sql_release_operator_jobs", NULL, MANY | READS, UNFINISHED_JOBS },
	{ "sql_delete_old_operator_jobs", NULL, MANY, ENDS_AT_LIMIT },
	{ "sql_select_operator_jobs", NULL, MANY, ENDS_AT_LIMIT },
	{ "sql_select_due_webhooks", NULL, GATHERS | READS, "it sorts one row for each webhook with something due by account" },
	{ "sql_select_due_webhooks", "t_due", MANY, "one probe for each of them" },
	{ "sql_select_newest_due", NULL, GATHERS | MANY | READS, "the newest 20,000 at most" },
	{ "sql_select_heartbeats", "t_heartbeats", SCAN | MANY, "a row for each kind of process" },
	{ "sql_lease_shards", "t_dispatch_shards", SCAN | MANY | LOCK_SCAN, SHARDS },
	{ "sql_select_leased_shards", "t_dispatch_shards", SCAN | MANY, SHARDS },
	{ "sql_release_shards", "t_dispatch_shards", SCAN | MANY | LOCK_SCAN, SHARDS },
	{ "sql_count_attempt", "t_dispatch_shards", SCAN | MANY | LOCK_SCAN, SHARDS },
	{ "sql_select_due_positions", "t_due", MANY, ENDS_AT_LIMIT },
	{ "sql_select_due_of_old_days", "t_due", MANY, ENDS_AT_LIMIT },
	{ "sql_select_mail_campaigns", NULL, MANY | READS, "one probe for each campaign with something pending" },
	{ "sql_select_text_campaigns", NULL, MANY | READS, "one probe for each campaign with something pending" },
	{ "sql_release_crashed", "t_messages", MANY, "what is pending, once after a crash" },
	{ "sql_select_mails", "m", MANY, ENDS_AT_LIMIT },
	{ "sql_select_mails_of_campaign", "m", MANY, ENDS_AT_LIMIT },
	{ "sql_select_totp_secrets", "t_users", MANY, ENDS_AT_LIMIT },
	{ "sql_count_messages", NULL, MANY | READS, OPERATOR },
	{ "sql_select_old_contents", "t_messages", MANY, ENDS_AT_LIMIT },
	{ "sql_delete_old_messages", "t_messages", MANY, ENDS_AT_LIMIT },
	{ "sql_delete_old_sendings", "t_sendings", MANY, ENDS_AT_LIMIT },
	{ "sql_delete_old_sent_codes", "t_sent_codes", MANY, ENDS_AT_LIMIT },
	{ "sql_select_leads_with_addresses", NULL, MANY | READS, PIECE },
	{ "sql_select_addresses_of_leads", NULL, TEMPORARY, AS_REQUESTED },
	{ "sql_uncount_addresses", NULL, GATHERS, AS_REQUESTED },
	{ "sql_select_any_erased", NULL, SCAN | MANY, "one row" },
	{ "sql_select_any_address", NULL, MANY, "one row" },
	{ "sql_count_removals", NULL, READS_ALL, UNFINISHED },
	{ "sql_select_idle_erasure", NULL, READS_ALL, UNFINISHED },
	{ "sql_select_idle_removed", NULL, READS_ALL, UNFINISHED },
	{ "sql_search_*", NULL, MANY | READS, PIECE },
	{ "sql_search_confirmations*", NULL, SCAN | SORT, PIECE },
	{ "sql_select_events_of_campaign", NULL, MANY | READS, PIECE },
	{ "sql_count_erasures_of_account", NULL, READS_ALL | READS, UNFINISHED },
	{ "sql_select_campaigns_after", NULL, MANY | READS, PIECE },
	{ "sql_select_removed_calls", NULL, MANY, ENDS_AT_LIMIT },
	{ "sql_select_removed_leads", NULL, MANY | READS, PIECE },
	{ "sql_select_removed_addresses", NULL, MANY | READS, PIECE },
	{ "sql_select_removed_messages", NULL, MANY | READS, PIECE },
	{ "sql_select_removed_nodes", NULL, MANY | READS, PIECE },
	{ "sql_select_users", "t_users", MANY, ENDS_AT_LIMIT },
	{ "sql_select_sessions_of_user", "s", SORT, "the sessions of one user" },
	{ "sql_select_audit", "t_audit", MANY, ENDS_AT_LIMIT },
	{ "sql_select_audit_of_account", "t_audit", MANY, ENDS_AT_LIMIT },
	{ "sql_select_audit_of_campaign", "t_audit", MANY, ENDS_AT_LIMIT },
	{ "sql_select_audit_of_actor", "t_audit", MANY, ENDS_AT_LIMIT },
	{ "sql_select_audit_since", "t_audit", MANY, ENDS_AT_LIMIT },
	{ "sql_count_audit", NULL, READS_ALL | READS, OPERATOR },
	{ "sql_select_audit_ids", "t_audit", MANY, ENDS_AT_LIMIT },
	{ "sql_select_audit_ids_of_account", "t_audit", MANY, ENDS_AT_LIMIT },
	{ "sql_note_ended_campaigns", "t_campaigns", SCAN | MANY | LOCK_SCAN, "maintenance; " COMMITTED_ONLY },
	{ "sql_select_deleted_leads", "t_deleted_leads", SCAN | MANY, ENDS_AT_LIMIT },
	{ "sql_count_addresses", "t_leads", GATHERS, "a piece of a fixed size" },
	{ "sql_delete_addresses", "t_ip_leads", MANY, ENDS_AT_LIMIT },
	{ "sql_select_history_days", "PARTITIONS", SCAN, "the server's own table: it opens one of ours for each part" },
	{ "sql_count_version_table", "TABLES", SCAN, "the server's own table: it opens one" },
	{ "sql_select_node", NULL, SCAN | MANY, "the server's own tables" },
	{ "sql_select_node_status", NULL, SCAN | MANY, "the same" },
	{ "sql_select_rights", NULL, READS_ALL, "the server's own tables" },
	{ "sql_select_active_urls", "t_webhooks", SCAN | MANY, ENDS_AT_LIMIT },
	{ "sql_select_stopped_webhooks", NULL, READS_ALL | READS, OPERATOR },
	{ "sql_select_all_campaigns", "c", MANY, ENDS_AT_LIMIT },
	{ "sql_select_accounts", "t_accounts", MANY, ENDS_AT_LIMIT },
	{ "sql_select_uncounted_addresses", NULL, READS_ALL, OPERATOR },
	{ "sql_count_rows", NULL, READS_ALL, OPERATOR },
	{ "sql_count_due", NULL, READS_ALL, OPERATOR },
	{ "sql_select_delivery_ids", "<union1,2,3>", SORT, AS_REQUESTED },
	{ "sql_select_delivery_ids", "t_deliveries", SORT | MANY, "what was delivered ends at the limit; little has failed" },
	{ "sql_select_delivery_ids", "t_due", MANY, ENDS_AT_LIMIT },
	{ "sql_select_delivery_ids_of_webhook", "<union1,2,3>", SORT, AS_REQUESTED },
	{ "sql_select_delivery_ids_of_webhook", "t_due", SORT, "what one webhook has pending, from the index alone" },
	{ "sql_select_due_ids", "t_due", MANY, ENDS_AT_LIMIT },
	{ "sql_select_deliveries", "<derived2>", SORT, AS_REQUESTED },
	{ "sql_select_delivery", "<derived2>", SORT, AS_REQUESTED },
	{ "sql_select_bulk_jobs", "t_bulk_jobs", MANY, ENDS_AT_LIMIT },
	{ "sql_select_timeline", NULL, SORT, "the last entries of each part, as many as it may examine" },
	{ "sql_select_attempts", "<union1,2>", SORT, "the attempts of one delivery" },
	{ "sql_count_due_of_webhook", "t_due", MANY | READS, "what one webhook has pending, from the index alone" },
	{ "sql_clear_lead_hours", "t_lead_hours", MANY | READS, "a piece of a fixed size" },
	{ "sql_select_piece_of_leads", NULL, READS, "a piece of a fixed size" },
	{ "sql_count_lead_hours", "l", GATHERS, "a piece of a fixed size" },
	{ "sql_select_uncounted_campaign", "t_campaign_counters", MANY | READS, "all campaigns, every ten minutes" },
	{ "sql_select_lead_hours_left", NULL, MANY | READS, PIECE },
	{ "sql_select_webhook_hours_left", NULL, MANY | READS, PIECE },
	{ "sql_select_hours_of_no_*", NULL, READS_ALL | READS, "one probe for each campaign or webhook, every ten minutes" },
	{ "sql_select_sources_of_no_campaign", NULL, READS_ALL | READS, "one probe for each campaign, every ten minutes" },
	{ "sql_sum_lead_hours", "t_lead_hours", TEMPORARY, "the hours of a period, which has a maximum" },
	{ "sql_select_campaign_to_count", "t_campaign_counters", MANY | READS, "all campaigns, every ten seconds" },
	{ "sql_select_sources_of_leads", NULL, MANY | READS, "a piece of a fixed size" },
	{ "sql_check_sources_piece", NULL, MANY | READS, "a piece of a fixed size" },
	{ "sql_select_lead_sources_left", NULL, MANY | READS, PIECE },
	{ "sql_count_lead_sources", NULL, MANY | READS, "at most 100,001 rows" },
	{ "sql_sum_lead_sources", NULL, GATHERS | MANY | READS,
	    "the days of a period, which has a maximum, and 501 values of each kind" },
	{ "sql_sum_webhook_hours", "t_webhook_hours", TEMPORARY, "the hours of a period, which has a maximum" },
	{ "sql_sum_days_of_campaigns", "t_lead_hours", TEMPORARY | MANY | READS, "the hours of two weeks" },
	{ "sql_deep_*", NULL, READS_ALL, DEEP },
};

/* `pattern`: a name, or its beginning and "*". */
static bool
is_named(const char *pattern, const char *name)
{
	const size_t size = strlen(pattern) - 1;
	return pattern[size] == '*' ? strncmp(pattern, name, size) == 0 : strcmp(pattern, name) == 0;
}

unsigned
exceptions_for(const char *statement, struct slice table)
{
	unsigned faults = 0;
	for (size_t i = 0; i < ARRAY_SIZE(exceptions); i++)
		if (is_named(exceptions[i].statement, statement) &&
		    (exceptions[i].table == NULL || slice_equal(table, slice_of(exceptions[i].table))))
			faults |= exceptions[i].faults;
	return faults;
}

bool
exceptions_are_known(const char *const *statements, size_t count)
{
	for (size_t i = 0; i < ARRAY_SIZE(exceptions); i++) {
		bool used = false;
		for (size_t s = 0; s < count; s++)
			used = used || is_named(exceptions[i].statement, statements[s]);
		if (!used || exceptions[i].why == NULL)
			return false;
	}
	return true;
}
