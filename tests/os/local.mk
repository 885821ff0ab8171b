if HAVE_CMOCKA
check_PROGRAMS += %D%/test_clock
%C%_test_clock_SOURCES = %D%/test_clock.c
%C%_test_clock_LDADD = src/os/libos.a src/base/libbase.a $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_loopback
%C%_test_loopback_SOURCES = %D%/test_loopback.c
%C%_test_loopback_LDADD = src/os/libos.a src/base/libbase.a $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_random
%C%_test_random_SOURCES = %D%/test_random.c
%C%_test_random_LDADD = src/os/libos.a src/base/libbase.a $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_crash
%C%_test_crash_SOURCES = %D%/test_crash.c
%C%_test_crash_LDADD = src/os/libos.a src/base/libbase.a $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_sandbox
%C%_test_sandbox_SOURCES = %D%/test_sandbox.c
%C%_test_sandbox_LDADD = src/os/libos.a src/base/libbase.a $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_event_loop
%C%_test_event_loop_SOURCES = %D%/test_event_loop.c
%C%_test_event_loop_LDADD = src/os/libos.a src/base/libbase.a $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_wake
%C%_test_wake_SOURCES = %D%/test_wake.c
%C%_test_wake_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=clock_monotonic_ms,--wrap=recv
%C%_test_wake_LDADD = src/os/libos.a src/base/libbase.a $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_replacement
%C%_test_replacement_SOURCES = %D%/test_replacement.c
%C%_test_replacement_LDADD = src/os/libos.a src/base/libbase.a $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_notify
%C%_test_notify_SOURCES = %D%/test_notify.c
%C%_test_notify_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=clock_monotonic_ms
%C%_test_notify_LDADD = src/os/libos.a src/base/libbase.a $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_shared
%C%_test_shared_SOURCES = %D%/test_shared.c
%C%_test_shared_LDADD = src/os/libos.a src/base/libbase.a $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_metrics
%C%_test_metrics_SOURCES = %D%/test_metrics.c
%C%_test_metrics_LDADD = src/os/libos.a src/base/libbase.a $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_fiber
%C%_test_fiber_SOURCES = %D%/test_fiber.c
%C%_test_fiber_LDADD = src/os/libos.a src/base/libbase.a $(CMOCKA_LIBS)

check_PROGRAMS += %D%/test_log
%C%_test_log_SOURCES = %D%/test_log.c
%C%_test_log_LDADD = src/os/libos.a src/base/libbase.a $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_zone
%C%_test_zone_SOURCES = %D%/test_zone.c
%C%_test_zone_LDADD = src/os/libos.a src/base/libbase.a $(CMOCKA_LIBS)
endif
