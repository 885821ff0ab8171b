if HAVE_CMOCKA
check_PROGRAMS += %D%/test_call %D%/test_value_types
%C%_test_call_SOURCES = %D%/test_call.c
%C%_test_call_LDADD = src/admin/libadmin.a src/operation/liboperation.a src/page/libpage.a src/text/libtext.a $(engine_libs) $(CMOCKA_LIBS)

%C%_test_value_types_SOURCES = %D%/test_value_types.c
%C%_test_value_types_LDADD = src/admin/libadmin.a src/operation/liboperation.a src/page/libpage.a src/text/libtext.a $(engine_libs) $(CMOCKA_LIBS)

check_PROGRAMS += %D%/test_space
%C%_test_space_SOURCES = %D%/test_space.c
%C%_test_space_LDADD = src/admin/libadmin.a src/operation/liboperation.a $(engine_libs) $(CMOCKA_LIBS)
endif
