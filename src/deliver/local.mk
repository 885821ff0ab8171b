noinst_LIBRARIES += %D%/libdeliver.a
%C%_libdeliver_a_SOURCES = \
	%D%/bulk.c %D%/bulk.h \
	%D%/maintenance.c %D%/maintenance.h \
	%D%/crashes.c %D%/crashes.h \
	%D%/dispatcher.c %D%/dispatcher.h \
	%D%/lock.c %D%/lock.h \
	%D%/mail/answer.c %D%/mail/answer.h \
	%D%/mail/judge.c %D%/mail/judge.h \
	%D%/mail/lines.c %D%/mail/lines.h \
	%D%/mail/mailer.c %D%/mail/mailer.h %D%/mail/mailer_private.h \
	%D%/mail/delays.c %D%/mail/delays.h \
	%D%/mail/outcome.c \
	%D%/mail/person_words.c %D%/mail/person_words.h \
	%D%/mail/plan.c %D%/mail/plan.h \
	%D%/mail/prepare.c \
	%D%/mail/smtp.c %D%/mail/smtp.h \
	%D%/texts/code_text.c %D%/texts/code_text.h \
	%D%/texts/gateway.c %D%/texts/gateway.h \
	%D%/texts/texter.c %D%/texts/texter.h \
	%D%/process/companion.c %D%/process/companion.h \
	%D%/recorder.c %D%/recorder.h \
	%D%/send/request.c %D%/send/request.h \
	%D%/runner.c %D%/runner.h \
	%D%/send/sender.c %D%/send/sender.h \
	%D%/slots.c %D%/slots.h \
	%D%/tasks.c %D%/tasks.h \
	%D%/feeder.c %D%/feeder.h \
	%D%/scheduler.c %D%/scheduler.h \
	%D%/scheduler_table.c %D%/scheduler_table.h \
	%D%/send/transfer.c %D%/send/transfer.h \
	%D%/send/web_client.c %D%/send/web_client.h \
	%D%/jobs.c %D%/jobs.h \
	%D%/judge.c %D%/judge.h
