# The application of tests/system/web_servers/test_fastcgi*.py.
noinst_PROGRAMS += %D%/echo_app
%C%_echo_app_SOURCES = %D%/echo_app.c
%C%_echo_app_LDADD = src/fcgi/libfcgi.a src/os/libos.a src/base/libbase.a

if HAVE_CMOCKA
check_PROGRAMS += %D%/test_listener
%C%_test_listener_SOURCES = %D%/test_listener.c
%C%_test_listener_LDADD = src/fcgi/libfcgi.a src/os/libos.a src/base/libbase.a $(CMOCKA_LIBS)
endif
