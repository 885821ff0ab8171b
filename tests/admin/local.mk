if HAVE_CMOCKA
check_PROGRAMS += %D%/test_operations
%C%_test_operations_SOURCES = %D%/test_operations.c
%C%_test_operations_LDADD = $(operations_libs) $(CMOCKA_LIBS)

check_PROGRAMS += %D%/doctor/test_files
%C%_doctor_test_files_SOURCES = %D%/doctor/test_files.c
%C%_doctor_test_files_LDADD = $(operations_libs) $(CMOCKA_LIBS)
endif

noinst_PROGRAMS += %D%/print_operations
%C%_print_operations_SOURCES = %D%/print_operations.c
%C%_print_operations_LDADD = $(operations_libs)
