noinst_LIBRARIES += %D%/libfcgi.a
%C%_libfcgi_a_SOURCES =
