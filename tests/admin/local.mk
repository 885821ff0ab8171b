if HAVE_CMOCKA
check_PROGRAMS += %D%/test_call %D%/test_values
%C%_test_call_SOURCES = %D%/test_call.c
%C%_test_call_LDADD = src/admin/libadmin.a src/page/libpage.a src/text/libtext.a $(engine_libs) $(CMOCKA_LIBS)

%C%_test_values_SOURCES = %D%/test_values.c
%C%_test_values_LDADD = src/admin/libadmin.a src/page/libpage.a src/text/libtext.a $(engine_libs) $(CMOCKA_LIBS)

check_PROGRAMS += %D%/test_space
%C%_test_space_SOURCES = %D%/test_space.c
%C%_test_space_LDADD = src/admin/libadmin.a $(engine_libs) $(CMOCKA_LIBS)
endif
