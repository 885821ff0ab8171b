if HAVE_CMOCKA
check_PROGRAMS += %D%/test_message
%C%_test_message_SOURCES = %D%/test_message.c
%C%_test_message_LDADD = $(mail_libs) $(CMOCKA_LIBS)

check_PROGRAMS += %D%/test_names
%C%_test_names_SOURCES = %D%/test_names.c
%C%_test_names_LDADD = $(mail_libs) $(CMOCKA_LIBS)

check_PROGRAMS += %D%/test_template
%C%_test_template_SOURCES = %D%/test_template.c
%C%_test_template_LDADD = $(mail_libs) $(CMOCKA_LIBS)
endif
