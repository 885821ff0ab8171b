if HAVE_CMOCKA
check_PROGRAMS += %D%/test_store %D%/test_schema %D%/operator/test_database_nodes %D%/operator/test_cluster_numbers %D%/operator/test_operators %D%/operator/test_sealing %D%/operator/test_definitions %D%/operator/test_recount %D%/operator/test_timeline %D%/queue/test_bulk_jobs \
	%D%/queue/test_addresses %D%/test_batch %D%/test_broken_batch %D%/test_batch_load %D%/test_campaign_cache %D%/test_batch_write %D%/test_lists %D%/test_shown_leads %D%/test_bulk \
	%D%/queue/test_dispatch %D%/queue/test_deactivation %D%/queue/test_due_deliveries %D%/queue/test_lead_counts %D%/operator/test_deliveries %D%/operator/test_delivery_list %D%/queue/test_redeliver %D%/operator/test_webhook_admin \
	%D%/queue/test_partitions %D%/queue/test_retention %D%/queue/test_source_counts %D%/test_transactions %D%/test_lock_order %D%/test_heartbeats %D%/test_node_batches %D%/test_plans %D%/test_work %D%/texts/test_campaign_texts %D%/removal/test_removal %D%/removal/test_resume
%C%_world = %D%/world.c %D%/world.h %D%/private_server.c %D%/private_server.h
%C%_fetched = %D%/fetched.c %D%/fetched.h
%C%_libs = src/store/libstore.a src/db/libdb.a $(engine_libs) $(MARIADB_LIBS) $(CMOCKA_LIBS)

%C%_test_schema_SOURCES = %D%/test_schema.c $(%C%_world)
nodist_%C%_test_schema_SOURCES = $(next_schema)
%C%_test_schema_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=db_run_text
%C%_test_schema_LDADD = $(all_statements) $(%C%_libs)

%C%_test_heartbeats_SOURCES = %D%/test_heartbeats.c $(%C%_world)
%C%_test_heartbeats_LDADD = $(%C%_libs)

%C%_test_store_SOURCES = %D%/test_store.c $(%C%_world)
%C%_test_store_LDADD = $(%C%_libs)

%C%_operator_test_operators_SOURCES = %D%/operator/test_operators.c $(%C%_world)
%C%_operator_test_operators_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=store_ready
%C%_operator_test_operators_LDADD = $(all_statements) $(%C%_libs)

%C%_operator_test_database_nodes_SOURCES = %D%/operator/test_database_nodes.c $(%C%_world)
%C%_operator_test_database_nodes_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=clock_wall_ms
%C%_operator_test_database_nodes_LDADD = $(%C%_libs)

%C%_queue_test_bulk_jobs_SOURCES = %D%/queue/test_bulk_jobs.c $(%C%_world)
%C%_queue_test_bulk_jobs_LDADD = $(%C%_libs)

%C%_operator_test_timeline_SOURCES = %D%/operator/test_timeline.c $(%C%_world)
%C%_operator_test_timeline_LDADD = $(%C%_libs)

%C%_operator_test_cluster_numbers_SOURCES = %D%/operator/test_cluster_numbers.c $(%C%_world)
%C%_operator_test_cluster_numbers_LDADD = $(%C%_libs)

%C%_operator_test_sealing_SOURCES = %D%/operator/test_sealing.c $(%C%_world)
%C%_operator_test_sealing_LDADD = $(%C%_libs)

%C%_operator_test_definitions_SOURCES = %D%/operator/test_definitions.c $(%C%_world)
%C%_operator_test_definitions_LDADD = $(%C%_libs)

%C%_texts_test_campaign_texts_SOURCES = %D%/texts/test_campaign_texts.c $(%C%_world)
%C%_texts_test_campaign_texts_LDADD = $(%C%_libs)

%C%_operator_test_recount_SOURCES = %D%/operator/test_recount.c $(%C%_fetched) $(%C%_world)
%C%_operator_test_recount_LDADD = $(%C%_libs)

# Tests that make transactions fail.
%C%_breaks = %D%/breaks.c %D%/breaks.h
%C%_breaking = $(AM_LDFLAGS) -Wl,--wrap=db_commit -Wl,--wrap=db_begin

