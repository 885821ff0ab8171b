noinst_LIBRARIES += %D%/libjobs.a
%C%_libjobs_a_SOURCES = \
	%D%/job_fields.c %D%/job_fields.h \
	%D%/job_kinds.c %D%/job_kinds.h \
	%D%/job_parameters.c %D%/job_parameters.h \
	%D%/job_settings.h \
	%D%/redelivery.c %D%/redelivery.h \
	%D%/test_mails.c %D%/test_mails.h \
	%D%/webhook_test.c %D%/webhook_test.h
