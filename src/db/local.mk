noinst_LIBRARIES += %D%/libdb.a
%C%_libdb_a_SOURCES = \
	%D%/db.h %D%/private.h \
	%D%/connection.c \
	%D%/error.c \
	%D%/statement.c \
	%D%/trust.c \
	%D%/value.c
