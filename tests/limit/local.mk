if HAVE_CMOCKA
check_PROGRAMS += %D%/test_rule %D%/test_window %D%/test_limiter
%C%_libs = src/limit/liblimit.a $(engine_libs) $(CMOCKA_LIBS)
%C%_test_rule_SOURCES = %D%/test_rule.c
%C%_test_rule_LDADD = $(%C%_libs)
%C%_test_window_SOURCES = %D%/test_window.c
%C%_test_window_LDADD = $(%C%_libs)
%C%_test_limiter_SOURCES = %D%/test_limiter.c
%C%_test_limiter_LDADD = $(%C%_libs)
endif
