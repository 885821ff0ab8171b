noinst_LIBRARIES += %D%/libos.a
%C%_libos_a_SOURCES = \
	%D%/clock.c %D%/clock.h \
	%D%/crash.c %D%/crash.h \
	%D%/descriptors.c %D%/descriptors.h \
	%D%/event_loop.c %D%/event_loop.h \
	%D%/executable.c %D%/executable.h \
	%D%/fiber.c %D%/fiber.h \
	%D%/folder.c %D%/folder.h \
	%D%/log.c %D%/log.h \
	%D%/log_syslog.c %D%/log_syslog.h \
	%D%/loopback.c %D%/loopback.h \
	%D%/metrics.c %D%/metrics.h %D%/metrics_labels.h \
	%D%/metrics_page.c %D%/metrics_page.h \
	%D%/metrics_table.c %D%/metrics_table.h \
	%D%/notify.c %D%/notify.h \
	%D%/random.c %D%/random.h \
	%D%/replacement.c %D%/replacement.h \
	%D%/sandbox.c %D%/sandbox.h \
	%D%/shared.c %D%/shared.h \
	%D%/wake.c %D%/wake.h \
	%D%/zone.c %D%/zone.h