%C%_test_broken_batch_SOURCES = %D%/test_broken_batch.c %D%/batches.h $(%C%_breaks) $(%C%_world)
%C%_test_broken_batch_LDFLAGS = $(%C%_breaking)
%C%_test_broken_batch_LDADD = $(%C%_libs)

%C%_test_batch_SOURCES = %D%/test_batch.c %D%/batches.h $(%C%_world)
%C%_test_batch_LDADD = $(%C%_libs)

%C%_queue_test_addresses_SOURCES = %D%/queue/test_addresses.c $(%C%_breaks) $(%C%_world)
%C%_queue_test_addresses_LDFLAGS = $(%C%_breaking)
%C%_queue_test_addresses_LDADD = $(%C%_libs)

%C%_removal_test_removal_SOURCES = %D%/removal/test_removal.c $(%C%_breaks) $(%C%_world)
%C%_removal_test_removal_LDFLAGS = $(%C%_breaking)
%C%_removal_test_removal_LDADD = $(%C%_libs)
%C%_removal_test_resume_SOURCES = %D%/removal/test_resume.c $(%C%_world)
%C%_removal_test_resume_LDADD = $(%C%_libs)

%C%_test_campaign_cache_SOURCES = %D%/test_campaign_cache.c $(%C%_breaks) $(%C%_world)
%C%_test_campaign_cache_LDFLAGS = $(%C%_breaking)
%C%_test_campaign_cache_LDADD = $(%C%_libs)

%C%_test_batch_load_SOURCES = %D%/test_batch_load.c $(%C%_world)
%C%_test_batch_load_LDADD = $(%C%_libs)

%C%_test_plans_SOURCES = %D%/test_plans.c %D%/plan_exceptions.c %D%/plan_exceptions.h %D%/statement_runs.c %D%/statement_values.c %D%/statement_values.h %D%/planted.c %D%/planted.h \
	$(%C%_world)
%C%_test_plans_LDADD = $(all_statements) $(%C%_libs)

%C%_test_node_batches_SOURCES = %D%/test_node_batches.c $(%C%_breaks) $(%C%_world)
%C%_test_node_batches_LDFLAGS = $(%C%_breaking)
%C%_test_node_batches_LDADD = $(%C%_libs)

%C%_test_work_SOURCES = %D%/test_work.c $(%C%_world)
%C%_test_work_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=db_execute_rows -Wl,--wrap=db_commit
%C%_test_work_LDADD = $(%C%_libs)

%C%_test_batch_write_SOURCES = %D%/test_batch_write.c $(%C%_world)
%C%_test_batch_write_LDADD = $(%C%_libs)

%C%_test_lists_SOURCES = %D%/test_lists.c $(%C%_world)
%C%_test_lists_LDADD = $(%C%_libs)

check_PROGRAMS += %D%/test_webhook_health
%C%_test_webhook_health_SOURCES = %D%/test_webhook_health.c $(%C%_world)
%C%_test_webhook_health_LDADD = $(%C%_libs)

%C%_test_shown_leads_SOURCES = %D%/test_shown_leads.c $(%C%_world)
%C%_test_shown_leads_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=clock_monotonic_ms
%C%_test_shown_leads_LDADD = $(%C%_libs)

%C%_test_bulk_SOURCES = %D%/test_bulk.c $(%C%_breaks) $(%C%_world)
%C%_test_bulk_LDFLAGS = $(%C%_breaking)
%C%_test_bulk_LDADD = $(%C%_libs)

check_PROGRAMS += %D%/users/test_users %D%/users/test_audit
%C%_users_test_users_SOURCES = %D%/users/test_users.c $(%C%_world)
%C%_users_test_users_LDADD = $(%C%_libs)
%C%_users_test_audit_SOURCES = %D%/users/test_audit.c $(%C%_world)
%C%_users_test_audit_LDADD = $(%C%_libs)
check_PROGRAMS += %D%/queue/test_operator_jobs
%C%_queue_test_operator_jobs_SOURCES = %D%/queue/test_operator_jobs.c $(%C%_fetched) $(%C%_world)
%C%_queue_test_operator_jobs_LDADD = $(%C%_libs)
check_PROGRAMS += %D%/queue/test_bulk_turns
%C%_queue_test_bulk_turns_SOURCES = %D%/queue/test_bulk_turns.c $(%C%_world)
%C%_queue_test_bulk_turns_LDADD = $(%C%_libs)

