/* SPDX-License-Identifier: MIT */
#include "statement_values.h"

#include <string.h>

#include "planted.h"

/* By name. */
static const struct statement_values all_values[] = {
	{ "sql_lock_id_block", "b", "" },
	{ "sql_set_next_id", "b", "" },
	{ "sql_select_installation_value", "f", "" },
	{ "sql_select_key", "k", "" },
	{ "sql_touch_key", "1>", "" },
	{ "sql_select_token", "c", "" },
	{ "sql_select_mark_event", "v", "" },
	{ "sql_lock_counters", "", "1" },
	{ "sql_lock_free_counters", "", "1" },
	{ "sql_select_counters", "", "1" },
	{ "sql_select_campaigns", "", "1" },
	{ "sql_select_subscriptions", "", "1" },
	{ "sql_select_definitions_to_cache", "", "111" },
	{ "sql_lock_jobs", "", "1" },
	{ "sql_load_leads_by_email", "", "e" },
	{ "sql_load_leads_by_phone", "", "p" },
	{ "sql_load_leads_by_social_id", "", "s" },
	{ "sql_load_leads_by_id", "", "l" },
	{ "sql_select_links", "", "l" },
	{ "sql_select_ip_leads", "", "1i" },
	{ "sql_select_taken_numbers", "", "1#" },
	{ "sql_select_used_proofs", "", "c" },
	{ "sql_select_histogram_nodes", "", "n" },
	{ "sql_select_histogram_and_version", "1", "n" },
	{ "sql_delete_leads", "", "/l" },
	{ "sql_free_identities", "", "/l" },
	{ "sql_delete_confirmations", "", "/l" },
	{ "sql_delete_unverified", "", "/l" },
	{ "sql_select_unverified", "1", "" },
	{ "sql_note_job_served", "1", "" },
	{ "sql_move_job", "1<", "" },
	{ "sql_delete_job", "1<", "" },
	{ "sql_select_campaign", "1", "" },
	{ "sql_select_campaigns_of_account", "1", "" },
	{ "sql_select_all_campaigns", "", "" },
	{ "sql_look_up_by_email", "", "e" },
	{ "sql_look_up_by_phone", "", "p" },
	{ "sql_look_up_by_social_id", "", "s" },
	{ "sql_look_up_by_id", "", "l" },
	{ "sql_select_state", "1", "" },
	{ "sql_select_number_after", "1##", "" },
	{ "sql_select_page", "1<>********<<<#", "" },
	{ "sql_select_exported", "1<>********<<<#", "" },
	{ "sql_select_exported_names", "1<>********<<<#", "" },
	{ "sql_select_leaders", "1#", "" },
	{ "sql_select_definitions_of_campaign", "111", "" },
	{ "sql_select_lead_ids", "", "epsl" },
	{ "sql_select_referrer_ids", "", "l" },
	{ "sql_count_jobs", "1#", "" },
	{ "sql_select_next_job", "", "" },
	{ "sql_delay_job", "1<<", "" },
	{ "sql_postpone_job", "<1", "" },
	{ "sql_skip_job_item", "1<", "" },
	{ "sql_delete_job_at_end", "1", "" },
	{ "sql_lock_campaign", "1", "" },
	{ "sql_select_campaign_ids", "1#1##", "" },
	{ "sql_lock_settings", "1", "" },
	{ "sql_select_settings_version", "1", "" },
	{ "sql_select_campaign_of_webhook", "w", "" },
	{ "sql_select_webhook_by_url", "1h", "" },
	{ "sql_count_webhooks", "1", "" },
	{ "sql_update_webhook", "w", "" },
	{ "sql_select_webhook", "w", "" },
	{ "sql_count_due_of_webhook", "Sw", "" },
	{ "sql_set_webhook", "w", "" },
	{ "sql_enable_webhook", "w", "" },
	{ "sql_clear_webhook_status", "w", "" },
	{ "sql_rotate_secret", "w*", "" },
	{ "sql_delete_webhook", "w", "" },
	{ "sql_delete_webhook_status", "w", "" },
	{ "sql_select_webhooks", "1", "" },
	{ "sql_select_inbound_of_token", "kh", "" },
	{ "sql_select_inbound", "1", "" },
	{ "sql_select_inbound_of_campaign", "1", "" },
	{ "sql_sum_refused_calls", "1", "" },
	{ "sql_select_inbound_by_name", "1k", "" },
	{ "sql_select_campaign_of_inbound", "1", "" },
	{ "sql_select_inbound_token", "1k", "" },
	{ "sql_count_inbound", "1", "" },
	{ "sql_update_inbound", "1", "" },
	{ "sql_rotate_inbound", "1*", "" },
	{ "sql_delete_inbound", "1", "" },
	{ "sql_delete_inbound_status", "1", "" },
	{ "sql_delete_calls_of_inbound", "1", "" },
	{ "sql_lock_inbound_status", "1", "" },
	{ "sql_count_inbound_call", "1", "" },
	{ "sql_lock_same_inbound_call", "1e", "" },
	{ "sql_repeat_inbound_call", "1", "" },
	{ "sql_select_old_inbound_calls", "1<", "" },
	{ "sql_delete_inbound_calls", "", "/1" },
	{ "sql_select_inbound_call", "1", "" },
	{ "sql_select_inbound_of_call", "1", "" },
	{ "sql_select_inbound_calls", "1#1##", "" },
	{ "sql_select_logged_lead", "l", "" },
	{ "sql_select_inbound_calls_of_lead", "l#", "" },
	{ "sql_replay_inbound_call", "1", "" },
	{ "sql_delete_expired_calls", "#", "" },
	{ "sql_delete_calls_of_lead", "l", "" },
	{ "sql_lease_shards", "o", "" },
	{ "sql_select_leased_shards", "o", "" },
	{ "sql_release_shards", "o", "" },
	{ "sql_count_attempt", "d1o", "" },
	{ "sql_select_clock_and_bulk_work", "", "" },
	{ "sql_select_now", "", "" },
	{ "sql_select_mail_hold", "M", "" },
	{ "sql_select_text_campaigns", "", "" },
	{ "sql_count_sent_code", "", "" },
	{ "sql_count_codes_of_number", "e<", "" },
	{ "sql_count_codes_of_prefix", "e<", "" },
	{ "sql_count_codes_of_campaign", "1<#", "" },
	{ "sql_find_sent_code", "l", "" },
	{ "sql_make_text_ready", "lo", "" },
	{ "sql_delete_old_sent_codes", "<#", "" },
	{ "sql_select_message_campaigns", "", "" },
	{ "sql_count_mails_of_campaign", "", "/*1#" },
	{ "sql_select_due_messages", "", "/*<1#" },
	{ "sql_lease_messages", "o<", "l" },
	{ "sql_select_leased_messages", "o", "l" },
	{ "sql_renew_messages", "<o", "l" },
	{ "sql_release_messages", "o", "l" },
	{ "sql_release_crashed", "o", "" },
	{ "sql_count_mails_of_recipient", "e", "" },
	{ "sql_select_mails_of_lead", "el1#", "" },
	{ "sql_make_message_ready", "e***lo", "" },
	{ "sql_record_mail_outcome", "*<<<***<<<lo<", "" },
	{ "sql_requeue_message", "*<l", "" },
	{ "sql_mark_bounced", "l1*", "" },
	{ "sql_hold_mail", "<<**M", "" },
	{ "sql_resume_mail", "M", "" },
	{ "sql_select_mails", ">#", "" },
	{ "sql_select_mail", "l", "" },
	{ "sql_lock_message", "l", "" },
	{ "sql_count_messages", "", "" },
	{ "sql_select_contents_removed", "<", "" },
	{ "sql_select_old_contents", "<>#", "" },
	{ "sql_remove_contents", "", "/1" },
	{ "sql_note_contents_removed", "<", "" },
	{ "sql_delete_old_messages", "<#", "" },
	{ "sql_delete_messages_of_lead", "l", "" },
	{ "sql_select_due_webhooks", "", "S" },
	{ "sql_select_newest_due", "", "S" },
	{ "sql_select_due_positions", "", "/Sw<<<#" },
	{ "sql_select_due_rows", "", "d" },
	{ "sql_select_destinations", "", "w" },
	{ "sql_lock_leased_shards", "o", "S" },
	{ "sql_lock_recorded", "", "d" },
	{ "sql_lock_webhook_status", "", "w" },
	{ "sql_delete_due", "", "/d" },
	{ "sql_delete_untried_due", "", "/d" },
	{ "sql_disable_webhook", "w", "" },
	{ "sql_select_campaign_of_active_webhook", "w", "" },
	{ "sql_lock_campaign_if_free", "1", "" },
	{ "sql_lock_campaign_soon", "1", "" },
	{ "sql_deactivate_webhook", "sw1", "" },
	{ "sql_lock_due_of_webhook", "Sw#", "" },
	{ "sql_share_usable_webhook", "w", "" },
	{ "sql_select_due_of_old_days", ">>#", "" },
	{ "sql_lock_due", "d", "" },
	{ "sql_hold_webhook_of", "d", "" },
	{ "sql_fail_due", "", "d" },
	{ "sql_note_ended_campaigns", "", "" },
	{ "sql_delete_old_tokens", "1#", "" },
	{ "sql_delete_old_codes", "#", "" },
	{ "sql_delete_old_email_codes", "#", "" },
	{ "sql_delete_used_proofs", "1#", "" },
	{ "sql_select_texts", "1t", "" },
	{ "sql_delete_text", "1TL", "" },
	{ "sql_lock_phone_code", "l", "" },
	{ "sql_count_phone_try", "l", "" },
	{ "sql_delete_phone_code", "lk", "" },
	{ "sql_lock_email_code", "l", "" },
	{ "sql_count_email_try", "l", "" },
	{ "sql_delete_email_code", "lk", "" },
	{ "sql_select_leads_with_entries_left", "#", "" },
	{ "sql_select_score_entries", "", "l" },
	{ "sql_delete_score_entry", "l1<<", "" },
	{ "sql_delete_deleted_lead", "l", "" },
	{ "sql_select_leads_with_addresses", "<<", "" },
	{ "sql_select_addresses_of_leads", "", "l" },
	{ "sql_select_counted_to", "1", "" },
	{ "sql_uncount_addresses", ">", "l" },
	{ "sql_drop_addresses", "", "/l" },
	{ "sql_delete_uncounted_address", "1i", "" },
	{ "sql_select_any_erased", "", "" },
	{ "sql_count_removals", "", "" },
	{ "sql_select_erased", "", "c" },
	{ "sql_select_campaigns_after", "<", "" },
	{ "sql_search_leads", "<**<", "" },
	{ "sql_select_erasure", "c", "" },
	{ "sql_select_idle_erasure", "<", "" },
	{ "sql_move_erasure", "11ssc", "" },
	{ "sql_postpone_erasure", "c", "" },
	{ "sql_postpone_removed", "1", "" },
	{ "sql_delete_erasure", "c", "" },
	{ "sql_delete_ip_leads", "1i", "" },
	{ "sql_delete_erased", "c", "" },
	{ "sql_select_found_events", "**", "v" },
	{ "sql_select_address_pass", "<f", "" },
	{ "sql_select_events_of_leads", "", "l" },
	{ "sql_search_events", "<*<", "" },
	{ "sql_search_calls", "<**<", "" },
	{ "sql_search_messages", "<*<", "" },
	{ "sql_search_confirmations", "<<*<", "" },
	{ "sql_delete_calls", "", "/l" },
	{ "sql_delete_messages", "", "/l" },
	{ "sql_delete_confirmations_to", "l*", "" },
	{ "sql_report_lead", "l", "" },
	{ "sql_report_found_events", "<*<", "" },
	{ "sql_report_found_messages", "<*<", "" },
	{ "sql_report_found_calls", "<*<", "" },
	{ "sql_report_ledger", "l", "" },
	{ "sql_report_referrers", "l", "" },
	{ "sql_report_confirmations", "l", "" },
	{ "sql_report_messages", "l", "" },
	{ "sql_report_calls", "l", "" },
	{ "sql_report_events", "l", "" },
	{ "sql_lock_removed_account", "1", "" },
	{ "sql_select_campaigns_to_remove", "1", "" },
	{ "sql_delete_campaign", "1", "" },
	{ "sql_delete_counters", "1", "" },
	{ "sql_delete_status_of_webhooks", "1", "" },
	{ "sql_delete_webhooks", "1", "" },
	{ "sql_delete_keys_of_account", "1", "" },
	{ "sql_delete_account", "1", "" },
	{ "sql_select_removed", "1", "" },
	{ "sql_select_idle_removed", "<", "" },
	{ "sql_move_removed", "111", "" },
	{ "sql_delete_removed", "1", "" },
	{ "sql_delete_jobs_of_campaign", "1", "" },
	{ "sql_delete_bulk_schedule", "1", "" },
	{ "sql_delete_tags", "1", "" },
	{ "sql_delete_actions", "1", "" },
	{ "sql_delete_reward_levels", "1", "" },
	{ "sql_delete_texts", "1", "" },
	{ "sql_delete_inbound_status", "1", "" },
	{ "sql_delete_inbound", "1", "" },
	{ "sql_select_removed_calls", "1", "" },
	{ "sql_delete_removed_calls", "", "/l" },
	{ "sql_select_removed_leads", "1<", "" },
	{ "sql_delete_removed_leads", "", "/l" },
	{ "sql_delete_links_of_leads", "", "/l" },
	{ "sql_delete_confirmations_of_leads", "", "/l" },
	{ "sql_delete_unverified_leads", "", "/l" },
	{ "sql_select_removed_nodes", "n>", "" },
	{ "sql_delete_removed_nodes", "", "/n" },
	{ "sql_select_removed_addresses", "1", "" },
	{ "sql_delete_removed_address", "1i", "" },
	{ "sql_select_removed_messages", "1", "" },
	{ "sql_delete_removed_messages", "", "/l" },
	{ "sql_select_events_after", "1<", "" },
	{ "sql_delete_messages_of_leads", "", "/l" },
	{ "sql_delete_calls_of_leads", "", "/l" },
	{ "sql_delete_phone_codes_of_leads", "", "/l" },
	{ "sql_delete_email_codes_of_leads", "", "/l" },
	{ "sql_delete_due_of_event", "vd", "" },
	{ "sql_delete_deliveries_of_event", "vd", "" },
	{ "sql_delete_attempts_of_event", "vd", "" },
	{ "sql_empty_event", "v", "" },
	{ "sql_select_history_pause", "#", "" },
	{ "sql_select_history_days", "", "" },
	{ "sql_select_first_event", "<", "" },
	{ "sql_count_version_table", "", "" },
	{ "sql_select_schema_version", "", "" },
	{ "sql_select_oldest_programs", "f>", "" },
	{ "sql_select_server_version", "", "" },
	{ "sql_select_rights", "", "" },
	{ "sql_select_active_urls", "#", "" },
	{ "sql_select_node", "", "" },
	{ "sql_select_node_status", "", "" },
	{ "sql_select_accounts", "", "" },
	{ "sql_select_account", "1", "" },
	{ "sql_lock_account", "1", "" },
	{ "sql_select_campaigns_with_account", "1", "" },
	{ "sql_lock_settings_of", "", "1" },
	{ "sql_suspend_account", "1", "" },
	{ "sql_limit_account", "1", "" },
	{ "sql_select_keys", "1", "" },
	{ "sql_select_account_of_campaign", "1", "" },
	{ "sql_owner_of_account", "1", "" },
	{ "sql_owner_of_key", "1", "" },
	{ "sql_owner_of_campaign", "1", "" },
	{ "sql_owner_of_tag", "1", "" },
	{ "sql_owner_of_action", "1", "" },
	{ "sql_owner_of_reward", "1", "" },
	{ "sql_owner_of_webhook", "w", "" },
	{ "sql_owner_of_delivery", "dD", "" },
	{ "sql_owner_of_inbound", "1", "" },
	{ "sql_owner_of_call", "1", "" },
	{ "sql_owner_of_mail", "l", "" },
	{ "sql_revoke_key", "1", "" },
	{ "sql_update_campaign", "1", "" },
	{ "sql_end_campaign", "1", "" },
	{ "sql_reopen_campaign", "1", "" },
	{ "sql_count_addresses", "1<#", "" },
	{ "sql_delete_addresses", "1#", "" },
	{ "sql_move_counted_addresses", "1<", "" },
	{ "sql_select_uncounted_addresses", "", "" },
	{ "sql_update_tag", "1", "" },
	{ "sql_update_action", "1", "" },
	{ "sql_update_reward", "1", "" },
	{ "sql_delete_tag", "1", "" },
	{ "sql_delete_action", "1", "" },
	{ "sql_delete_reward", "1", "" },
	{ "sql_select_campaign_of_tag", "1", "" },
	{ "sql_select_campaign_of_action", "1", "" },
	{ "sql_select_campaign_of_reward", "1", "" },
	{ "sql_select_delivery_ids", "<>#<>#<>##", "" },
	{ "sql_select_delivery_ids_of_webhook", "w<>#w<>#Sw<>##", "" },
	{ "sql_select_event_ids_of_lead", "s<>#", "" },
	{ "sql_select_deliveries", "", "dD" },
	{ "sql_select_delivery", "", "dD" },
	{ "sql_select_attempts", "DD", "" },
	{ "sql_lock_pending", "", "d" },
	{ "sql_lock_ended", "", "D" },
	{ "sql_reschedule_pending", "", "d" },
	{ "sql_copy_only_attempt", "", "D" },
	{ "sql_clear_only_attempt", "", "D" },
	{ "sql_count_rows", "", "" },
	{ "sql_count_due", ">>>", "" },
	{ "sql_select_data_directory", "", "" },
	{ "sql_deep_counters", "", "" },
	{ "sql_deep_scores", "", "" },
	{ "sql_deep_histogram", "", "" },
	{ "sql_deep_referrals", "", "" },
	{ "sql_deep_credit", "", "" },
	{ "sql_deep_links", "", "" },
	{ "sql_deep_addresses", "", "" },
	{ "sql_deep_due", "", "" },
	{ "sql_deep_deliveries", "<", "" },
	{ "sql_deep_events", "<", "" },
	{ "sql_deep_entries", "", "" },
	{ "sql_deep_deleted", "", "" },
	{ "sql_deep_missing_parents", "", "" },
};

