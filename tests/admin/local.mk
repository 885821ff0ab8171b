if HAVE_CMOCKA
check_PROGRAMS += %D%/test_operations
%C%_test_operations_SOURCES = %D%/test_operations.c
%C%_test_operations_LDADD = $(operations_libs) $(CMOCKA_LIBS)

check_PROGRAMS += %D%/doctor/test_space
%C%_doctor_test_space_SOURCES = %D%/doctor/test_space.c
%C%_doctor_test_space_LDADD = src/admin/libadmin.a $(engine_libs) $(CMOCKA_LIBS)
endif

noinst_PROGRAMS += %D%/print_operations
%C%_print_operations_SOURCES = %D%/print_operations.c
%C%_print_operations_LDADD = $(operations_libs)
