EXTRA_DIST += %D%/solved.h

if HAVE_CMOCKA
check_PROGRAMS += %D%/test_challenge
%C%_test_challenge_SOURCES = %D%/test_challenge.c
%C%_test_challenge_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/test_form_fields
%C%_test_form_fields_SOURCES = %D%/test_form_fields.c
%C%_test_form_fields_LDADD = $(engine_test_libs)
endif