size_t
statement_count(void)
{
	size_t count = 0;
	for (size_t i = 0; store_statements[i] != NULL; i++)
		for (size_t k = 0; store_statements[i][k] != NULL; k++)
			count++;
	return count;
}

const struct db_statement *
statement_at(size_t number)
{
	for (size_t i = 0; store_statements[i] != NULL; i++)
		for (size_t k = 0; store_statements[i][k] != NULL; k++)
			if (number-- == 0)
				return store_statements[i][k];
	return NULL;
}

const struct statement_values *
values_of_statement(size_t statement)
{
	for (size_t i = 0; i < ARRAY_SIZE(all_values); i++)
		if (strcmp(all_values[i].name, statement_at(statement)->name) == 0)
			return &all_values[i];
	return NULL;
}

size_t
statement_values_count(void)
{
	return ARRAY_SIZE(all_values);
}

size_t
longest_list(size_t statement)
{
	/* statements for leads, of which a call may name many, and for nodes, of which each lead has several */
	static const char *const long_ones[] = { "sql_load_leads_by_email", "sql_load_leads_by_phone",
		"sql_load_leads_by_social_id", "sql_load_leads_by_id", "sql_select_lead_ids", "sql_select_referrer_ids",
		"sql_select_links", "sql_select_histogram_nodes", "sql_select_histogram_and_version", "sql_select_deliveries" };
	for (size_t i = 0; i < ARRAY_SIZE(long_ones); i++)
		if (strcmp(long_ones[i], statement_at(statement)->name) == 0)
			return DB_LIST_MAX;
	return values_of_statement(statement)->lists[0] == '\0' ? 1 : BATCH_LONGEST;
}

