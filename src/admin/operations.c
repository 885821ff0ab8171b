/* SPDX-License-Identifier: MIT */
#include "admin/operations.h"

#include "admin/accounts/account_operations.h"
#include "admin/accounts/audit_operations.h"
#include "admin/accounts/user_operations.h"
#include "admin/campaigns/campaign_operations.h"
#include "admin/campaigns/definition_operations.h"
#include "admin/campaigns/embed_operation.h"
#include "admin/campaigns/stats_operations.h"
#include "admin/data/export_operation.h"
#include "admin/data/import_operation.h"
#include "admin/data/person_operations.h"
#include "admin/data/removal_operations.h"
#include "admin/doctor/doctor.h"
#include "admin/host/domains_operation.h"
#include "admin/host/installation_operations.h"
#include "admin/host/secrets_operation.h"
#include "admin/host/setup_operation.h"
#include "admin/inbound/call_operations.h"
#include "admin/inbound/inbound_operations.h"
#include "admin/jobs/job_operations.h"
#include "admin/leads/change_operations.h"
#include "admin/leads/edit_operation.h"
#include "admin/leads/lead_operations.h"
#include "admin/leads/list_operation.h"
#include "admin/leads/timeline_operation.h"
#include "admin/mails/mail_operations.h"
#include "admin/mails/page_operations.h"
#include "admin/mails/template_operations.h"
#include "admin/webhooks/delivery_operations.h"
#include "admin/webhooks/test_operation.h"
#include "admin/webhooks/webhook_operations.h"

static const struct operation *const operations[] = {
	&operation_setup,
	&operation_install,
	&operation_upgrade,
	&operation_domains_update,
	&operation_check,
	&operation_doctor,
	&operation_secrets_seal,
	&operation_status,
	&operation_installation,
	&operation_metrics,
	&operation_stats_rebuild,
	&operation_account_add,
	&operation_account_list,
	&operation_account_set,
	&operation_account_suspend,
	&operation_account_resume,
	&operation_account_limit,
	&operation_account_remove,
	&operation_key_add,
	&operation_key_list,
	&operation_key_revoke,
	&operation_user_add,
	&operation_user_list,
	&operation_user_show,
	&operation_user_set,
	&operation_user_reset,
	&operation_user_disable,
	&operation_user_enable,
	&operation_user_remove,
	&operation_user_sessions,
	&operation_user_logout,
	&operation_audit_list,
	&operation_audit_prune,
	&operation_campaign_add,
	&operation_campaign_list,
	&operation_campaign_overview,
	&operation_campaign_stats,
	&operation_campaign_sources,
	&operation_campaign_show,
	&operation_campaign_set,
	&operation_campaign_embed,
	&operation_campaign_end,
	&operation_campaign_reopen,
	&operation_campaign_redeliver,
	&operation_campaign_remove,
	&operation_page_show,
	&operation_page_set,
	&operation_page_preview,
	&operation_tag_add,
	&operation_tag_list,
	&operation_tag_set,
	&operation_tag_remove,
	&operation_action_add,
	&operation_action_list,
	&operation_action_set,
	&operation_action_remove,
	&operation_reward_add,
	&operation_reward_list,
	&operation_reward_set,
	&operation_reward_remove,
	&operation_lead_show,
	&operation_lead_code,
	&operation_lead_list,
	&operation_lead_timeline,
	&operation_lead_set,
	&operation_lead_points,
	&operation_lead_change,
	&operation_lead_jobs,
	&operation_lead_import,
	&operation_lead_export,
	&operation_lead_erase,
	&operation_lead_report,
	&operation_webhook_add,
	&operation_webhook_list,
	&operation_webhook_show,
	&operation_webhook_set,
	&operation_webhook_enable,
	&operation_webhook_disable,
	&operation_webhook_rotate,
	&operation_webhook_test,
	&operation_webhook_stats,
	&operation_webhook_remove,
	&operation_inbound_add,
	&operation_inbound_list,
	&operation_inbound_show,
	&operation_inbound_set,
	&operation_inbound_rotate,
	&operation_inbound_remove,
	&operation_inbound_test,
	&operation_inbound_log,
	&operation_inbound_lead,
	&operation_inbound_call,
	&operation_inbound_replay,
	&operation_mail_list,
	&operation_mail_show,
	&operation_mail_templates,
	&operation_mail_template,
	&operation_mail_set,
	&operation_mail_preview,
	&operation_mail_draft,
	&operation_mail_sample,
	&operation_mail_resend,
	&operation_mail_test,
	&operation_delivery_list,
	&operation_delivery_show,
	&operation_delivery_count,
	&operation_delivery_redeliver,
	&operation_job_list,
	&operation_job_show,
	&operation_job_cancel,
};

const struct operation *const *
admin_operations(size_t *count)
{
	*count = ARRAY_SIZE(operations);
	return operations;
}
