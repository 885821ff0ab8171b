noinst_LIBRARIES += %D%/libjobs.a
%C%_libjobs_a_SOURCES = \
	%D%/fields.c %D%/fields.h \
	%D%/jobs.c %D%/jobs.h \
	%D%/mail_test.c \
	%D%/redelivery.c %D%/redelivery.h \
	%D%/webhook_test.c
