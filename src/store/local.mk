noinst_LIBRARIES += %D%/libstore.a
%C%_libstore_a_SOURCES =
