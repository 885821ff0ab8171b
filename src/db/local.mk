noinst_LIBRARIES += %D%/libdb.a
%C%_libdb_a_SOURCES =
