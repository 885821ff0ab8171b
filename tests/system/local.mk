# SPDX-License-Identifier: MIT
EXTRA_DIST += %D%/conftest.py

EXTRA_DIST += \
	%D%/api/redocly/package-lock.json \
	%D%/api/redocly/package.json \
	%D%/api/test_authenticate.py \
	%D%/api/test_bodies.py \
	%D%/api/test_bots.py \
	%D%/api/test_browser.py \
	%D%/api/test_campaign_state.py \
	%D%/api/test_cors.py \
	%D%/api/test_errors.py \
	%D%/api/test_health.py \
	%D%/api/test_isolation.py \
	%D%/api/test_jsonp.py \
	%D%/api/test_limits.py \
	%D%/api/test_limits_and_bodies.py \
	%D%/api/test_links.py \
	%D%/api/test_older_calls.py \
	%D%/api/test_openapi.py \
	%D%/api/test_openapi_requests.py \
	%D%/api/test_openapi_tools.py \
	%D%/api/test_public_signups.py \
	%D%/api/test_requests.py \
	%D%/api/test_revocation.py \
	%D%/api/test_tolerance.py \
	%D%/api/typescript/client.ts \
	%D%/api/typescript/package-lock.json \
	%D%/api/typescript/package.json \
	%D%/api/typescript/wrong.ts

EXTRA_DIST += \
	%D%/commands/test_admin.py \
	%D%/commands/test_admin_leads.py \
	%D%/commands/test_campaign_ids.py \
	%D%/commands/test_campaign_settings.py \
	%D%/commands/test_completion.py \
	%D%/commands/test_domains.py \
	%D%/commands/test_lead_commands.py \
	%D%/commands/test_lead_orders.py

EXTRA_DIST += \
	%D%/dashboard/test_dashboard.py \
	%D%/dashboard/test_dashboard_actions.py \
	%D%/dashboard/test_dashboard_days.py \
	%D%/dashboard/test_dashboard_fields.py \
	%D%/dashboard/test_dashboard_import.py \
	%D%/dashboard/test_dashboard_large_import.py \
	%D%/dashboard/test_dashboard_leads.py \
	%D%/dashboard/test_dashboard_pages.py \
	%D%/dashboard/test_dashboard_phones.py \
	%D%/dashboard/test_dashboard_sources.py \
	%D%/dashboard/test_dashboard_webhooks.py \
	%D%/dashboard/test_dashboard_words.py \
	%D%/dashboard/test_words_js.py

EXTRA_DIST += \
	%D%/data/test_compare.py \
	%D%/data/test_export.py \
	%D%/data/test_export_order.py \
	%D%/data/test_import.py \
	%D%/data/test_import_files.py \
	%D%/data/test_large_import.py \
	%D%/data/test_people.py \
	%D%/data/test_removal.py \
	%D%/data/test_retention.py \
	%D%/data/test_spreadsheets.py \
	%D%/data/test_transfer_calls.py

EXTRA_DIST += \
	%D%/deliveries/signatures/package-lock.json \
	%D%/deliveries/signatures/package.json \
	%D%/deliveries/signatures/verify.js \
	%D%/deliveries/test_breaker.py \
	%D%/deliveries/test_clock_jumps.py \
	%D%/deliveries/test_compat.py \
	%D%/deliveries/test_deadly_deliveries.py \
	%D%/deliveries/test_delivery.py \
	%D%/deliveries/test_delivery_commands.py \
	%D%/deliveries/test_dispatch_kills.py \
	%D%/deliveries/test_dispatchers.py \
	%D%/deliveries/test_events.py \
	%D%/deliveries/test_fairness.py \
	%D%/deliveries/test_names.py \
	%D%/deliveries/test_receivers.py \
	%D%/deliveries/test_redirects.py \
	%D%/deliveries/test_retries.py \
	%D%/deliveries/test_signatures.py \
	%D%/deliveries/test_tls.py \
	%D%/deliveries/test_wakes.py \
	%D%/deliveries/test_webhook_commands.py \
	%D%/deliveries/test_webhooks_api.py

