EXTRA_DIST += %D%/solved.h

if HAVE_CMOCKA
check_PROGRAMS += %D%/test_challenge
%C%_test_challenge_SOURCES = %D%/test_challenge.c
%C%_test_challenge_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/test_form_traps
%C%_test_form_traps_SOURCES = %D%/test_form_traps.c
%C%_test_form_traps_LDADD = $(engine_test_libs)
endif
