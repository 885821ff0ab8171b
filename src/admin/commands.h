/* SPDX-License-Identifier: MIT
 * The commands, and the table that names them. */
#ifndef LEADHOOK_ADMIN_COMMANDS_H
#define LEADHOOK_ADMIN_COMMANDS_H

#include "admin/call.h"

const struct admin_command *admin_commands(size_t *count);

/* installation.c */
int admin_install(struct admin_call *call);
int admin_upgrade(struct admin_call *call);
int admin_check(struct admin_call *call);
int admin_status(struct admin_call *call);
/* accounts.c */
int admin_account_add(struct admin_call *call);
int admin_account_list(struct admin_call *call);
int admin_account_suspend(struct admin_call *call);
int admin_account_resume(struct admin_call *call);
int admin_account_limit(struct admin_call *call);
int admin_key_add(struct admin_call *call);
int admin_key_list(struct admin_call *call);
int admin_key_revoke(struct admin_call *call);
/* campaigns.c */
/* Prints the settings, for the help of the commands that take settings. */
void admin_campaign_settings(FILE *out);
int admin_campaign_add(struct admin_call *call);
int admin_campaign_list(struct admin_call *call);
int admin_campaign_show(struct admin_call *call);
int admin_campaign_set(struct admin_call *call);
int admin_campaign_end(struct admin_call *call);
int admin_campaign_reopen(struct admin_call *call);
/* definitions.c */
void admin_tag_settings(FILE *out);
void admin_action_settings(FILE *out);
void admin_reward_settings(FILE *out);
int admin_tag_add(struct admin_call *call);
int admin_tag_list(struct admin_call *call);
int admin_tag_set(struct admin_call *call);
int admin_tag_remove(struct admin_call *call);
int admin_action_add(struct admin_call *call);
int admin_action_list(struct admin_call *call);
int admin_action_set(struct admin_call *call);
int admin_action_remove(struct admin_call *call);
int admin_reward_add(struct admin_call *call);
int admin_reward_list(struct admin_call *call);
int admin_reward_set(struct admin_call *call);
int admin_reward_remove(struct admin_call *call);
/* leads.c */
int admin_lead_show(struct admin_call *call);
int admin_lead_list(struct admin_call *call);
/* webhooks.c */
int admin_webhook_add(struct admin_call *call);
int admin_webhook_list(struct admin_call *call);
int admin_webhook_show(struct admin_call *call);
int admin_webhook_enable(struct admin_call *call);
int admin_webhook_disable(struct admin_call *call);
int admin_webhook_rotate(struct admin_call *call);
int admin_webhook_remove(struct admin_call *call);
/* webhook_settings.c */
void admin_webhook_settings(FILE *out);
int admin_webhook_set(struct admin_call *call);
/* webhook_test.c */
int admin_webhook_test(struct admin_call *call);
/* deliveries.c */
int admin_delivery_list(struct admin_call *call);
int admin_delivery_show(struct admin_call *call);
int admin_delivery_redeliver(struct admin_call *call);

#endif
