noinst_LIBRARIES += %D%/libdb.a
%C%_libdb_a_SOURCES = \
	%D%/db.h %D%/connection_state.h \
	%D%/connection.c %D%/connection.h \
	%D%/error.c %D%/error.h \
	%D%/server_calls.c %D%/server_calls.h \
	%D%/statement.c %D%/statement.h \
	%D%/trust.c %D%/trust.h \
	%D%/value.c %D%/value.h
