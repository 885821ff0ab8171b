noinst_LIBRARIES += %D%/libapi.a
%C%_libapi_a_SOURCES =
