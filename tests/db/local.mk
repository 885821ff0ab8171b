if HAVE_CMOCKA
check_PROGRAMS += %D%/test_db
%C%_test_db_SOURCES = %D%/test_db.c tests/store/private_server.c tests/store/private_server.h
%C%_test_db_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/store
%C%_test_db_LDADD = src/db/libdb.a src/base/libbase.a $(MARIADB_LIBS) $(CMOCKA_LIBS)
endif
