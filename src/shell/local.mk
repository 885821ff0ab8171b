noinst_LIBRARIES += %D%/libshell.a
%C%_libshell_a_SOURCES = \
	%D%/command_line.c %D%/command_line.h \
	%D%/completion.c %D%/completion.h \
	%D%/help.c %D%/help.h \
	%D%/shell_options.c %D%/shell_options.h \
	%D%/shell.c %D%/shell.h \
	%D%/test_sending.c %D%/test_sending.h
