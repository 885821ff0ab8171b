if HAVE_CMOCKA
check_PROGRAMS += %D%/test_caller
%C%_test_caller_SOURCES = %D%/test_caller.c
%C%_test_caller_LDADD = src/operation/liboperation.a $(engine_libs) $(CMOCKA_LIBS)

check_PROGRAMS += %D%/test_output
%C%_test_output_SOURCES = %D%/test_output.c
%C%_test_output_LDADD = src/operation/liboperation.a $(engine_libs) $(CMOCKA_LIBS)

check_PROGRAMS += %D%/test_value_types
%C%_test_value_types_SOURCES = %D%/test_value_types.c
%C%_test_value_types_LDADD = $(operations_libs) $(CMOCKA_LIBS)
endif
