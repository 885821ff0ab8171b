if HAVE_CMOCKA
check_PROGRAMS += %D%/test_login %D%/test_sessions
%C%_fixture = %D%/fixture.c %D%/fixture.h tests/store/world.c tests/store/world.h tests/store/private_server.c tests/store/private_server.h
%C%_flags = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/store -I$(top_srcdir)/tests/login
%C%_counting = $(AM_LDFLAGS) -Wl,--wrap=argon2id_verify -Wl,--wrap=argon2id_hash_encoded -Wl,--wrap=fiber_pause
%C%_libs = src/login/liblogin.a src/limit/liblimit.a src/store/libstore.a src/db/libdb.a $(engine_libs) $(MARIADB_LIBS) $(CMOCKA_LIBS)

%C%_test_login_SOURCES = %D%/test_login.c $(%C%_fixture)
%C%_test_login_CPPFLAGS = $(%C%_flags)
%C%_test_login_LDFLAGS = $(%C%_counting)
%C%_test_login_LDADD = $(%C%_libs)

%C%_test_sessions_SOURCES = %D%/test_sessions.c $(%C%_fixture)
%C%_test_sessions_CPPFLAGS = $(%C%_flags)
%C%_test_sessions_LDFLAGS = $(%C%_counting)
%C%_test_sessions_LDADD = $(%C%_libs)
endif
