if HAVE_CMOCKA
check_PROGRAMS += %D%/test_conf
%C%_test_conf_SOURCES = %D%/test_conf.c
%C%_test_conf_LDADD = src/conf/libconf.a src/base/libbase.a $(INIH_LIBS) $(CMOCKA_LIBS)
endif
