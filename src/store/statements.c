/* SPDX-License-Identifier: MIT */
#include "store/statements.h"

const struct db_statement *const *const store_statements[] = { sql_of_addresses, sql_of_admin, sql_of_bulk, sql_of_keys,
	sql_of_owners, sql_of_campaign_cache, sql_of_campaign_texts, sql_of_check, sql_of_clean_up, sql_of_unverified,
	sql_of_outcomes, sql_of_deep, sql_of_definitions, sql_of_deliveries, sql_of_dispatch, sql_of_inbound,
	sql_of_inbound_calls, sql_of_jobs, sql_of_load, sql_of_due, sql_of_figures, sql_of_mark, sql_of_node, sql_of_number,
	sql_of_pages, sql_of_partitions, sql_of_lead_codes, sql_of_rank_cache, sql_of_read, sql_of_redeliver, sql_of_schema,
	sql_of_show, sql_of_store, sql_of_transaction, sql_of_upgrade, sql_of_webhook_admin, sql_of_webhooks, sql_of_write,
	sql_of_mail_lease, sql_of_mail_list, sql_of_mail_outcomes, sql_of_mail_requests, sql_of_text_queue, sql_of_erase,
	sql_of_erased, sql_of_people, sql_of_report, sql_of_removed_campaigns, sql_of_removed_rows, sql_of_audit,
	sql_of_invitations, sql_of_logins, sql_of_sessions, sql_of_totp, sql_of_user_parts, sql_of_users, sql_of_secrets,
	sql_of_secrets_admin, sql_of_attempt_hours, sql_of_hours, sql_of_stats, sql_of_delivery_ids, sql_of_timeline,
	sql_of_lead_jobs, NULL };

/* Answers must not depend on the server's configuration. The lock wait is short because batches are repeated. A transaction
 * whose connection is lost may stay open on the server with its locks: the server ends it after idle_transaction_timeout. Our
 * own transactions pause only while a batch is decided. */
const char *const store_session[] = {
	"SET SESSION time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ENGINE_SUBSTITUTION', "
	"innodb_lock_wait_timeout = 5, lock_wait_timeout = 15, idle_transaction_timeout = 10, autocommit = 1",
	/* a statement of its own: the variable has another name since MariaDB 11.1 */
	"SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
	NULL,
};
