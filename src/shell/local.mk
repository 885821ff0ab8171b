noinst_LIBRARIES += %D%/libshell.a
%C%_libshell_a_SOURCES = \
	%D%/shell.c %D%/shell.h
