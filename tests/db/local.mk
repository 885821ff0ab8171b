if HAVE_CMOCKA
check_PROGRAMS += %D%/test_db %D%/test_failures %D%/test_node
%C%_test_db_SOURCES = %D%/test_db.c %D%/with_table.h tests/store/private_server.c tests/store/private_server.h
%C%_test_db_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/store
%C%_test_db_LDADD = src/db/libdb.a src/os/libos.a src/base/libbase.a $(MARIADB_LIBS) $(CMOCKA_LIBS)

%C%_test_failures_SOURCES = %D%/test_failures.c %D%/with_table.h tests/store/private_server.c tests/store/private_server.h
%C%_test_failures_CPPFLAGS = $(%C%_test_db_CPPFLAGS)
%C%_test_failures_LDADD = $(%C%_test_db_LDADD)

%C%_test_node_SOURCES = %D%/test_node.c %D%/with_table.h tests/store/private_server.c tests/store/private_server.h
%C%_test_node_CPPFLAGS = $(%C%_test_db_CPPFLAGS)
%C%_test_node_LDADD = $(%C%_test_db_LDADD)
endif