EXTRA_DIST += \
	%D%/doctor/test_doctor.py \
	%D%/doctor/test_doctor_faults.py \
	%D%/doctor/test_doctor_files.py \
	%D%/doctor/test_doctor_web.py \
	%D%/doctor/test_echo.py

EXTRA_DIST += \
	%D%/embed/altcha/package-lock.json \
	%D%/embed/altcha/package.json \
	%D%/embed/altcha/try.mjs \
	%D%/embed/test_bots_in_pages.py \
	%D%/embed/test_embed_late.py \
	%D%/embed/test_embed_older.py \
	%D%/embed/test_embed_page.py \
	%D%/embed/test_embed_script.py \
	%D%/embed/test_printed_markup.py

EXTRA_DIST += \
	%D%/failures/test_commit.py \
	%D%/failures/test_committer.py \
	%D%/failures/test_crash.py \
	%D%/failures/test_failing_database.py \
	%D%/failures/test_lanes.py \
	%D%/failures/test_memory.py \
	%D%/failures/test_noisy_account.py \
	%D%/failures/test_poison.py \
	%D%/failures/test_unknown_outcome.py

EXTRA_DIST += \
	%D%/helpers/attempts.py \
	%D%/helpers/axe/package-lock.json \
	%D%/helpers/axe/package.json \
	%D%/helpers/browser.py \
	%D%/helpers/caller.py \
	%D%/helpers/certificates.py \
	%D%/helpers/client.py \
	%D%/helpers/command.py \
	%D%/helpers/companions.py \
	%D%/helpers/confirming.py \
	%D%/helpers/dashboard.py \
	%D%/helpers/database_proxy.py \
	%D%/helpers/deliveries.py \
	%D%/helpers/dns_server.py \
	%D%/helpers/doctor.py \
	%D%/helpers/doctor_fronts.py \
	%D%/helpers/driver.py \
	%D%/helpers/echo_server.py \
	%D%/helpers/embedding.py \
	%D%/helpers/failing_database.py \
	%D%/helpers/fastcgi_client.py \
	%D%/helpers/hostile.py \
	%D%/helpers/html_page.py \
	%D%/helpers/inbound.py \
	%D%/helpers/interface.py \
	%D%/helpers/leads_file.py \
	%D%/helpers/load.py \
	%D%/helpers/lock_file.py \
	%D%/helpers/log_hygiene.py \
	%D%/helpers/mail_server.py \
	%D%/helpers/manager.py \
	%D%/helpers/marks.py \
	%D%/helpers/metrics.py \
	%D%/helpers/openapi.py \
	%D%/helpers/payload.py \
	%D%/helpers/postfix.py \
	%D%/helpers/private_network.py \
	%D%/helpers/processes.py \
	%D%/helpers/prometheus.py \
	%D%/helpers/proof.py \
	%D%/helpers/quickstarts.py \
	%D%/helpers/rights.py \
	%D%/helpers/rogue_database.py \
	%D%/helpers/routes.py \
	%D%/helpers/service.py \
	%D%/helpers/settings.py \
	%D%/helpers/sql.py \
	%D%/helpers/text_gateway.py \
	%D%/helpers/transfers.py \
	%D%/helpers/tree.py

EXTRA_DIST += \
	%D%/inbound/test_inbound.py \
	%D%/inbound/test_inbound_payloads.py \
	%D%/inbound/test_text_replies.py

EXTRA_DIST += \
	%D%/interface/test_interface_calls.py \
	%D%/interface/test_interface_clients.py \
	%D%/interface/test_interface_events.py \
	%D%/interface/test_interface_leads.py \
	%D%/interface/test_interface_limits.py \
	%D%/interface/test_interface_ways.py