# Turns of jobs: src/jobs with the store.
check_PROGRAMS += tests/jobs/test_job_kinds
tests_jobs_test_job_kinds_SOURCES = tests/jobs/test_job_kinds.c $(%C%_fetched) $(%C%_world)
tests_jobs_test_job_kinds_LDADD = src/jobs/libjobs.a src/json/libjson.a src/mail/libmail.a src/text/libtext.a $(%C%_libs)

check_PROGRAMS += %D%/messages/test_text_limits
%C%_messages_test_text_limits_SOURCES = %D%/messages/test_text_limits.c $(%C%_world)
%C%_messages_test_text_limits_LDADD = $(%C%_libs)

check_PROGRAMS += %D%/messages/test_mail_queue
%C%_messages_test_mail_queue_SOURCES = %D%/messages/test_mail_queue.c $(%C%_world)
%C%_messages_test_mail_queue_LDADD = $(%C%_libs)

%C%_queue_test_due_deliveries_SOURCES = %D%/queue/test_due_deliveries.c $(%C%_fetched) $(%C%_world)
%C%_queue_test_due_deliveries_LDADD = $(%C%_libs)

%C%_test_lock_order_SOURCES = %D%/test_lock_order.c $(%C%_fetched) $(%C%_world)
%C%_test_lock_order_LDADD = $(%C%_libs)

%C%_queue_test_deactivation_SOURCES = %D%/queue/test_deactivation.c $(%C%_fetched) $(%C%_world)
%C%_queue_test_deactivation_LDADD = $(%C%_libs)

%C%_queue_test_dispatch_SOURCES = %D%/queue/test_dispatch.c $(%C%_fetched) $(%C%_world)
%C%_queue_test_dispatch_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=clock_wall_ms
%C%_queue_test_dispatch_LDADD = $(%C%_libs)

%C%_operator_test_deliveries_SOURCES = %D%/operator/test_deliveries.c $(%C%_fetched) $(%C%_world)
%C%_operator_test_deliveries_LDADD = $(%C%_libs)
%C%_operator_test_delivery_list_SOURCES = %D%/operator/test_delivery_list.c $(%C%_fetched) $(%C%_world)
%C%_operator_test_delivery_list_LDADD = $(%C%_libs)

%C%_days = %D%/days.c %D%/days.h
%C%_queue_test_partitions_SOURCES = %D%/queue/test_partitions.c $(%C%_days) $(%C%_fetched) $(%C%_world)
%C%_queue_test_partitions_LDADD = $(%C%_libs)

%C%_queue_test_retention_SOURCES = %D%/queue/test_retention.c $(%C%_days) $(%C%_fetched) $(%C%_world)
%C%_queue_test_retention_LDADD = $(%C%_libs)

%C%_queue_test_source_counts_SOURCES = %D%/queue/test_source_counts.c $(%C%_world)
%C%_queue_test_source_counts_LDADD = $(%C%_libs)

%C%_queue_test_lead_counts_SOURCES = %D%/queue/test_lead_counts.c $(%C%_fetched) $(%C%_world)
%C%_queue_test_lead_counts_LDADD = $(%C%_libs)

%C%_queue_test_redeliver_SOURCES = %D%/queue/test_redeliver.c $(%C%_fetched) $(%C%_world)
%C%_queue_test_redeliver_LDADD = $(%C%_libs)

%C%_operator_test_webhook_admin_SOURCES = %D%/operator/test_webhook_admin.c $(%C%_fetched) $(%C%_world)
%C%_operator_test_webhook_admin_LDADD = $(%C%_libs)

%C%_test_transactions_SOURCES = %D%/test_transactions.c $(%C%_breaks) $(%C%_world)
%C%_test_transactions_LDFLAGS = $(%C%_breaking)
%C%_test_transactions_LDADD = $(%C%_libs)
endif

# What private_server.c keeps between tests.
clean-local:
	rm -rf test-database test-database.unfinished test-database.lock
