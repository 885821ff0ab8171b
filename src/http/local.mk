noinst_LIBRARIES += %D%/libhttp.a
%C%_libhttp_a_SOURCES =
