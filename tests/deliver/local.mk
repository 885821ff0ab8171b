EXTRA_DIST += %D%/mail/answers.txt %D%/scenarios

if HAVE_CMOCKA
check_PROGRAMS += %D%/test_scheduler %D%/test_shares %D%/test_lock %D%/test_dispatcher %D%/test_outcomes %D%/test_deactivation \
	%D%/test_leases %D%/test_recovery %D%/test_tasks %D%/test_wakes %D%/test_watchdog \
	%D%/test_scenarios %D%/test_bulk_chunk %D%/test_job_worker %D%/test_crashes %D%/send/test_delivery_request %D%/send/test_sender %D%/send/test_sender_time %D%/test_spellings \
	%D%/test_metrics

check_PROGRAMS += %D%/mail/test_smtp_answer %D%/mail/test_mail_judge %D%/outbox/test_send_plan %D%/mail/test_smtp
%C%_mail_test_smtp_SOURCES = %D%/mail/test_smtp.c
%C%_mail_test_smtp_LDADD = src/deliver/libdeliver.a $(engine_libs) $(CURL_LIBS) $(CMOCKA_LIBS)

%C%_mail_test_smtp_answer_SOURCES = %D%/mail/test_smtp_answer.c
%C%_mail_test_smtp_answer_LDADD = src/deliver/libdeliver.a $(engine_libs) $(CMOCKA_LIBS)
%C%_mail_test_mail_judge_SOURCES = %D%/mail/test_mail_judge.c
%C%_mail_test_mail_judge_LDADD = src/deliver/libdeliver.a $(engine_libs) $(CMOCKA_LIBS)

check_PROGRAMS += %D%/process/test_companion %D%/process/test_runner
%C%_process_test_companion_SOURCES = %D%/process/test_companion.c
%C%_process_test_companion_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=fork,--wrap=metrics_process_died
%C%_process_test_companion_LDADD = src/deliver/libdeliver.a $(engine_libs) $(CMOCKA_LIBS)

check_PROGRAMS += %D%/texts/test_gateway
%C%_texts_test_gateway_SOURCES = %D%/texts/test_gateway.c
%C%_texts_test_gateway_LDADD = src/deliver/libdeliver.a src/text/libtext.a $(engine_libs) $(CMOCKA_LIBS)

%C%_outbox_test_send_plan_SOURCES = %D%/outbox/test_send_plan.c
%C%_outbox_test_send_plan_LDADD = src/deliver/libdeliver.a $(engine_libs) $(CMOCKA_LIBS)

%C%_test_scheduler_SOURCES = %D%/test_scheduler.c %D%/scheduler_world.c %D%/scheduler_world.h
%C%_test_scheduler_LDADD = src/deliver/libdeliver.a $(engine_libs) $(CMOCKA_LIBS)

%C%_test_shares_SOURCES = %D%/test_shares.c %D%/scheduler_world.c %D%/scheduler_world.h
%C%_test_shares_LDADD = $(%C%_test_scheduler_LDADD)

%C%_process_test_runner_SOURCES = %D%/process/test_runner.c
%C%_process_test_runner_LDADD = src/deliver/libdeliver.a $(engine_libs) $(CMOCKA_LIBS)

%C%_test_lock_SOURCES = %D%/test_lock.c
%C%_test_lock_LDADD = src/deliver/libdeliver.a $(engine_libs) $(CMOCKA_LIBS)

# The test replaces the store, the sender and the clock.
%C%_fake = %D%/fake_bulk.c %D%/fake_jobs.c %D%/fake_sender.c %D%/fake_world.c %D%/fake_world.h %D%/run_dispatcher.c %D%/run_dispatcher.h
%C%_test_dispatcher_SOURCES = %D%/test_dispatcher.c $(%C%_fake)
%C%_test_dispatcher_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=clock_monotonic_ms,--wrap=clock_monotonic_us,--wrap=clock_boot_ms
%C%_test_dispatcher_LDADD = src/deliver/libdeliver.a $(engine_libs) $(CMOCKA_LIBS)

%C%_test_outcomes_SOURCES = %D%/test_outcomes.c $(%C%_fake)
%C%_test_outcomes_LDFLAGS = $(%C%_test_dispatcher_LDFLAGS)
%C%_test_outcomes_LDADD = $(%C%_test_dispatcher_LDADD)

