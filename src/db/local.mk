noinst_LIBRARIES += %D%/libdb.a
%C%_libdb_a_SOURCES = \
	%D%/db.c %D%/db.h \
	%D%/value.c
