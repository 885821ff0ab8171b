if HAVE_CMOCKA
check_PROGRAMS += %D%/test_base
%C%_test_base_SOURCES = %D%/test_base.c
%C%_test_base_LDADD = src/os/libos.a src/base/libbase.a $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_boolean
%C%_test_boolean_SOURCES = %D%/test_boolean.c
%C%_test_boolean_LDADD = src/base/libbase.a $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_cache
%C%_test_cache_SOURCES = %D%/test_cache.c
%C%_test_cache_LDADD = src/base/libbase.a $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_no_checks
%C%_test_no_checks_SOURCES = %D%/test_no_checks.c
%C%_test_no_checks_LDADD = src/base/libbase.a $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_duration
%C%_test_duration_SOURCES = %D%/test_duration.c
%C%_test_duration_LDADD = src/base/libbase.a $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_language_tag
%C%_test_language_tag_SOURCES = %D%/test_language_tag.c
%C%_test_language_tag_LDADD = src/base/libbase.a $(CMOCKA_LIBS)
endif
