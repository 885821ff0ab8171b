if HAVE_CMOCKA
check_PROGRAMS += %D%/test_rule %D%/test_window %D%/test_limiter %D%/test_work_slots %D%/test_limit_address
%C%_libs = src/limit/liblimit.a $(engine_libs) $(CMOCKA_LIBS)
%C%_test_rule_SOURCES = %D%/test_rule.c
%C%_test_rule_LDADD = $(%C%_libs)
%C%_test_window_SOURCES = %D%/test_window.c
%C%_test_window_LDADD = $(%C%_libs)
%C%_test_limiter_SOURCES = %D%/test_limiter.c
%C%_test_limiter_LDADD = $(%C%_libs)
%C%_test_work_slots_SOURCES = %D%/test_work_slots.c
%C%_test_work_slots_LDADD = $(%C%_libs)
%C%_test_limit_address_SOURCES = %D%/test_limit_address.c
%C%_test_limit_address_LDADD = $(%C%_libs)
endif
