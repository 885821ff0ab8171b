if HAVE_CMOCKA
check_PROGRAMS += %D%/test_conf %D%/test_keys %D%/test_messages %D%/test_secrecy
%C%_test_conf_SOURCES = %D%/test_conf.c
%C%_test_conf_LDADD = src/conf/libconf.a src/os/libos.a src/base/libbase.a $(INIH_LIBS) $(CMOCKA_LIBS)

%C%_test_keys_SOURCES = %D%/test_keys.c
%C%_test_keys_LDADD = src/conf/libconf.a $(engine_test_libs) $(INIH_LIBS)

%C%_test_messages_SOURCES = %D%/test_messages.c
%C%_test_messages_LDADD = $(%C%_test_conf_LDADD)

%C%_test_secrecy_SOURCES = %D%/test_secrecy.c
%C%_test_secrecy_LDADD = $(%C%_test_conf_LDADD)
endif
