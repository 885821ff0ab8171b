# A program for tests/system/mail/test_mail_message.py.
noinst_PROGRAMS += %D%/compose_mail
%C%_compose_mail_SOURCES = %D%/compose_mail.c
%C%_compose_mail_LDADD = $(mail_libs)

if HAVE_CMOCKA
check_PROGRAMS += %D%/test_kinds
%C%_test_kinds_SOURCES = %D%/test_kinds.c
%C%_test_kinds_LDADD = $(mail_libs) $(CMOCKA_LIBS)

check_PROGRAMS += %D%/test_mime_message
%C%_test_mime_message_SOURCES = %D%/test_mime_message.c
%C%_test_mime_message_LDADD = $(mail_libs) $(CMOCKA_LIBS)

check_PROGRAMS += %D%/test_names
%C%_test_names_SOURCES = %D%/test_names.c
%C%_test_names_LDADD = $(mail_libs) $(CMOCKA_LIBS)

check_PROGRAMS += %D%/test_template
%C%_test_template_SOURCES = %D%/test_template.c
%C%_test_template_LDADD = $(mail_libs) $(CMOCKA_LIBS)
endif
