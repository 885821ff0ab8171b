noinst_LIBRARIES += %D%/libdeliver.a
%C%_libdeliver_a_SOURCES = \
	%D%/back_off.c %D%/back_off.h \
	%D%/bulk.c %D%/bulk.h \
	%D%/maintenance.c %D%/maintenance.h \
	%D%/crashes.c %D%/crashes.h \
	%D%/dispatcher.c %D%/dispatcher.h \
	%D%/lock.c %D%/lock.h \
	%D%/recorder.c %D%/recorder.h \
	%D%/request.c %D%/request.h \
	%D%/runner.c %D%/runner.h \
	%D%/sender.c %D%/sender.h \
	%D%/sender_private.h \
	%D%/slots.c %D%/slots.h \
	%D%/steps.c %D%/steps.h \
	%D%/scheduler.c %D%/scheduler.h \
	%D%/transfer.c \
	%D%/judge.c %D%/judge.h
