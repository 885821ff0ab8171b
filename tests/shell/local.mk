if HAVE_CMOCKA
check_PROGRAMS += %D%/test_command_line
%C%_test_command_line_SOURCES = %D%/test_command_line.c
%C%_test_command_line_LDADD = $(operations_libs) $(CMOCKA_LIBS)
endif
