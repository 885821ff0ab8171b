if HAVE_CMOCKA
check_PROGRAMS += %D%/test_json
%C%_test_json_SOURCES = %D%/test_json.c
%C%_test_json_LDADD = src/json/libjson.a src/os/libos.a src/base/libbase.a $(YAJL_LIBS) $(CMOCKA_LIBS)
endif
