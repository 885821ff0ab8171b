noinst_LIBRARIES += %D%/libstore.a
%C%_libstore_a_SOURCES = \
	%D%/batch.c %D%/batch.h \
	%D%/batch_load.c %D%/batch_load.h \
	%D%/batch_write.c %D%/batch_write.h \
	%D%/bulk.c %D%/bulk.h \
	%D%/campaign_cache.c %D%/campaign_cache.h \
	%D%/commit_marks.c %D%/commit_marks.h \
	%D%/erased_people.c %D%/erased_people.h \
	%D%/fields.h %D%/statements.h \
	%D%/figures.c %D%/figures.h \
	%D%/find.c %D%/find.h \
	%D%/heartbeats.c %D%/heartbeats.h \
	%D%/ids.c %D%/ids.h \
	%D%/lead_pages.c %D%/lead_pages.h \
	%D%/message_requests.c %D%/message_requests.h \
	%D%/precondition.c %D%/precondition.h \
	%D%/query.c %D%/query.h \
	%D%/rank_cache.c %D%/rank_cache.h \
	%D%/rows.c %D%/rows.h \
	%D%/schema.c %D%/schema.h %D%/schema_steps.h \
	%D%/secrets.c %D%/secrets.h \
	%D%/shown_leads.c %D%/shown_leads.h \
	%D%/sources.c %D%/sources.h \
	%D%/stats.c %D%/stats.h \
	%D%/store.c %D%/store.h %D%/state.h \
	%D%/transaction.c %D%/transaction.h \
	%D%/webhook_health.c %D%/webhook_health.h \
	%D%/texts/campaign_texts.c %D%/texts/campaign_texts.h \
	%D%/codes/lead_codes.c %D%/codes/lead_codes.h \
	%D%/hooks/inbound.c %D%/hooks/inbound.h \
	%D%/hooks/inbound_calls.c %D%/hooks/inbound_calls.h \
	%D%/hooks/webhooks.c %D%/hooks/webhooks.h \
	%D%/messages/delays.c %D%/messages/delays.h \
	%D%/messages/mail_lease.c %D%/messages/mail_lease.h \
	%D%/messages/mail_list.c %D%/messages/mail_list.h \
	%D%/messages/mail_outcomes.c %D%/messages/mail_outcomes.h \
	%D%/messages/sendings.c %D%/messages/sendings.h \
	%D%/messages/text_limits.c %D%/messages/text_limits.h \
	%D%/queue/bulk_jobs.c %D%/queue/bulk_jobs.h \
	%D%/queue/clean_up.c %D%/queue/clean_up.h \
	%D%/queue/due_deliveries.c %D%/queue/due_deliveries.h \
	%D%/queue/lead_counts.c %D%/queue/lead_counts.h \
	%D%/queue/operator_jobs.c %D%/queue/operator_jobs.h \
	%D%/queue/outcomes.c %D%/queue/outcomes.h \
	%D%/queue/partitions.c %D%/queue/partitions.h \
	%D%/queue/redeliver.c %D%/queue/redeliver.h \
	%D%/queue/shards.c %D%/queue/shards.h \
	%D%/removal/campaigns.c %D%/removal/campaigns.h \
	%D%/removal/erase.c %D%/removal/erase.h \
	%D%/removal/people.c %D%/removal/people.h \
	%D%/removal/removed_rows.c %D%/removal/removed_rows.h \
	%D%/removal/person_report.c %D%/removal/person_report.h \
	%D%/removal/resume.c %D%/removal/resume.h \
	%D%/removal/address_search.c %D%/removal/address_search.h \
	%D%/removal/wanted_person.c %D%/removal/wanted_person.h \
	%D%/users/audit.c %D%/users/audit.h \
	%D%/users/logins.c %D%/users/logins.h \
	%D%/users/second_factor.c %D%/users/second_factor.h \
	%D%/users/user_sessions.c %D%/users/user_sessions.h \
	%D%/users/users.c %D%/users/users.h \
	%D%/operator/accounts.c %D%/operator/accounts.h \
	%D%/operator/campaign_settings.c %D%/operator/campaign_settings.h \
	%D%/operator/check_findings.c %D%/operator/check_findings.h \
	%D%/operator/recount.c %D%/operator/recount.h \
	%D%/operator/definitions.c %D%/operator/definitions.h \
	%D%/operator/deliveries.c %D%/operator/deliveries.h \
	%D%/operator/delivery_ids.c %D%/operator/delivery_ids.h \
	%D%/operator/installation_check.c %D%/operator/installation_check.h \
	%D%/operator/lead_names.c %D%/operator/lead_names.h \
	%D%/operator/database_nodes.c %D%/operator/database_nodes.h \
	%D%/operator/cluster_numbers.c %D%/operator/cluster_numbers.h \
	%D%/operator/operator_status.c %D%/operator/operator_status.h \
	%D%/operator/owners.c %D%/operator/owners.h \
	%D%/operator/sealing.c %D%/operator/sealing.h \
	%D%/operator/timeline.c %D%/operator/timeline.h \
	%D%/operator/upgrade.c %D%/operator/upgrade.h \
	%D%/operator/webhook_admin.c %D%/operator/webhook_admin.h
nodist_%C%_libstore_a_SOURCES = %D%/schema_text.c
CLEANFILES += %D%/schema_text.c

# for programs that need every statement, also of functions that they do not call
all_statements = $(am_%C%_libstore_a_OBJECTS)

%D%/schema_text.c: $(schema_files) scripts/embed-schema
	$(AM_V_GEN)$(MKDIR_P) %D% && $(SHELL) $(top_srcdir)/scripts/embed-schema \
		$(addprefix $(top_srcdir)/,$(schema_files)) >$@.tmp && mv $@.tmp $@
