if HAVE_CMOCKA
check_PROGRAMS += %D%/test_base
%C%_test_base_SOURCES = %D%/test_base.c
%C%_test_base_LDADD = src/base/libbase.a $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_boolean
%C%_test_boolean_SOURCES = %D%/test_boolean.c
%C%_test_boolean_LDADD = src/base/libbase.a $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_cache
%C%_test_cache_SOURCES = %D%/test_cache.c
%C%_test_cache_LDADD = src/base/libbase.a $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_panic
%C%_test_panic_SOURCES = %D%/test_panic.c
%C%_test_panic_LDADD = src/base/libbase.a $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_no_checks
%C%_test_no_checks_SOURCES = %D%/test_no_checks.c
%C%_test_no_checks_LDADD = src/base/libbase.a $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_sandbox
%C%_test_sandbox_SOURCES = %D%/test_sandbox.c
%C%_test_sandbox_LDADD = src/base/libbase.a $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_duration
%C%_test_duration_SOURCES = %D%/test_duration.c
%C%_test_duration_LDADD = src/base/libbase.a $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_wake
%C%_test_wake_SOURCES = %D%/test_wake.c
%C%_test_wake_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=clock_monotonic_ms,--wrap=recv
%C%_test_wake_LDADD = src/base/libbase.a $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_replacement
%C%_test_replacement_SOURCES = %D%/test_replacement.c
%C%_test_replacement_LDADD = src/base/libbase.a $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_notify
%C%_test_notify_SOURCES = %D%/test_notify.c
%C%_test_notify_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=clock_monotonic_ms
%C%_test_notify_LDADD = src/base/libbase.a $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_shared
%C%_test_shared_SOURCES = %D%/test_shared.c
%C%_test_shared_LDADD = src/base/libbase.a $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_metrics
%C%_test_metrics_SOURCES = %D%/test_metrics.c
%C%_test_metrics_LDADD = src/base/libbase.a $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_log
%C%_test_log_SOURCES = %D%/test_log.c
%C%_test_log_LDADD = src/base/libbase.a $(CMOCKA_LIBS)
endif
check_PROGRAMS += %D%/test_zone
%C%_test_zone_SOURCES = %D%/test_zone.c
%C%_test_zone_LDADD = src/base/libbase.a $(CMOCKA_LIBS)
