/* SPDX-License-Identifier: MIT
 * The commands, and the table that names them. */
#ifndef LEADHOOK_ADMIN_OPERATIONS_H
#define LEADHOOK_ADMIN_OPERATIONS_H

#include "operation/operation.h"

const struct admin_command *admin_commands(size_t *count);

/* src/admin/host/installation_operations.c */
admin_run admin_upgrade, admin_check, admin_status, admin_installation, admin_metrics;
/* src/admin/host/secrets_operation.c */
admin_run admin_secrets_seal;
/* src/admin/host/setup_operation.c */
admin_run admin_setup;
/* src/admin/completion.c */
admin_run admin_completion;
/* src/admin/doctor/doctor.c */
admin_run admin_doctor;
/* src/admin/host/domains_operation.c */
admin_run admin_domains_update;
/* src/admin/accounts/account_operations.c */
admin_run admin_account_add, admin_account_list, admin_account_suspend, admin_account_limit, admin_account_set;
admin_run admin_key_add, admin_key_list, admin_key_revoke;
/* src/admin/accounts/user_operations.c */
extern const struct value_settings admin_user_settings;
admin_run admin_user_add, admin_user_list, admin_user_show, admin_user_set, admin_user_reset, admin_user_disable,
    admin_user_remove, admin_user_sessions, admin_user_logout;
/* src/admin/accounts/audit_operations.c */
admin_run admin_audit_list, admin_audit_prune;
/* src/admin/campaigns/campaign_operations.c */
extern const struct value_settings admin_campaign_settings;
admin_run admin_campaign_add, admin_campaign_list, admin_campaign_show, admin_campaign_set, admin_campaign_end,
    admin_campaign_embed;
/* src/admin/campaigns/stats_operations.c */
admin_run admin_campaign_overview, admin_campaign_stats, admin_campaign_sources, admin_webhook_stats, admin_stats_rebuild;
/* A part of those of the account that is the first operand, or of all accounts, that the caller may see. In the call's pool. */
MUST_CHECK enum result admin_find_campaigns(
    struct admin_call *call, struct list_part part, struct campaign **campaigns, size_t *count, int64_t *now_ms);
/* src/admin/mails/template_operations.c */
admin_run admin_mail_templates, admin_mail_template, admin_mail_set, admin_mail_preview, admin_mail_sample;
/* src/admin/mails/page_operations.c */
admin_run admin_page_set, admin_page_show, admin_page_preview;
/* src/admin/campaigns/definition_operations.c */
extern const struct value_settings admin_account_settings, admin_tag_settings, admin_action_settings, admin_reward_settings;
admin_run admin_definition_add, admin_definition_set, admin_definition_remove;
admin_run admin_tag_list, admin_action_list, admin_reward_list;
/* src/admin/data/export_operation.c */
admin_run admin_lead_export;
/* src/admin/leads/lead_operations.c */
admin_run admin_lead_code, admin_lead_show, admin_lead_list;
/* Reads the one option that names a lead. Returns 0, or a status after reporting the error. */
int admin_lead_reference(struct admin_call *call, struct lead_reference *reference);
/* As store_find_lead, with all that is stored of its sign-up; of the campaign in call->id. */
MUST_CHECK enum result admin_find_lead(struct admin_call *call, const struct lead_reference *reference, struct lead *lead);
/* What its sign-up came with, as an object. */
struct json_writer;
void admin_put_origin(struct json_writer *writer, const struct lead *lead);
/* src/admin/leads/timeline_operation.c */
admin_run admin_lead_timeline;
/* src/admin/leads/change_operations.c */
admin_run admin_lead_points, admin_lead_change, admin_lead_jobs;
/* src/admin/leads/edit_operation.c */
admin_run admin_lead_set;
/* The campaign in call->id. */
MUST_CHECK enum result admin_find_campaign(struct admin_call *call, struct campaign *campaign);
/* Runs a command as a call with a key of the campaign's account does. */
struct command;
struct outcome;
void admin_execute(struct admin_call *call, const struct campaign *campaign, struct command *command, struct outcome *outcome);
/* Returns 0 after success, else reports why it failed and returns the status. */
int admin_outcome(struct admin_call *call, const struct outcome *outcome);
/* Read the filters of `lead list` and `lead export`; and the sign-up number after which they go on. Report an invalid one and
 * return false: EX_DATAERR. */
MUST_CHECK bool admin_lead_filter(struct admin_call *call, struct lead_filter *filter);
/* Whether the list is by score, without its place. Returns 0, or a status after reporting what does not fit. */
MUST_CHECK int admin_lead_order(struct admin_call *call, bool *by_score);
MUST_CHECK bool admin_lead_after(struct admin_call *call, struct lead_filter *filter);
/* src/admin/data/person_operations.c */
admin_run admin_lead_erase, admin_lead_report;
/* src/admin/data/removal_operations.c */
admin_run admin_remove;
/* src/admin/data/import_operation.c */
admin_run admin_lead_import;
/* src/admin/webhooks/webhook_operations.c */
extern const struct value_settings admin_webhook_settings;
admin_run admin_webhook_add, admin_webhook_list, admin_webhook_show, admin_webhook_set, admin_webhook_enable,
    admin_webhook_rotate, admin_webhook_remove;
/* src/admin/webhooks/test_operation.c */
admin_run admin_webhook_test;
/* src/admin/inbound/inbound_operations.c */
admin_run admin_inbound_add, admin_inbound_list, admin_inbound_show, admin_inbound_set, admin_inbound_rotate,
    admin_inbound_remove;
/* src/admin/inbound/call_operations.c */
admin_run admin_inbound_test, admin_inbound_log, admin_inbound_lead, admin_inbound_call, admin_inbound_replay;
/* src/admin/mails/mail_operations.c */
admin_run admin_mail_list, admin_mail_show, admin_mail_resend, admin_mail_test;
/* src/admin/jobs/job_operations.c */
admin_run admin_job_list, admin_job_show, admin_job_cancel;
/* src/admin/webhooks/delivery_operations.c */
admin_run admin_delivery_list, admin_delivery_show, admin_delivery_count, admin_delivery_redeliver, admin_campaign_redeliver;
/* What this host's dispatcher is seen to do. */
struct dispatcher_seen;
struct dispatcher_seen admin_dispatcher(struct admin_call *call);
/* Why a delivery is still pending: the reason that holds longest. Absent when it has ended. */
struct delivery_row;
struct slice admin_waiting_for(
    const struct admin_call *call, const struct delivery_row *delivery, const struct dispatcher_seen *here);

#endif
