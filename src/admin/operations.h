/* SPDX-License-Identifier: MIT
 * All operations. The row of each stands beside its function, in the file of its subject. */
#pragma once

#include "operation/operation.h"

/* In the order of the help. X: operations that also have calls over HTTP. SHELL: operations of the command alone, which
 * responders do not link. */
/* clang-format off */
#define OPERATION_LIST(X, SHELL) \
	SHELL(setup) SHELL(install) SHELL(upgrade) \
	SHELL(domains_update) \
	SHELL(check) SHELL(doctor) \
	SHELL(secrets_seal) \
	X(status) X(installation) SHELL(metrics) \
	SHELL(stats_rebuild) \
	X(account_add) X(account_list) X(account_set) X(account_suspend) X(account_resume) X(account_limit) X(account_remove) \
	X(key_add) X(key_list) X(key_revoke) \
	X(user_add) X(user_list) X(user_show) X(user_set) X(user_reset) X(user_disable) X(user_enable) X(user_remove) \
	X(user_sessions) X(user_logout) \
	X(audit_list) SHELL(audit_prune) \
	X(campaign_add) X(campaign_list) X(campaign_overview) X(campaign_stats) X(campaign_sources) X(campaign_show) \
	X(campaign_set) X(campaign_embed) X(campaign_end) X(campaign_reopen) X(campaign_redeliver) X(campaign_remove) \
	X(page_show) X(page_set) X(page_preview) \
	X(tag_add) X(tag_list) X(tag_set) X(tag_remove) \
	X(action_add) X(action_list) X(action_set) X(action_remove) \
	X(reward_add) X(reward_list) X(reward_set) X(reward_remove) \
	X(lead_show) X(lead_code) X(lead_list) X(lead_timeline) X(lead_set) X(lead_points) X(lead_change) X(lead_jobs) \
	X(lead_import) X(lead_export) X(lead_erase) X(lead_report) \
	X(webhook_add) X(webhook_list) X(webhook_show) X(webhook_set) X(webhook_enable) X(webhook_disable) X(webhook_rotate) \
	X(webhook_test) X(webhook_stats) X(webhook_remove) \
	X(inbound_add) X(inbound_list) X(inbound_show) X(inbound_set) X(inbound_rotate) X(inbound_remove) X(inbound_test) \
	X(inbound_log) X(inbound_lead) X(inbound_call) X(inbound_replay) \
	X(mail_list) X(mail_show) X(mail_templates) X(mail_template) X(mail_set) X(mail_preview) X(mail_draft) X(mail_sample) \
	X(mail_resend) X(mail_test) \
	X(delivery_list) X(delivery_show) X(delivery_count) X(delivery_redeliver) \
	X(job_list) X(job_show) X(job_cancel)
/* clang-format on */

#define DECLARE_OPERATION(name) extern const struct operation operation_##name;
OPERATION_LIST(DECLARE_OPERATION, DECLARE_OPERATION)

/* The operations with calls over HTTP; ends with NULL. */
extern const struct operation *const admin_operations[];

/* For the initializer of a table of all operations. */
#define OPERATION_ROW(name) &operation_##name,
#define ALL_OPERATIONS OPERATION_LIST(OPERATION_ROW, OPERATION_ROW)
