if HAVE_CMOCKA
check_PROGRAMS += %D%/test_base
%C%_test_base_SOURCES = %D%/test_base.c
%C%_test_base_LDADD = src/base/libbase.a $(CMOCKA_LIBS)
endif
