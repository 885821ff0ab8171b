if HAVE_CMOCKA
check_PROGRAMS += %D%/test_call
%C%_test_call_SOURCES = %D%/test_call.c
%C%_test_call_LDADD = src/admin/libadmin.a src/json/libjson.a src/base/libbase.a $(YAJL_LIBS) $(CMOCKA_LIBS)
endif