static size_t
places_in(const char *sql)
{
	size_t count = 0;
	for (; *sql != '\0'; sql++)
		count += *sql == '?';
	return count;
}

enum result
run_with_values(struct db *db, struct pool *pool, const struct db_statement *run, const struct statement_values *used,
    size_t size, struct db_rows *rows)
{
	const char *kinds = used->values, *lists = used->lists, *slash = strchr(lists, '/');
	const char *items = slash == NULL ? "" : slash + 1;
	size_t columns = strlen(items), count = places_in(run->sql) - columns, last = strlen(kinds);
	struct db_value *values = POOL_ARRAY(pool, count, struct db_value);
	struct db_arguments arguments = { .values = values, .count = count, .list_count = strcspn(lists, "/") };
	for (size_t i = 0; i < count; i++)
		values[i] = i + last < count ? DB_U64(1) : planted_value(pool, (enum value_kind)kinds[i + last - count], 0);
	for (size_t k = 0; k < arguments.list_count; k++) {
		struct db_value *list = POOL_ARRAY(pool, size, struct db_value);
		for (size_t i = 0; i < size; i++)
			list[i] = planted_value(pool, (enum value_kind)lists[k], i);
		arguments.lists[k] = (struct db_list){ list, size };
	}
	struct db_value *of_items = POOL_ARRAY(pool, size * columns, struct db_value);
	for (size_t i = 0; i < size * columns; i++)
		of_items[i] = planted_value(pool, (enum value_kind)items[i % columns], i / columns);
	arguments.items = (struct db_items){ of_items, columns, columns == 0 ? 0 : size };
	return db_query(db, pool, run, &arguments, rows);
}
