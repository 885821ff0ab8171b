# SPDX-License-Identifier: MIT
if HAVE_CMOCKA
check_PROGRAMS += %D%/test_confinement %D%/test_limits %D%/test_signal_thread
%C%_test_confinement_SOURCES = %D%/test_confinement.c
%C%_test_confinement_LDADD = src/prog/libwiring.a src/os/libos.a src/base/libbase.a $(CMOCKA_LIBS)

# The test replaces kill(2).
%C%_test_signal_thread_SOURCES = %D%/test_signal_thread.c src/prog/signal_thread.c
%C%_test_signal_thread_CFLAGS = $(AM_CFLAGS) -pthread
%C%_test_signal_thread_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=kill
%C%_test_signal_thread_LDADD = src/os/libos.a src/base/libbase.a -lpthread $(CMOCKA_LIBS)

# The test replaces the clock.
%C%_test_limits_SOURCES = %D%/test_limits.c
%C%_test_limits_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=clock_monotonic_ms
%C%_test_limits_LDADD = src/prog/libwiring.a src/deliver/libdeliver.a src/limit/liblimit.a src/store/libstore.a src/db/libdb.a \
	src/conf/libconf.a $(mail_libs) $(MARIADB_LIBS) $(INIH_LIBS) $(CURL_LIBS) $(CMOCKA_LIBS)
endif