EXTRA_DIST += \
	%D%/leads/test_bulk.py \
	%D%/leads/test_bulk_api.py \
	%D%/leads/test_bulk_tags.py \
	%D%/leads/test_concurrency.py \
	%D%/leads/test_fresh_reads.py \
	%D%/leads/test_identity.py \
	%D%/leads/test_ignored_numbers.py \
	%D%/leads/test_known_addresses.py \
	%D%/leads/test_large_points.py \
	%D%/leads/test_leaderboard_style.py \
	%D%/leads/test_lists.py \
	%D%/leads/test_lookup.py \
	%D%/leads/test_model.py \
	%D%/leads/test_owners.py \
	%D%/leads/test_payload.py \
	%D%/leads/test_public_actions.py \
	%D%/leads/test_scores_api.py \
	%D%/leads/test_signup.py \
	%D%/leads/test_stats.py \
	%D%/leads/test_strangers.py

EXTRA_DIST += \
	%D%/mail/test_mail_answers.py \
	%D%/mail/test_mail_flow.py \
	%D%/mail/test_mail_html.py \
	%D%/mail/test_mail_kills.py \
	%D%/mail/test_mail_message.py \
	%D%/mail/test_mail_postfix.py \
	%D%/mail/test_mail_security.py \
	%D%/mail/test_mail_sending.py \
	%D%/mail/test_mail_templates.py \
	%D%/mail/test_text_kills.py \
	%D%/mail/test_texts.py

EXTRA_DIST += \
	%D%/manage/test_account_caps.py \
	%D%/manage/test_audit.py \
	%D%/manage/test_manage.py \
	%D%/manage/test_manage_calls.py \
	%D%/manage/test_openapi_manage.py \
	%D%/manage/test_operator_jobs.py \
	%D%/manage/test_rights.py \
	%D%/manage/test_rights_alone.py \
	%D%/manage/test_rights_of_keys.py \
	%D%/manage/test_sessions.py \
	%D%/manage/test_users.py

EXTRA_DIST += \
	%D%/operating/test_backup.py \
	%D%/operating/test_connections.py \
	%D%/operating/test_cron.py \
	%D%/operating/test_database_tls.py \
	%D%/operating/test_demonstration.py \
	%D%/operating/test_heartbeats.py \
	%D%/operating/test_log_hygiene.py \
	%D%/operating/test_logs.py \
	%D%/operating/test_make_check.py \
	%D%/operating/test_metrics.py \
	%D%/operating/test_notify.py \
	%D%/operating/test_program.py \
	%D%/operating/test_quickstart.py \
	%D%/operating/test_readme.py \
	%D%/operating/test_reload.py \
	%D%/operating/test_sandbox.py \
	%D%/operating/test_secrets.py \
	%D%/operating/test_settings.py \
	%D%/operating/test_units.py \
	%D%/operating/test_upgrade.py \
	%D%/operating/test_watching.py

EXTRA_DIST += \
	%D%/pages/test_code_page.py \
	%D%/pages/test_confirm.py \
	%D%/pages/test_email_codes.py \
	%D%/pages/test_erase.py \
	%D%/pages/test_failed_forms.py \
	%D%/pages/test_forms.py \
	%D%/pages/test_opt_out.py \
	%D%/pages/test_page_views.py \
	%D%/pages/test_pages.py \
	%D%/pages/test_phone_codes.py \
	%D%/pages/test_previews.py \
	%D%/pages/test_what_leads_see.py

EXTRA_DIST += \
	%D%/web_servers/test_clusters.py \
	%D%/web_servers/test_companion.py \
	%D%/web_servers/test_fastcgi.py \
	%D%/web_servers/test_fastcgi_lanes.py \
	%D%/web_servers/test_node.py \
	%D%/web_servers/test_web_server_errors.py \
	%D%/web_servers/test_web_servers.py \
	%D%/web_servers/test_wiping.py