%C%_test_deactivation_SOURCES = %D%/test_deactivation.c $(%C%_fake)
%C%_test_deactivation_LDFLAGS = $(%C%_test_dispatcher_LDFLAGS)
%C%_test_deactivation_LDADD = $(%C%_test_dispatcher_LDADD)

%C%_test_wakes_SOURCES = %D%/test_wakes.c $(%C%_fake)
%C%_test_wakes_LDFLAGS = $(%C%_test_dispatcher_LDFLAGS)
%C%_test_wakes_LDADD = $(%C%_test_dispatcher_LDADD)

%C%_test_watchdog_SOURCES = %D%/test_watchdog.c $(%C%_fake)
%C%_test_watchdog_LDFLAGS = $(%C%_test_dispatcher_LDFLAGS)
%C%_test_watchdog_LDADD = $(%C%_test_dispatcher_LDADD)

%C%_test_leases_SOURCES = %D%/test_leases.c $(%C%_fake)
%C%_test_leases_LDFLAGS = $(%C%_test_dispatcher_LDFLAGS)
%C%_test_leases_LDADD = $(%C%_test_dispatcher_LDADD)

%C%_test_recovery_SOURCES = %D%/test_recovery.c $(%C%_fake)
%C%_test_recovery_LDFLAGS = $(%C%_test_dispatcher_LDFLAGS)
%C%_test_recovery_LDADD = $(%C%_test_dispatcher_LDADD)

%C%_test_tasks_SOURCES = %D%/test_tasks.c
%C%_test_tasks_LDFLAGS = $(%C%_test_dispatcher_LDFLAGS)
%C%_test_tasks_LDADD = src/deliver/libdeliver.a $(engine_libs) $(CMOCKA_LIBS)

# The program has one test for each scenario file that it finds.
%C%_test_scenarios_SOURCES = %D%/test_scenarios.c $(%C%_fake)
%C%_test_scenarios_LDFLAGS = $(%C%_test_dispatcher_LDFLAGS)
%C%_test_scenarios_LDADD = $(%C%_test_dispatcher_LDADD)

%C%_test_bulk_chunk_SOURCES = %D%/test_bulk_chunk.c $(%C%_fake)
%C%_test_bulk_chunk_LDFLAGS = $(%C%_test_dispatcher_LDFLAGS)
%C%_test_bulk_chunk_LDADD = $(%C%_test_dispatcher_LDADD)

%C%_test_job_worker_SOURCES = %D%/test_job_worker.c $(%C%_fake)
%C%_test_job_worker_LDFLAGS = $(%C%_test_dispatcher_LDFLAGS)
%C%_test_job_worker_LDADD = $(%C%_test_dispatcher_LDADD)

%C%_test_crashes_SOURCES = %D%/test_crashes.c $(%C%_fake)
%C%_test_crashes_LDFLAGS = $(%C%_test_dispatcher_LDFLAGS)
%C%_test_crashes_LDADD = $(%C%_test_dispatcher_LDADD)

%C%_send_test_delivery_request_SOURCES = %D%/send/test_delivery_request.c
%C%_send_test_delivery_request_LDADD = $(%C%_test_dispatcher_LDADD)

%C%_sending = %D%/sending.c %D%/sending.h %D%/receiver.c %D%/receiver.h

%C%_send_test_sender_SOURCES = %D%/send/test_sender.c %D%/own_names.c %D%/own_names.h $(%C%_sending)
%C%_send_test_sender_CFLAGS = $(AM_CFLAGS) -pthread
%C%_send_test_sender_LDADD = src/deliver/libdeliver.a $(engine_libs) $(CURL_LIBS) -lpthread $(CMOCKA_LIBS)

%C%_send_test_sender_time_SOURCES = %D%/send/test_sender_time.c $(%C%_sending)
%C%_send_test_sender_time_CFLAGS = $(%C%_send_test_sender_CFLAGS)
%C%_send_test_sender_time_LDADD = $(%C%_send_test_sender_LDADD)

%C%_test_metrics_SOURCES = %D%/test_metrics.c
%C%_test_metrics_LDADD = src/deliver/libdeliver.a $(engine_libs) $(CURL_LIBS) -lpthread $(CMOCKA_LIBS)

%C%_test_spellings_SOURCES = %D%/test_spellings.c %D%/receiver.c %D%/receiver.h
%C%_test_spellings_CFLAGS = $(%C%_send_test_sender_CFLAGS)
%C%_test_spellings_LDADD = src/deliver/libdeliver.a $(engine_libs) $(CURL_LIBS) \
	  -lpthread $(CMOCKA_LIBS)
endif
