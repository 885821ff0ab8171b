if HAVE_CMOCKA
check_PROGRAMS += %D%/test_message
%C%_test_message_SOURCES = %D%/test_message.c
%C%_test_message_LDADD = $(mail_libs) $(CMOCKA_LIBS)
endif
